// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/IndexedOperands.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {

bool writesModeBit(const MachineInstr &MI, unsigned Bit) {
  if (MI.getOpcode() != AMDGPU::S_SETREG_B32 &&
      MI.getOpcode() != AMDGPU::S_SETREG_IMM32_B32)
    return false;
  constexpr int64_t HwRegMode = 1;
  const int64_t HwReg = MI.getOperand(1).getImm();
  const int64_t First = HwReg >> 6 & 0x1f, Count = (HwReg >> 11 & 0x1f) + 1;
  return (HwReg & 0x3f) == HwRegMode && First <= Bit && Bit < First + Count;
}

bool maySwitchIndexModeOn(const MachineInstr &MI) {
  constexpr unsigned IndexBit = 27;
  return MI.getOpcode() == AMDGPU::S_SET_GPR_IDX_ON ||
         (writesModeBit(MI, IndexBit) &&
          MI.getMF()->getSubtarget().hasFeature(AMDGPU::FeatureVGPRIndexMode));
}

IndexedOperands indexedOperandsOf(const MachineInstr &MI) {
  if (maySwitchIndexModeOn(MI))
    return {false, true, true};
  switch (MI.getOpcode()) {
  case AMDGPU::S_SET_GPR_IDX_OFF:
    return {false, false, true};
  case AMDGPU::S_MOVRELS_B32:
  case AMDGPU::S_MOVRELS_B64:
    return {true, false, false};
  case AMDGPU::S_MOVRELD_B32:
  case AMDGPU::S_MOVRELD_B64:
  case AMDGPU::S_MOVRELSD_2_B32:
    return {true, false, true};
  case AMDGPU::V_MOVRELS_B32_e32:
  case AMDGPU::V_MOVRELS_B32_e64:
    return {false, true, false};
  case AMDGPU::V_MOVRELD_B32_e32:
  case AMDGPU::V_MOVRELD_B32_e64:
  case AMDGPU::V_MOVRELSD_B32_e32:
  case AMDGPU::V_MOVRELSD_B32_e64:
  case AMDGPU::V_MOVRELSD_2_B32_e32:
  case AMDGPU::V_MOVRELSD_2_B32_e64:
  case AMDGPU::V_SWAPREL_B32:
    return {false, true, true};
  default:
    return {};
  }
}

} // namespace luthier
