// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/KeptSCC.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace luthier {

/// What SCC holds in front of \p MI is read behind it. Selection keeps nothing
/// in SCC from block to block.
static bool isSCCReadBehind(const MachineInstr &MI,
                            const TargetRegisterInfo &TRI) {
  for (const MachineInstr *Later = MI.getNextNode(); Later;
       Later = Later->getNextNode()) {
    if (Later->readsRegister(AMDGPU::SCC, &TRI))
      return true;
    if (Later->modifiesRegister(AMDGPU::SCC, &TRI))
      return false;
  }
  return false;
}

KeptSCC::KeptSCC(MachineInstr &Placeholder, const GCNSubtarget &ST)
    : Placeholder(Placeholder), ST(ST) {
  const SIRegisterInfo &TRI = *ST.getRegisterInfo();
  if (!isSCCReadBehind(Placeholder, TRI))
    return;
  Kept = Placeholder.getMF()->getRegInfo().createVirtualRegister(
      TRI.getRegClass(AMDGPU::SReg_32RegClassID));
  BuildMI(*Placeholder.getParent(), Placeholder, Placeholder.getDebugLoc(),
          ST.getInstrInfo()->get(AMDGPU::S_CSELECT_B32), Kept)
      .addImm(1)
      .addImm(0);
}

KeptSCC::~KeptSCC() {
  if (Kept)
    BuildMI(*Placeholder.getParent(), Placeholder, Placeholder.getDebugLoc(),
            ST.getInstrInfo()->get(AMDGPU::S_CMP_LG_U32))
        .addReg(Kept)
        .addImm(0);
}

} // namespace luthier
