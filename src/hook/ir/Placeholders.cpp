// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/Placeholders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace luthier {

bool isVectorConstraint(StringRef Constraint) {
  const bool IsBound = Constraint.consume_front("{");
  if (!Constraint.starts_with("v") && !Constraint.starts_with("a"))
    return false;
  // There also is vcc.
  return !IsBound || isDigit(Constraint[1]) || Constraint[1] == '[';
}

static Value *createPlaceholder(IRBuilderBase &B, const Twine &Text,
                                Type *Result, ArrayRef<Value *> Operands,
                                StringRef Constraints, bool HasSideEffects) {
  SmallVector<Type *, 2> Types;
  for (Value *Operand : Operands)
    Types.push_back(Operand->getType());
  auto *FT = FunctionType::get(Result, Types, false);
  return B.CreateCall(
      InlineAsm::get(FT, Text.str(), Constraints, HasSideEffects), Operands);
}

Value *readConstantLane(IRBuilderBase &B, unsigned Lane) {
  return createPlaceholder(B, ReadLanePlaceholder, B.getInt32Ty(),
                           B.getInt32(Lane), "=s,i", false);
}

Value *readLane(IRBuilderBase &B, unsigned Lane) {
  return createPlaceholder(B, ReadLanePlaceholder, B.getInt32Ty(),
                           B.getInt32(Lane), "=s,i", true);
}

void writeLane(IRBuilderBase &B, unsigned Lane, Value *Bits) {
  createPlaceholder(B, WriteLanePlaceholder, B.getVoidTy(),
                    {Bits, B.getInt32(Lane)}, "s,i", true);
}

void countLanes(IRBuilderBase &B, unsigned First, unsigned Carry) {
  const std::string Constraints =
      "i,~{s[" + std::to_string(Carry) + ":" + std::to_string(Carry + 1) + "]}";
  createPlaceholder(B, LaneCountPlaceholder, B.getVoidTy(), B.getInt32(First),
                    Constraints, true);
}

Value *readLaneCounter(IRBuilderBase &B, unsigned Number) {
  return createPlaceholder(B, LaneCounterPlaceholder, B.getInt32Ty(),
                           B.getInt32(Number), "=v,i", false);
}

Value *readWorkItemIds(IRBuilderBase &B) {
  return createPlaceholder(B, WorkItemIdsPlaceholder, B.getInt32Ty(), {}, "=v",
                           false);
}

Value *readFirstWorkItem(IRBuilderBase &B) {
  return createPlaceholder(B, FirstWorkItemPlaceholder, B.getInt32Ty(), {},
                           "=s", false);
}

Value *readAperture(IRBuilderBase &B, MCRegister Reg) {
  return createPlaceholder(B, ReadAperturePlaceholder, B.getInt64Ty(),
                           B.getInt32(Reg.id()), "=s,i", false);
}

void addToCounter(IRBuilderBase &B, unsigned First, Value *Number) {
  createPlaceholder(B, AddCounterPlaceholder, B.getVoidTy(),
                    {Number, B.getInt32(First)}, "s,i", true);
}

void addToWideCounter(IRBuilderBase &B, unsigned First, unsigned Carries,
                      Value *Number) {
  createPlaceholder(B, AddWideCounterPlaceholder, B.getVoidTy(),
                    {Number, B.getInt32(First | Carries << 16)}, "s,i", true);
}

void setHalfCounter(IRBuilderBase &B, unsigned Half, Value *Number) {
  createPlaceholder(B, SetHalfCounterPlaceholder, B.getVoidTy(),
                    {Number, B.getInt32(Half)}, "s,i", true);
}

Value *readLiteral(IRBuilderBase &B, unsigned Index) {
  return createPlaceholder(B, LiteralPlaceholder, B.getInt32Ty(),
                           B.getInt32(Index), "=s,i", false);
}

Value *addressHalf(IRBuilderBase &B, GlobalVariable &Variable, int64_t Addend,
                   Fixup::FixupKind Half) {
  return createPlaceholder(
      B,
      (Half == Fixup::Abs32Lo ? AddressLoPlaceholder : AddressHiPlaceholder) +
          Variable.getName(),
      B.getInt32Ty(), B.getInt64(Addend), "=s,i", false);
}

} // namespace luthier
