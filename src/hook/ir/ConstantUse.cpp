// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/ConstantUse.h"
#include "hook/ir/Intrinsics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace luthier {
namespace {

/// Where a managed variable is becomes a constant.
bool isAddressOfVariable(const Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  return Load && Load->getType()->isPointerTy() &&
         isa<Constant>(Load->getPointerOperand());
}

bool isAccessThrough(const Use &U) {
  const User *I = U.getUser();
  if (auto *Call = dyn_cast<CallBase>(I))
    return intrinsicName(*Call) == ScalarAddressIntrinsic;
  return U.get() == getLoadStorePointerOperand(I) ||
         (isa<AtomicRMWInst, AtomicCmpXchgInst>(I) && U.getOperandNo() == 0);
}

/// Behind which a lane may have an offset of its own, in a register. Into that
/// of LDS or scratch, a constant could be folded.
bool isWideBase(const Use &U) {
  auto *Element = cast<GetElementPtrInst>(U.getUser());
  return U.get() == Element->getPointerOperand() &&
         Element->getDataLayout().getPointerTypeSizeInBits(U->getType()) == 64;
}

/// What \p U makes of its value is a sum again that LiteralAddressPass knows,
/// or has such a sum for its base: what is added to that need not be known.
bool makesSum(const Use &U) {
  const User *I = U.getUser();
  auto areOthersConstant = [&] {
    return all_of(I->operands(), [&](const Use &Other) {
      return &Other == &U || isa<Constant>(Other) ||
             (isa<GetElementPtrInst>(I) && isAddressOfVariable(Other));
    });
  };
  switch (cast<Instruction>(I)->getOpcode()) {
  case Instruction::ZExt:
  case Instruction::SExt:
    return isa<Argument>(U) && U->getType()->isIntegerTy(32) &&
           I->getType()->isIntegerTy(64);
  case Instruction::IntToPtr:
  case Instruction::PtrToInt:
  case Instruction::AddrSpaceCast:
    return true;
  case Instruction::GetElementPtr:
    return isWideBase(U) || areOthersConstant();
  case Instruction::Add:
  case Instruction::Mul:
    return areOthersConstant();
  case Instruction::Shl:
    return U.getOperandNo() == 0 && areOthersConstant();
  default:
    return false;
  }
}

bool isOnlyForAddresses(const Value &V) {
  return all_of(V.uses(), [](const Use &U) {
    return isAccessThrough(U) ||
           ((U->getType()->isIntegerTy(64) || U->getType()->isPointerTy() ||
             isa<Argument>(U)) &&
            makesSum(U) && isOnlyForAddresses(*U.getUser()));
  });
}

bool isNumberToAdd(const Use &U) {
  auto *Call = dyn_cast<CallBase>(U.getUser());
  if (!Call || U.getOperandNo() != 1)
    return false;
  const StringRef Name = intrinsicName(*Call);
  return Name == WaveAddIntrinsic || Name == WaveAddLowIntrinsic;
}

/// Arithmetic on \p V ends in numbers that are added to counters of the wave.
bool isOnlyCounted(const Value &V) {
  return all_of(V.uses(), [](const Use &U) {
    return isNumberToAdd(U) || (isa<BinaryOperator, CastInst>(U.getUser()) &&
                                isOnlyCounted(*U.getUser()));
  });
}

/// What is done with \p V first is to add it.
bool isOnlyAdded(const Value &V) {
  return all_of(V.uses(), [](const Use &U) {
    const auto *I = cast<Instruction>(U.getUser());
    const bool IsSum = I->getOpcode() == Instruction::Add ||
                       I->getOpcode() == Instruction::Sub;
    return isNumberToAdd(U) || (isa<ZExtInst>(I) && isOnlyAdded(*I)) ||
           (IsSum && isOnlyCounted(*I));
  });
}

} // namespace

ConstantUse constantUseOf(const Argument &A) {
  if (isOnlyForAddresses(A))
    return ConstantUse::Address;
  return isOnlyAdded(A) ? ConstantUse::Addend : ConstantUse::Any;
}

} // namespace luthier
