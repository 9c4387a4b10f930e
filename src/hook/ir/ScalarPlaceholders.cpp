// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/ScalarPlaceholders.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace luthier {

static Value *placeholder(IRBuilderBase &B, const Twine &Text, Type *Result,
                          ArrayRef<Value *> Operands, StringRef Constraints) {
  SmallVector<Type *, 3> Types;
  for (Value *Operand : Operands)
    Types.push_back(Operand->getType());
  auto *FT = FunctionType::get(Result, Types, false);
  return B.CreateCall(
      InlineAsm::get(FT, Text.str(), Constraints, /*hasSideEffects=*/false),
      Operands);
}

Value *compareScalars(IRBuilderBase &B, CmpInst::Predicate Predicate, Value *A,
                      Value *C) {
  return placeholder(B, ComparePlaceholder + Twine(unsigned(Predicate)),
                     B.getInt32Ty(), {A, C}, "=s,s,s");
}

Value *selectScalar(IRBuilderBase &B, Value *Condition, Value *A, Value *C) {
  if (auto *Known = dyn_cast<ConstantInt>(Condition))
    return Known->isZero() ? C : A;
  return placeholder(B, SelectPlaceholder, A->getType(), {Condition, A, C},
                     "=s,s,s,s");
}

/// \p V, of which LLVM then knows nothing but the kind of register, computed
/// here and not later.
static Value *opaque(IRBuilderBase &B, Value *V, const char *Constraints) {
  auto *FT = FunctionType::get(V->getType(), V->getType(), false);
  return B.CreateCall(
      InlineAsm::get(FT, "", Constraints, /*hasSideEffects=*/true), V);
}

Value *pinHere(IRBuilderBase &B, Value *V) { return opaque(B, V, "=s,0"); }

// LLVM takes it for granted that some lane is active, and so that a ballot on
// what it knows to be the same in all lanes is never zero.
Value *anyLaneActive(IRBuilderBase &B) {
  Value *Zero = opaque(B, B.getInt32(0), "=v,0");
  Value *Active = B.CreateIntrinsic(Intrinsic::amdgcn_ballot, {B.getInt64Ty()},
                                    {B.CreateICmpEQ(Zero, B.getInt32(0))});
  return compareScalars(B, CmpInst::ICMP_NE, pinHere(B, Active), B.getInt64(0));
}

Value *firstLane(IRBuilderBase &B, Value *V, Value *WithoutLanes) {
  Type *T = V->getType();
  Type *Bits = T->isPointerTy()
                   ? B.getInt64Ty()
                   : B.getIntNTy(unsigned(T->getPrimitiveSizeInBits()));
  auto toBits = [&](Value *Of) {
    return T->isPointerTy() ? B.CreatePtrToInt(Of, Bits)
                            : B.CreateBitCast(Of, Bits);
  };
  // Before EXEC changes.
  Value *First = pinHere(B, B.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane,
                                              {Bits}, {toBits(V)}));
  Value *Result = pinHere(
      B, selectScalar(B, anyLaneActive(B), First, toBits(WithoutLanes)));
  return T->isPointerTy() ? B.CreateIntToPtr(Result, T)
                          : B.CreateBitCast(Result, T);
}

} // namespace luthier
