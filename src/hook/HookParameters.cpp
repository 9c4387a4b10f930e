// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/HookParameters.h"
#include "hook/ir/Intrinsics.h"
#include "hook/ir/PayloadIR.h"
#include "hook/ir/Variables.h"
#include "luthier/Refusal.h"
#include "luthier/detail/HookParameter.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace luthier {

/// What names a register or a counter of the wave must be a constant when
/// intrinsics are lowered.
static bool mustBeConstant(const Argument &A) {
  SmallPtrSet<const Value *, 8> Seen = {&A};
  SmallVector<const Value *, 8> Work = {&A};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    for (const User *U : V->users()) {
      if (auto *Call = dyn_cast<CallBase>(U)) {
        StringRef Name = intrinsicName(*Call);
        if (Call->getArgOperand(0) == V &&
            (namesCounter(Name) ||
             ((namesRegister(Name) || namesLaneCounter(Name)) && V == &A)))
          return true;
      } else if (isNumberOfCounter(*U) && Seen.insert(U).second) {
        Work.push_back(U);
      }
    }
  }
  return false;
}

/// What a parameter of type \p T takes, for messages.
static std::string describe(const Type &T, const DataLayout &DL) {
  const char *Kind = T.isPointerTy()         ? "a pointer"
                     : T.isFloatingPointTy() ? "a floating-point number"
                     : T.isIntegerTy()       ? "an integer"
                     : T.isVectorTy()        ? "a vector"
                                             : "a structure or array";
  const TypeSize Size = DL.getTypeAllocSize(const_cast<Type *>(&T));
  return (Twine(Kind) + " of " + Twine(Size.getFixedValue()) +
          (Size == TypeSize::getFixed(1) ? " byte" : " bytes"))
      .str();
}

/// A variable that has no address yet cannot be added to at compile time.
static ConstantUse useOf(const Argument &A, const HookModule &Hooks) {
  if (!isScalar(*A.getType()) || A.hasPointeeInMemoryValueAttr())
    return ConstantUse::Any;
  const ConstantUse Use = constantUseOf(A);
  return Use == ConstantUse::Address && Hooks.SymbolicVariables
             ? ConstantUse::Any
             : Use;
}

Expected<SmallVector<HookParameter, 4>> parametersOf(Module &M, StringRef Hook,
                                                     const HookModule &Hooks) {
  Expected<Function &> F = findHook(M, Hook, Hooks.ToolName);
  if (!F)
    return F.takeError();
  SmallVector<HookParameter, 4> Result;
  const DataLayout &DL = M.getDataLayout();
  for (const Argument &A : F->args()) {
    if (!isPassable(A))
      return refuse(RefusalReason::UnsupportedHook,
                    "parameter " + Twine(A.getArgNo()) + " of " + Hook +
                        " is not a value of at most " +
                        Twine(MaxParameterBytes) + " bytes");
    Type *T = valueTypeOf(A);
    const unsigned Bits =
        isScalar(*T) ? DL.getTypeSizeInBits(T) : 8 * DL.getTypeAllocSize(T);
    for (unsigned First = 0; First < Bits; First += 64)
      Result.push_back(
          {std::min(64u, Bits - First), unsigned(DL.getABITypeAlign(T).value()),
           T->isFloatingPointTy() ? &T->getFltSemantics() : nullptr, First != 0,
           mustBeConstant(A), useOf(A, Hooks), T->isPointerTy(),
           describe(*T, DL)});
  }
  return Result;
}

} // namespace luthier
