// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/IndexMode.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

bool indexModeAfter(const MachineInstr &MI, bool Before) {
  if (MI.getOpcode() == AMDGPU::S_SET_GPR_IDX_ON)
    return true;
  return Before && MI.getOpcode() != AMDGPU::S_SET_GPR_IDX_OFF;
}

SmallPtrSet<const MachineBasicBlock *, 4>
blocksEnteredInIndexMode(const MachineFunction &MF) {
  SmallPtrSet<const MachineBasicBlock *, 4> Result;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MachineBasicBlock &MBB : MF) {
      bool IsOn = Result.contains(&MBB);
      for (const MachineInstr &MI : MBB)
        IsOn = indexModeAfter(MI, IsOn);
      if (IsOn)
        for (const MachineBasicBlock *Next : MBB.successors())
          Changed |= Result.insert(Next).second;
    }
  }
  return Result;
}

} // namespace luthier
