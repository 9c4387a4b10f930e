// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ScalarValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace luthier {

static bool isScalar(const Value &V, unsigned Depth);

static bool isScalarCall(const CallInst &Call, unsigned Depth) {
  // Markers, and registers of the application by name.
  if (auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return StringRef(Asm->getConstraintString()).starts_with("=s") ||
           StringRef(Asm->getConstraintString()).starts_with("={s");
  switch (Call.getIntrinsicID()) {
  case Intrinsic::amdgcn_ballot:
  case Intrinsic::amdgcn_s_getreg:
    return true;
  case Intrinsic::ctpop:
  case Intrinsic::amdgcn_readfirstlane:
    return isScalar(*Call.getArgOperand(0), Depth + 1);
  default:
    return false;
  }
}

static bool isScalar(const Value &V, unsigned Depth) {
  constexpr unsigned MaxDepth = 16;
  if (isa<Constant>(V))
    return true;
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I || Depth == MaxDepth)
    return false;
  auto areOperands = [&] {
    return all_of(I->operands(), [&](const Use &Operand) {
      return isScalar(*Operand, Depth + 1);
    });
  };
  // Arguments are put together from registers.
  if (isa<InsertElementInst, ExtractElementInst, BitCastInst, TruncInst>(*I))
    return areOperands();
  // Scalar units have integers of these sizes.
  if (!V.getType()->isIntegerTy(1) && !V.getType()->isIntegerTy(32) &&
      !V.getType()->isIntegerTy(64))
    return false;
  switch (I->getOpcode()) {
  case Instruction::Call:
    return isScalarCall(cast<CallInst>(*I), Depth);
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Select:
  case Instruction::Freeze:
    return areOperands();
  case Instruction::ICmp: // Of 64 bits, scalar units only know equality.
    return (I->getOperand(0)->getType()->isIntegerTy(32) ||
            cast<ICmpInst>(*I).isEquality()) &&
           areOperands();
  default:
    return false;
  }
}

bool isScalar(const Value &V) { return isScalar(V, 0); }

/// \p V, of which LLVM then knows nothing but the kind of register, computed
/// here and not later.
static Value *opaque(IRBuilderBase &B, Value *V, const char *Constraints) {
  auto *FT = FunctionType::get(V->getType(), V->getType(), false);
  return B.CreateCall(
      InlineAsm::get(FT, "", Constraints, /*hasSideEffects=*/true), V);
}

/// LLVM takes it for granted that some lane is active, and so that a ballot on
/// what it knows to be the same in all lanes is never zero.
static Value *isAnyLaneActive(IRBuilderBase &B) {
  Value *Zero = opaque(B, B.getInt32(0), "=v,0");
  Value *Active = B.CreateIntrinsic(Intrinsic::amdgcn_ballot, {B.getInt64Ty()},
                                    {B.CreateICmpEQ(Zero, B.getInt32(0))});
  return B.CreateICmpNE(Active, B.getInt64(0));
}

Value *inScalars(IRBuilderBase &B, Value *V, Value *WithoutLanes) {
  if (isScalar(*V))
    return V;
  Value *First =
      B.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {V->getType()}, {V});
  // Before EXEC changes.
  return opaque(B, B.CreateSelect(isAnyLaneActive(B), First, WithoutLanes),
                "=s,0");
}

} // namespace luthier
