// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/KernelFacts.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIDefines.h"
#include "SIInstrInfo.h"
#include "amdgpu/OpcodeFacts.h"
#include "analysis/RegisterSet.h"
#include "analysis/WaitCounters.h"
#include "codeobject/LaunchLayout.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

static bool writesFlatScratch(const MachineInstr &MI, unsigned Half,
                              const TargetRegisterInfo &TRI) {
  using namespace AMDGPU::Hwreg;
  constexpr int64_t IdMask = 0x3f;
  switch (MI.getOpcode()) {
  case AMDGPU::S_SETREG_B32:
  case AMDGPU::S_SETREG_IMM32_B32:
    return (MI.getOperand(1).getImm() & IdMask) ==
           (Half ? ID_FLAT_SCR_HI : ID_FLAT_SCR_LO);
  default:
    return MI.modifiesRegister(Half ? AMDGPU::FLAT_SCR_HI : AMDGPU::FLAT_SCR_LO,
                               &TRI);
  }
}

/// Launches that set FLAT_SCRATCH up leave no code a way to write it. Otherwise
/// a kernel does, from what the launch gives it if it asks for that, at its
/// entry and once; all other writes are for some use of its own.
static bool ownsFlatScratch(const LiftedRepresentation &LR) {
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const LaunchTraits *Traits =
      launchTraits(LR.impl().Object->target().Processor);
  if (!Traits || Traits->Scratch == ScratchSetup::Architected)
    return false;
  const bool AsksForInit =
      isEnabled(Kernel.Descriptor, LaunchValue::FlatScratchInit, *Traits);
  const MachineBasicBlock &Entry = LR.functions().front().second->front();
  bool IsWritten[2] = {};
  for (const auto &[Symbol, MF] : LR.functions()) {
    const TargetRegisterInfo &TRI = *MF->getSubtarget().getRegisterInfo();
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB)
        for (unsigned Half : {0, 1}) {
          if (!writesFlatScratch(MI, Half, TRI))
            continue;
          if (!AsksForInit || &MBB != &Entry || IsWritten[Half])
            return true;
          IsWritten[Half] = true;
        }
  }
  return false;
}

/// Most instructions name none, so that it need not be asked which.
static bool namesVCCOrFlatScratch(const MachineInstr &MI) {
  return any_of(MI.operands(), [](const MachineOperand &MO) {
    if (!MO.isReg() || !MO.getReg())
      return MO.isRegMask();
    const RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
    return Units.First < RegisterSet::SpecialEnd &&
           Units.First + Units.Count > RegisterSet::VCCLo &&
           Units.First != RegisterSet::EXECLo &&
           Units.First != RegisterSet::MODE;
  });
}

bool mayRunMatrixOps(const LiftedRepresentation &LR) {
  if (LR.hasUnresolvedTransfers())
    return LR.impl().Target->subtarget().hasFeature(AMDGPU::FeatureMAIInsts);
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      if (any_of(MBB, [](const MachineInstr &MI) {
            return SIInstrInfo::isMFMA(MI);
          }))
        return true;
  return false;
}

KernelFacts kernelFacts(const LiftedRepresentation &LR) {
  KernelFacts Result;
  Result.OwnsFlatScratch = ownsFlatScratch(LR);
  Result.MatrixOps = mayRunMatrixOps(LR);
  const TargetTraits &Traits = LR.impl().Target->traits();
  // One of them may not follow a v_cmpx directly.
  const bool MatterPermutations = Traits.Hazards.HasPermuteHazard;
  Result.Permutes = LR.hasUnresolvedTransfers() && MatterPermutations;
  for (const auto &[Symbol, MF] : LR.functions()) {
    const TargetRegisterInfo &TRI = *MF->getSubtarget().getRegisterInfo();
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB) {
        Result.Permutes |=
            MatterPermutations && amdgpu::opcodeFacts(MI).has(amdgpu::Permutes);
        Result.ReadsLate |= SIInstrInfo::isEXP(MI) ||
                            (SIInstrInfo::isDS(MI) &&
                             !countedOperation(MI, Traits.Waits).IsInOrder);
        Result.DividesByVCC |= MI.getOpcode() == AMDGPU::V_DIV_FMAS_F32_e64 ||
                               MI.getOpcode() == AMDGPU::V_DIV_FMAS_F64_e64;
        if (!namesVCCOrFlatScratch(MI))
          continue;
        Result.HasVCC |= MI.readsRegister(AMDGPU::VCC, &TRI) ||
                         MI.modifiesRegister(AMDGPU::VCC, &TRI);
        Result.HasFlatScratch |= MI.readsRegister(AMDGPU::FLAT_SCR, &TRI) ||
                                 MI.modifiesRegister(AMDGPU::FLAT_SCR, &TRI);
        Result.LoadsVCC |= MI.modifiesRegister(AMDGPU::VCC, &TRI) &&
                           !countedOperation(MI, Traits.Waits).Counters.empty();
      }
  }
  return Result;
}

} // namespace luthier
