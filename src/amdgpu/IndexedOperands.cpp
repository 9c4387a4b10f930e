// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/IndexedOperands.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {

IndexedOperands indexedOperandsOf(StringRef Opcode) {
  IndexedOperands Result;
  const bool IsScalar = Opcode.consume_front("S_");
  if (!IsScalar && !Opcode.consume_front("V_"))
    return Result;
  Result.Read = Opcode.starts_with("MOVRELS") || Opcode.starts_with("SWAPREL");
  Result.Written = Opcode.starts_with("MOVRELD") ||
                   Opcode.starts_with("MOVRELSD") ||
                   Opcode.starts_with("SWAPREL");
  (IsScalar ? Result.Scalars : Result.Vectors) = Result.Read || Result.Written;
  return Result;
}

IndexedOperands indexedOperandsOf(const MachineInstr &MI) {
  const TargetSubtargetInfo &ST = MI.getMF()->getSubtarget();
  return indexedOperandsOf(ST.getInstrInfo()->getName(MI.getOpcode()));
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
    if (!MI.getMF()->getSubtarget().hasFeature(AMDGPU::FeatureVGPRIndexMode))
      return std::nullopt;
    return modeBitAfter(MI, unsigned(Mode));
  }
}

} // namespace luthier
