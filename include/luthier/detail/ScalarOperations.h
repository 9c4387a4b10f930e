// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of LLVM IR that scalar instructions can do if their operands are
// in scalar registers; see ScalarAnalysis.h. The engine has code for each.
#ifndef LUTHIER_DETAIL_SCALAROPERATIONS_H
#define LUTHIER_DETAIL_SCALAROPERATIONS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Operator.h"
#include <optional>

namespace luthier {

/// A number or pointer that fits two scalar registers.
inline bool hasScalarForm(const llvm::Type &T) {
  return T.isPointerTy() || (T.isIntegerTy() && T.getIntegerBitWidth() <= 64) ||
         (T.isFloatingPointTy() && T.getPrimitiveSizeInBits() <= 64);
}

/// Such a one, or some of them in whole registers.
inline bool hasTupleForm(const llvm::Type &T) {
  if (hasScalarForm(T))
    return true;
  auto *Tuple = llvm::dyn_cast<llvm::FixedVectorType>(&T);
  if (!Tuple || Tuple->getElementType()->isPointerTy())
    return false;
  const unsigned Bits = Tuple->getScalarSizeInBits();
  return (Bits == 8 || Bits == 16 || Bits == 32 || Bits == 64) &&
         Tuple->getNumElements() * Bits % 32 == 0 &&
         Tuple->getNumElements() * Bits <= 1024;
}

/// Scalar loads have no parts of dwords on most targets.
inline bool isLoadOfDwords(const llvm::LoadInst &Load) {
  return hasTupleForm(*Load.getType()) && Load.isSimple() &&
         Load.getAlign() >= 4 &&
         Load.getDataLayout().getTypeSizeInBits(Load.getType()) % 32 == 0;
}

inline bool isScalarIntrinsic(const llvm::CallInst &Call) {
  using namespace llvm;
  const bool IsInteger = Call.getType()->isIntegerTy();
  switch (Call.getIntrinsicID()) {
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
  case Intrinsic::abs:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::ucmp:
  case Intrinsic::scmp:
    return IsInteger;
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    // The distance counts modulo the size.
    return IsInteger && (isPowerOf2_32(Call.getType()->getIntegerBitWidth()) ||
                         isa<ConstantInt>(Call.getArgOperand(2)));
  case Intrinsic::uadd_sat:
  case Intrinsic::usub_sat:
    return IsInteger;
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::usub_with_overflow:
    return true;
  default:
    return false;
  }
}

/// \p I yields what scalar instructions can compute of its operands. (Those of
/// a call are its arguments.)
inline bool isScalarOperation(const llvm::Instruction &I) {
  using namespace llvm;
  const Type &T = *I.getType();
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return T.isIntegerTy() && hasScalarForm(T);
  case Instruction::ICmp:
    return T.isIntegerTy() && hasScalarForm(*I.getOperand(0)->getType());
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
    return T.isIntegerTy() && hasScalarForm(T) &&
           hasScalarForm(*I.getOperand(0)->getType());
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::Freeze:
  case Instruction::PHI:
    return hasTupleForm(T);
  case Instruction::Select:
    return hasTupleForm(T) && I.getOperand(0)->getType()->isIntegerTy(1);
  case Instruction::BitCast:
    return hasTupleForm(T) && hasTupleForm(*I.getOperand(0)->getType());
  case Instruction::ExtractElement:
    return hasTupleForm(*I.getOperand(0)->getType()) &&
           isa<ConstantInt>(I.getOperand(1));
  case Instruction::InsertElement:
    return hasTupleForm(T) && isa<ConstantInt>(I.getOperand(2));
  case Instruction::ShuffleVector:
    return hasTupleForm(T) && hasTupleForm(*I.getOperand(0)->getType());
  case Instruction::ExtractValue:
    return hasScalarForm(T) &&
           isa<WithOverflowInst>(
               cast<ExtractValueInst>(I).getAggregateOperand());
  case Instruction::GetElementPtr:
    return T.isPointerTy();
  case Instruction::AddrSpaceCast: {
    // Of generic, global and constant addresses, which are the same numbers.
    auto isPlain = [](const Type &Pointer) {
      const unsigned Space = Pointer.getPointerAddressSpace();
      return Space == 0 || Space == 1 || Space == 4;
    };
    return T.isPointerTy() && isPlain(T) &&
           isPlain(*I.getOperand(0)->getType());
  }
  case Instruction::Call:
    return isScalarIntrinsic(cast<CallInst>(I));
  default:
    return false;
  }
}

/// LLVM's intrinsic \p ID is an instruction that the wave executes whatever
/// lanes are active, and not for what it computes: messages, traps and what
/// else goes to the outside of the wave.
inline bool isWaveInstruction(llvm::Intrinsic::ID ID) {
  using namespace llvm;
  switch (ID) {
  case Intrinsic::amdgcn_s_sendmsg:
  case Intrinsic::amdgcn_s_sendmsghalt:
  case Intrinsic::amdgcn_s_sendmsg_rtn:
  case Intrinsic::amdgcn_s_ttracedata:
  case Intrinsic::amdgcn_s_ttracedata_imm:
  case Intrinsic::amdgcn_s_incperflevel:
  case Intrinsic::amdgcn_s_decperflevel:
  case Intrinsic::amdgcn_s_sethalt:
  case Intrinsic::amdgcn_s_setprio:
  case Intrinsic::amdgcn_s_sleep:
  case Intrinsic::amdgcn_s_sleep_var:
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap:
    return true;
  default:
    return false;
  }
}

/// The number of the operand that such an instruction takes from a scalar
/// register or M0, or nothing.
inline std::optional<unsigned> scalarOperandOf(llvm::Intrinsic::ID ID) {
  using namespace llvm;
  switch (ID) {
  case Intrinsic::amdgcn_s_sendmsg:
  case Intrinsic::amdgcn_s_sendmsghalt:
    return 1;
  case Intrinsic::amdgcn_s_ttracedata:
  case Intrinsic::amdgcn_s_sleep_var:
    return 0;
  default:
    return std::nullopt;
  }
}

} // namespace luthier

#endif // LUTHIER_DETAIL_SCALAROPERATIONS_H
