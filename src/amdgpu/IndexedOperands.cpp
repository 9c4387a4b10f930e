// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/IndexedOperands.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "amdgpu/OpcodeFacts.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {

IndexedOperands indexedOperandsOf(const MachineInstr &MI) {
  const amdgpu::OpcodeFacts Facts = amdgpu::opcodeFacts(MI);
  IndexedOperands Result;
  Result.Read = Facts.has(amdgpu::IndexedRead);
  Result.Written = Facts.has(amdgpu::IndexedWrite);
  const bool IsScalar = MI.getDesc().TSFlags & SIInstrFlags::SALU;
  (IsScalar ? Result.Scalars : Result.Vectors) = Result.Read || Result.Written;
  return Result;
}

/// The value that s_setreg gives a bit of MODE, as far as it shows.
static std::optional<bool> modeBitAfter(const MachineInstr &MI, unsigned Bit) {
  const bool IsConstant = MI.getOpcode() == AMDGPU::S_SETREG_IMM32_B32;
  if (!IsConstant && MI.getOpcode() != AMDGPU::S_SETREG_B32)
    return std::nullopt;
  constexpr int64_t HwRegMode = 1;
  const int64_t HwReg = MI.getOperand(1).getImm();
  const unsigned First = HwReg >> 6 & 0x1f, Count = (HwReg >> 11 & 0x1f) + 1;
  if ((HwReg & 0x3f) != HwRegMode || Bit < First || Bit >= First + Count)
    return std::nullopt;
  return !IsConstant || (MI.getOperand(0).getImm() >> (Bit - First) & 1);
}

std::optional<bool> vectorModeAfter(const MachineInstr &MI, VectorMode Mode) {
  switch (MI.getOpcode()) {
  case AMDGPU::S_SET_GPR_IDX_ON:
    return Mode == VectorMode::Index ? std::optional(true) : std::nullopt;
  case AMDGPU::S_SET_GPR_IDX_OFF:
    return Mode == VectorMode::Index ? std::optional(false) : std::nullopt;
  case AMDGPU::S_SETVSKIP:
    if (Mode == VectorMode::Index)
      return std::nullopt;
    return !MI.getOperand(0).isImm() || MI.getOperand(0).getImm();
  default:
    // What the instruction is, is known sooner than what the processor has.
    if (std::optional<bool> Bit = modeBitAfter(MI, unsigned(Mode)))
      if (MI.getMF()->getSubtarget().hasFeature(AMDGPU::FeatureVGPRIndexMode))
        return Bit;
    return std::nullopt;
  }
}

} // namespace luthier
