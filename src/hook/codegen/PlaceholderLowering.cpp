// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/codegen/PlaceholderLowering.h"
#include "GCNSubtarget.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "SIInstrInfo.h"
#include "hook/codegen/PlaceholderOperands.h"
#include "hook/ir/Placeholders.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace luthier {

namespace {

class PlaceholderLowering : public MachineFunctionPass {
public:
  static char ID;
  explicit PlaceholderLowering(const PayloadABI &ABI)
      : MachineFunctionPass(ID), ABI(ABI) {}
  StringRef getPassName() const override {
    return "Luthier placeholder lowering";
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  bool lower(MachineInstr &MI, StringRef Text);
  std::pair<MCRegister, unsigned> lanePlace(int64_t Number) const;
  MCRegister vgprPair(unsigned First) const;

  const PayloadABI &ABI;
  const SIInstrInfo *TII = nullptr;
};
char PlaceholderLowering::ID = 0;

/// See readLane().
std::pair<MCRegister, unsigned>
PlaceholderLowering::lanePlace(int64_t Number) const {
  const unsigned Lane = Number % LanesOfRegister,
                 Register = Number / LanesOfRegister;
  return {Register
              ? MCRegister(AMDGPU::VGPR0 + ABI.FirstCounterVGPR + Register - 1)
              : ABI.State,
          Lane};
}

MCRegister PlaceholderLowering::vgprPair(unsigned First) const {
  const MCRegisterInfo &MRI = TII->getRegisterInfo();
  const MCRegister Low = AMDGPU::VGPR0 + First;
  for (MCPhysReg Wide : MRI.superregs(Low))
    if (MRI.getSubReg(Wide, AMDGPU::sub0) == Low &&
        MRI.getSubReg(Wide, AMDGPU::sub1) == Low + 1 &&
        !MRI.getSubReg(Wide, AMDGPU::sub2))
      return Wide;
  llvm_unreachable("no pair begins there");
}

bool PlaceholderLowering::lower(MachineInstr &MI, StringRef Text) {
  MachineBasicBlock &MBB = *MI.getParent();
  const DebugLoc &DL = MI.getDebugLoc();
  const PlaceholderOperands Operands = placeholderOperands(MI);
  if (Text == ReadLanePlaceholder) {
    const auto [From, Lane] = lanePlace(Operands.Imm);
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::V_READLANE_B32), Operands.Reg)
        .addReg(From)
        .addImm(Lane);
  } else if (Text == WriteLanePlaceholder) {
    const auto [To, Lane] = lanePlace(Operands.Imm);
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::V_WRITELANE_B32), To)
        .addReg(Operands.Reg)
        .addImm(Lane)
        .addReg(To);
  } else if (Text == LaneCountPlaceholder) {
    const MCRegister Counter = vgprPair(Operands.Imm);
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::V_MAD_U64_U32_e64), Counter)
        .addReg(Operands.Reg, RegState::Define | RegState::Dead)
        .addImm(1)
        .addImm(1)
        .addReg(Counter)
        .addImm(0);
  } else if (Text == LaneCounterPlaceholder) {
    // Nobody writes it in the meantime.
    MBB.getParent()->getRegInfo().replaceRegWith(
        Operands.Reg, AMDGPU::VGPR0 + unsigned(Operands.Imm));
  } else if (Text == WorkItemIdsPlaceholder) {
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::V_MOV_B32_e32), Operands.Reg)
        .addReg(ABI.WorkItemIds);
  } else if (Text == FirstWorkItemPlaceholder) {
    // A copy would lack lanes that are not active here.
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::V_READLANE_B32), Operands.Reg)
        .addReg(ABI.WorkItemIds)
        .addImm(0);
  } else if (Text == ReadAperturePlaceholder) {
    BuildMI(MBB, MI, DL, TII->get(AMDGPU::S_MOV_B64), Operands.Reg)
        .addReg(unsigned(Operands.Imm));
  } else {
    return false;
  }
  return true;
}

bool PlaceholderLowering::runOnMachineFunction(MachineFunction &MF) {
  TII = MF.getSubtarget<GCNSubtarget>().getInstrInfo();
  bool Changed = false;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : make_early_inc_range(MBB))
      if (MI.getOpcode() == AMDGPU::INLINEASM &&
          lower(MI, MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName())) {
        MI.eraseFromParent();
        Changed = true;
      }
  return Changed;
}

} // namespace

Pass *createPlaceholderPass(PassContext &C) {
  return new PlaceholderLowering(C.ABI);
}

} // namespace luthier
