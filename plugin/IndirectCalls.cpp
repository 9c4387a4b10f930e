// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IndirectCalls.h"
#include "Variables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace luthier {
namespace {

bool isCalleeUse(const Use &U) {
  auto *Call = dyn_cast<CallBase>(U.getUser());
  return Call && Call->isCallee(&U);
}

/// Collects functions below \p C.
void collectFunctions(const Constant *C, SetVector<Function *> &Result,
                      DenseSet<const Constant *> &Seen) {
  if (isa<ConstantData>(C) || !Seen.insert(C).second)
    return;
  if (auto *F = dyn_cast<Function>(C)) {
    if (!F->isIntrinsic())
      Result.insert(const_cast<Function *>(F));
    return;
  }
  if (isa<GlobalValue>(C))
    return; // Has its own turn.
  // A label's address has its block as an operand, which is no constant.
  for (const Use &Operand : C->operands())
    if (auto *Inner = dyn_cast<Constant>(Operand))
      collectFunctions(Inner, Result, Seen);
}

GlobalVariable *declareIn(Module &M, StringRef Name) {
  if (GlobalVariable *Known = M.getNamedGlobal(Name))
    return Known;
  auto *G =
      new GlobalVariable(M, Type::getInt8Ty(M.getContext()), false,
                         GlobalValue::ExternalLinkage, nullptr, Name, nullptr,
                         GlobalValue::NotThreadLocal, AMDGPUAS::GLOBAL_ADDRESS);
  // As functions are: pointers to members tell virtual ones by an odd address.
  G->setAlignment(Align(4));
  return G;
}

/// Maps each function to the address of its variable.
void mapAddresses(Module &M, ArrayRef<AddressTaken> Functions,
                  ValueToValueMapTy &Map) {
  for (const AddressTaken &A : Functions)
    Map[A.F] =
        ConstantExpr::getAddrSpaceCast(declareIn(M, A.Name), A.F->getType());
}

/// Replaces constants that instructions use.
void mapConstants(Module &M, function_ref<Constant *(Constant *)> Map) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      for (Use &Operand : I.operands())
        if (auto *C = dyn_cast<Constant>(Operand); C && !isCalleeUse(Operand))
          if (Constant *New = Map(C); New != C)
            Operand.set(New);
}

SmallVector<CallInst *, 8> indirectCallsIn(Module &M) {
  SmallVector<CallInst *, 8> Result;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I);
          Call && !Call->isInlineAsm() && !Call->getCalledFunction())
        Result.push_back(Call);
  return Result;
}

/// Calls \p Callee where \p Call's pointer means it.
bool tryPromote(CallInst &Call, Function &Callee) {
  // Other types would need casts, and mean other functions.
  if (Callee.getFunctionType() != Call.getFunctionType() ||
      Callee.getCallingConv() != Call.getCallingConv() ||
      !isLegalToPromote(Call, &Callee))
    return false;
  promoteCallWithIfThenElse(Call, &Callee);
  return true;
}

} // namespace

std::vector<AddressTaken> findAddressTaken(const Reachability &Reached) {
  SetVector<Function *> InCode, InVariables;
  DenseSet<const Constant *> SeenInCode, SeenInVariables;
  for (Function *F : Reached.functions())
    for (Instruction &I : instructions(*F))
      for (const Use &Operand : I.operands())
        if (auto *C = dyn_cast<Constant>(Operand); C && !isCalleeUse(Operand))
          collectFunctions(C, InCode, SeenInCode);
  for (GlobalVariable *G : Reached.variables())
    if (G->hasInitializer())
      isPlainConstant(*G)
          ? collectFunctions(G->getInitializer(), InCode, SeenInCode)
          : collectFunctions(G->getInitializer(), InVariables, SeenInVariables);
  std::vector<AddressTaken> Result;
  for (Function *F : Reached.functions())
    if (InCode.contains(F) || InVariables.contains(F))
      Result.push_back({F, InVariables.contains(F), {}});
  return Result;
}

void replaceAddresses(Module &M, std::vector<AddressTaken> &Functions,
                      const SetVector<GlobalVariable *> &Variables) {
  for (AddressTaken &A : Functions)
    A.Name = exportedName(M, ("address." + A.F->getName()).str());
  ValueToValueMapTy Map;
  mapAddresses(M, Functions, Map);
  for (const AddressTaken &A : Functions) {
    GlobalVariable *G = M.getNamedGlobal(A.Name);
    G->setInitializer(Constant::getNullValue(G->getValueType()));
    keepVisible(*G);
  }
  for (GlobalVariable *G : Variables)
    if (G->hasInitializer())
      G->setInitializer(MapValue(G->getInitializer(), Map));
}

bool lowerIndirectCalls(Module &Clone, ArrayRef<AddressTaken> Functions) {
  // Optimisation may have found out for others whom they are called by.
  SmallVector<Function *, 8> Meant;
  for (const AddressTaken &A : Functions) {
    A.F->removeDeadConstantUsers();
    if (A.IsInVariable || A.F->hasAddressTaken())
      Meant.push_back(A.F);
  }
  bool Changed = false;
  for (CallInst *Call : indirectCallsIn(Clone)) {
    unsigned Choices = 0;
    for (Function *F : Meant)
      Choices += tryPromote(*Call, *F);
    if (Choices == 0)
      continue;
    Changed = true;
    if (!Call->getType()->isVoidTy())
      Call->replaceAllUsesWith(Constant::getNullValue(Call->getType()));
    Call->eraseFromParent();
  }
  ValueToValueMapTy Map;
  mapAddresses(Clone, Functions, Map);
  auto map = [&](Constant *C) -> Constant * { return MapValue(C, Map); };
  mapConstants(Clone, map);
  for (GlobalVariable &G : Clone.globals())
    if (G.hasInitializer())
      G.setInitializer(map(G.getInitializer()));
  return Changed;
}

void foldEmptyCasts(Module &Clone) {
  mapConstants(Clone, [](Constant *C) {
    auto *Cast = dyn_cast<ConstantExpr>(C);
    return Cast && Cast->isCast() &&
                   Cast->getType() == Cast->getOperand(0)->getType()
               ? Cast->getOperand(0)
               : C;
  });
}

} // namespace luthier
