// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ScalarValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include <optional>

using namespace llvm;

namespace luthier {

namespace {

/// One question, whether a value is scalar. A no to any part of it is the
/// answer, so what depends on itself, as variables of loops do, may be assumed
/// to be scalar on the way.
class ScalarQuery {
public:
  bool isScalar(const Value &V);
  /// A branch that scalar instructions decide.
  bool isScalarEnd(const Instruction &End);

private:
  bool isScalarCondition(const Value &Condition, const Instruction &User);
  bool isScalarCall(const CallInst &Call);
  bool isScalarVariable(const PHINode &Variable);
  bool areOperands(const User &U) {
    return all_of(U.operands(),
                  [&](const Use &Operand) { return isScalar(*Operand); });
  }

  SmallPtrSet<const Value *, 16> Assumed;
  DominatorTree Dominators;
  std::optional<LoopInfo> Loops; ///< Once a variable asks for them.
};

bool ScalarQuery::isScalarCall(const CallInst &Call) {
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
    return isScalar(*Call.getArgOperand(0));
  default:
    return false;
  }
}

/// LLVM keeps the result of a comparison in SCC if its only user is right
/// there, and makes anything else of one bit a mask of lanes.
bool ScalarQuery::isScalarCondition(const Value &Condition,
                                    const Instruction &User) {
  auto *Compare = dyn_cast<ICmpInst>(&Condition);
  if (!Compare)
    return isa<Constant>(Condition);
  // Of 64 bits, scalar units only know equality.
  return Compare->hasOneUse() && Compare->getParent() == User.getParent() &&
         (Compare->getOperand(0)->getType()->isIntegerTy(32) ||
          (Compare->getOperand(0)->getType()->isIntegerTy(64) &&
           Compare->isEquality())) &&
         areOperands(*Compare);
}

/// Of a loop that one such comparison ends. (Where paths join otherwise, a
/// value also depends on the way there.)
bool ScalarQuery::isScalarVariable(const PHINode &Variable) {
  if (!Loops) {
    Dominators.recalculate(const_cast<Function &>(*Variable.getFunction()));
    Loops.emplace(Dominators);
  }
  const Loop *L = Loops->getLoopFor(Variable.getParent());
  if (!L || L->getHeader() != Variable.getParent() || !L->getLoopLatch() ||
      !L->getExitingBlock() || Variable.getNumIncomingValues() != 2)
    return false;
  const Instruction &End = *L->getExitingBlock()->getTerminator();
  return areOperands(Variable) && isScalarEnd(End);
}

bool ScalarQuery::isScalarEnd(const Instruction &End) {
  auto *Branch = dyn_cast<BranchInst>(&End);
  return Branch && Branch->isConditional() &&
         isScalarCondition(*Branch->getCondition(), End);
}

bool ScalarQuery::isScalar(const Value &V) {
  if (isa<Constant>(V))
    return true;
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I)
    return false;
  if (!Assumed.insert(I).second)
    return true;
  // Arguments are put together from registers.
  if (isa<InsertElementInst, ExtractElementInst, BitCastInst, TruncInst>(*I))
    return areOperands(*I);
  // Scalar units have integers of these sizes.
  if (!V.getType()->isIntegerTy(32) && !V.getType()->isIntegerTy(64))
    return false;
  switch (I->getOpcode()) {
  case Instruction::Call:
    return isScalarCall(cast<CallInst>(*I));
  case Instruction::PHI:
    return isScalarVariable(cast<PHINode>(*I));
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::Freeze:
    return areOperands(*I);
  case Instruction::ZExt:
  case Instruction::SExt:
    return I->getOperand(0)->getType()->isIntegerTy(1)
               ? isScalarCondition(*I->getOperand(0), *I)
               : areOperands(*I);
  case Instruction::Select:
    return isScalarCondition(*I->getOperand(0), *I) &&
           isScalar(*I->getOperand(1)) && isScalar(*I->getOperand(2));
  default:
    return false;
  }
}

} // namespace

bool isScalar(const Value &V) { return ScalarQuery().isScalar(V); }

bool isScalarBranch(const Instruction &End) {
  return ScalarQuery().isScalarEnd(End);
}

/// \p V, of which LLVM then knows nothing but the kind of register, computed
/// here and not later.
static Value *opaque(IRBuilderBase &B, Value *V, const char *Constraints) {
  auto *FT = FunctionType::get(V->getType(), V->getType(), false);
  return B.CreateCall(
      InlineAsm::get(FT, "", Constraints, /*hasSideEffects=*/true), V);
}

Value *computedHere(IRBuilderBase &B, Value *V) { return opaque(B, V, "=s,0"); }

// LLVM takes it for granted that some lane is active, and so that a ballot on
// what it knows to be the same in all lanes is never zero.
Value *isAnyLaneActive(IRBuilderBase &B) {
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
  return computedHere(B,
                      B.CreateSelect(isAnyLaneActive(B), First, WithoutLanes));
}

} // namespace luthier
