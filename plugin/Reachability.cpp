// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reachability.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace luthier {

Reachability::Reachability(const AnnotatedFunctions &Annotated)
    : Annotated(Annotated) {
  Functions.insert_range(Annotated.Hooks);
  // Grows while it is walked.
  for (size_t I = 0; I < Functions.size(); ++I)
    scan(*Functions[I]);
}

bool isDeletingDestructor(const Value &V) {
  auto *F = dyn_cast<Function>(&V);
  ItaniumPartialDemangler Name;
  return F && F->getName().ends_with("D0Ev") &&
         !Name.partialDemangle(F->getName().str().c_str()) &&
         Name.isCtorOrDtor();
}

void Reachability::scan(Function &F) {
  for (Instruction &I : instructions(F))
    for (const Use &Operand : I.operands())
      visitOperand(Operand, &F);
}

void Reachability::visitOperand(const Value *Operand, Function *User) {
  auto *C = dyn_cast<Constant>(Operand);
  if (!C || isa<ConstantData>(C) || !SeenConstants.insert(C).second)
    return;
  if (auto *F = dyn_cast<Function>(C)) {
    auto *Callee = const_cast<Function *>(F);
    if (F->isIntrinsic() || Annotated.Intrinsics.contains(Callee))
      return;
    if (Functions.insert(Callee))
      FoundFrom[F] = User;
    return;
  }
  if (auto *G = dyn_cast<GlobalVariable>(C))
    Variables.insert(const_cast<GlobalVariable *>(G));
  for (const Use &Inner : C->operands())
    if (!isDeletingDestructor(*Inner))
      visitOperand(Inner, User);
}

const Function &Reachability::hookThatReaches(const Function &F) const {
  const Function *Root = &F;
  while (const Function *Caller = FoundFrom.lookup(Root))
    Root = Caller;
  return *Root;
}

bool Reachability::isReachedThrough(const Function &F, StringRef Prefix) const {
  const Function *On = &F;
  while ((On = FoundFrom.lookup(On)))
    if (On->getName().starts_with(Prefix))
      return true;
  return false;
}

std::string Reachability::pathTo(const Function &F) const {
  std::string Path;
  for (auto It = FoundFrom.find(&F); It != FoundFrom.end();
       It = FoundFrom.find(It->second)) {
    if (It->second->getName().starts_with("__ock"))
      continue;
    bool IsHook = Annotated.Hooks.contains(It->second);
    Path += (Path.empty() ? " (called by " : ", called by ") +
            std::string(IsHook ? "hook '" : "'") +
            demangle(It->second->getName()) + "'";
  }
  return Path.empty() ? Path : Path + ")";
}

} // namespace luthier
