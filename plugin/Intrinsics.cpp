// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Intrinsics.h"
#include "HookChecks.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ModRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {
namespace {

constexpr StringLiteral WriteExec = "luthier::writeExec";

/// What the demangler hands out has to be freed.
std::string take(char *Text) {
  std::string Result = Text ? Text : "";
  std::free(Text);
  return Result;
}

/// "luthier::readReg" for every instance of luthier::readReg<T>.
std::string qualifiedName(const Function &F) {
  std::string Mangled = F.getName().str(); // The demangler points into it.
  ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Mangled.c_str()) || !Demangler.isFunction())
    return Mangled;
  std::string Context =
      take(Demangler.getFunctionDeclContextName(nullptr, nullptr));
  std::string Base = take(Demangler.getFunctionBaseName(nullptr, nullptr));
  return Context.empty() ? Base : Context + "::" + Base;
}

/// "luthier::readReg.i32.i32": instances for int and for unsigned are the same.
std::string nameWithTypes(StringRef Name, const FunctionType &Type) {
  std::string Result = Name.str();
  raw_string_ostream OS(Result);
  if (!Type.getReturnType()->isVoidTy())
    OS << '.' << *Type.getReturnType();
  for (const llvm::Type *Parameter : Type.params())
    OS << '.' << *Parameter;
  return Result;
}

/// Ends the block of \p Call with a definition of EXEC. No pass moves code
/// across a terminator, merges the blocks around it or takes two reads of EXEC
/// in different blocks for the same.
void endBlockWithWriteExec(CallInst &Call) {
  BasicBlock *Before = Call.getParent();
  BasicBlock *After = Before->splitBasicBlock(Call.getIterator());
  Before->getTerminator()->eraseFromParent();
  Value *Mask = Call.getArgOperand(0);
  auto *Type = FunctionType::get(llvm::Type::getVoidTy(Call.getContext()),
                                 Mask->getType(), false);
  auto *Marker = CallBrInst::Create(
      Type, InlineAsm::get(Type, WriteExec, "s,~{memory}", true), After, {},
      Mask, "", Before);
  Marker->setDebugLoc(Call.getDebugLoc());
  Marker->addFnAttr(Attribute::Convergent);
  Marker->addFnAttr(Attribute::NoUnwind);
  Call.eraseFromParent();
}

/// Ordered with each other and with memory nobody else sees; convergent,
/// because what they do depends on which lanes are active.
Function *declare(Function &Marked, StringRef Name) {
  Module &M = *Marked.getParent();
  FunctionType *Type = Marked.getFunctionType();
  std::string FullName = nameWithTypes(Name, *Type);
  if (Function *Known = M.getFunction(FullName))
    return Known;
  auto *F = Function::Create(Type, GlobalValue::ExternalLinkage, FullName, &M);
  F->addFnAttr("luthier_intrinsic", Name);
  if (Marked.hasFnAttribute(ScalarResultAttribute))
    F->addFnAttr(ScalarResultAttribute);
  F->addFnAttr(Attribute::Convergent);
  F->addFnAttr(Attribute::NoUnwind);
  F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  return F;
}

/// What a register or a tuple of them can hold.
bool isScalar(const Type &T) {
  return T.isIntegerTy() || T.isFloatingPointTy() || T.isPointerTy() ||
         (isa<FixedVectorType>(T) && T.getPrimitiveSizeInBits() <= 1024);
}

} // namespace

bool checkIntrinsics(ArrayRef<Function *> Intrinsics) {
  bool Fine = true;
  for (const Function *F : Intrinsics) {
    const Type &Result = *F->getReturnType();
    bool Scalars =
        !F->isVarArg() && (Result.isVoidTy() || isScalar(Result)) &&
        all_of(F->args(), [](const Argument &A) {
          return isScalar(*A.getType()) && !A.hasPointeeInMemoryValueAttr();
        });
    if (!Scalars)
      reportError(*F, "intrinsic '" + demangle(F->getName()) +
                          "' must take and return scalars only");
    Fine &= Scalars;
  }
  return Fine;
}

bool rewriteIntrinsics(ArrayRef<Function *> Intrinsics) {
  bool Fine = true;
  for (Function *F : Intrinsics) {
    std::string Name = qualifiedName(*F);
    F->removeDeadConstantUsers();
    for (Use &U : make_early_inc_range(F->uses())) {
      auto *Call = dyn_cast<CallInst>(U.getUser());
      if (!Call || !Call->isCallee(&U)) {
        reportError(*F, "intrinsic '" + demangle(F->getName()) +
                            "' can only be called by its name");
        Fine = false;
      } else if (Name == WriteExec) {
        endBlockWithWriteExec(*Call);
      } else {
        U.set(declare(*F, Name));
      }
    }
    if (Fine)
      F->eraseFromParent();
  }
  return Fine;
}

} // namespace luthier
