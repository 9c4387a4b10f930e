// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RegisterLiveness.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {

/// Some flags can also be read as an ordinary source operand of another name.
static MCRegister sourceAlias(MCRegister Reg) {
  switch (Reg.id()) {
  case AMDGPU::SCC:
    return AMDGPU::SRC_SCC;
  case AMDGPU::VCC:
    return AMDGPU::SRC_VCCZ;
  default:
    return MCRegister();
  }
}

/// Control goes where this function does not show: everything may be read.
static bool leavesKnownCode(const MachineBasicBlock &MBB) {
  if (!MBB.succ_empty())
    return false;
  return MBB.empty() || (MBB.back().getOpcode() != AMDGPU::S_ENDPGM &&
                         MBB.back().getOpcode() != AMDGPU::S_ENDPGM_SAVED);
}

RegisterLiveness RegisterLiveness::run(const MachineFunction &MF,
                                       MCRegister Reg) {
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  const MCRegister Alias = sourceAlias(Reg);
  auto reads = [&](const MachineInstr &MI) {
    // A callee may take the register as an argument.
    return MI.isCall() || MI.readsRegister(Reg, &TRI) ||
           (Alias && MI.readsRegister(Alias, &TRI));
  };
  SmallPtrSet<const MachineBasicBlock *, 16> LiveIn;
  RegisterLiveness Result;
  // Facts only grow from dead to live, so early rounds stay true.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MachineBasicBlock &MBB : reverse(MF)) {
      bool Live = leavesKnownCode(MBB) ||
                  any_of(MBB.successors(),
                         [&](auto *Next) { return LiveIn.contains(Next); });
      for (const MachineInstr &MI : reverse(MBB)) {
        Live = reads(MI) || (Live && !MI.definesRegister(Reg, &TRI));
        if (Live)
          Result.LiveBefore.insert(&MI);
      }
      if (Live)
        Changed |= LiveIn.insert(&MBB).second;
    }
  }
  return Result;
}

} // namespace luthier
