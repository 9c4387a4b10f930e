// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/CalleeSaved.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

RegisterSet calleeSavedVGPRs() {
  RegisterSet Result;
  for (unsigned I = 40; I < 256; ++I)
    if (I % 16 >= 8)
      Result.addVGPR(I);
  return Result;
}

RegisterSet calleeSavedVGPRs(const MachineFunction &MF) {
  // To memory or an accumulation register, and from there.
  RegisterSet Away, Back;
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB) {
      const bool Puts = MI.mayStore() ||
                        MI.getOpcode() == AMDGPU::V_ACCVGPR_WRITE_B32_e64,
                 Takes = MI.mayLoad() ||
                         MI.getOpcode() == AMDGPU::V_ACCVGPR_READ_B32_e64;
      for (const MachineOperand &MO : MI.operands())
        if (MO.isReg() && MO.getReg() && (MO.isDef() ? Takes : Puts))
          (MO.isDef() ? Back : Away).add(MO.getReg().asMCReg());
    }
  return calleeSavedVGPRs() & Away & Back;
}

} // namespace luthier
