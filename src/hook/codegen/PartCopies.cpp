// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/PartCopies.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace luthier {
namespace {

class PartCopies : public MachineFunctionPass {
public:
  static char ID;
  PartCopies() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Luthier part copies"; }
  bool runOnMachineFunction(MachineFunction &MF) override;
};
char PartCopies::ID = 0;

/// \p MO is part of a wider value.
bool isPartOfTuple(const MachineOperand &MO, const MachineRegisterInfo &MRI) {
  for (const MachineOperand *Part = &MO;;) {
    if (Part->getSubReg())
      return true;
    const MachineInstr *Def = Part->getReg().isVirtual()
                                  ? MRI.getUniqueVRegDef(Part->getReg())
                                  : nullptr;
    if (!Def || !Def->isCopy())
      return false;
    Part = &Def->getOperand(1);
  }
}

/// LLVM computes a value that is copied to a reserved register in that register
/// if nothing else uses it. Of a part of a wider value, that is the tuple
/// around the register: what the others hold, for the application or written by
/// the hook before, would be lost. It only does so with copies, so
///   $sgpr11 = COPY %5.sub1
/// becomes
///   $sgpr11 = S_MOV_B32 %5.sub1
void keepFromNeighbours(MachineInstr &MI, const SIInstrInfo &TII,
                        const MachineRegisterInfo &MRI) {
  if (!MI.isCopy() || !MI.getOperand(0).getReg().isPhysical() ||
      !MI.getOperand(1).getReg().isVirtual() ||
      !isPartOfTuple(MI.getOperand(1), MRI))
    return;
  const SIRegisterInfo &TRI = TII.getRegisterInfo();
  const Register To = MI.getOperand(0).getReg();
  const bool IsVector = SIRegisterInfo::hasVectorRegisters(
      MRI.getRegClass(MI.getOperand(1).getReg()));
  if (TRI.getRegClass(AMDGPU::SGPR_32RegClassID)->contains(To) && !IsVector) {
    MI.setDesc(TII.get(AMDGPU::S_MOV_B32));
  } else if (TRI.getRegClass(AMDGPU::VGPR_32RegClassID)->contains(To)) {
    MI.setDesc(TII.get(AMDGPU::V_MOV_B32_e32));
    MI.addImplicitDefUseOperands(*MI.getMF());
  }
}

bool PartCopies::runOnMachineFunction(MachineFunction &MF) {
  const auto &TII = *MF.getSubtarget<GCNSubtarget>().getInstrInfo();
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      keepFromNeighbours(MI, TII, MF.getRegInfo());
  return true;
}

} // namespace

Pass *createPartCopyPass(PassContext &) { return new PartCopies; }

} // namespace luthier
