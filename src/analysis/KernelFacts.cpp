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

static bool writesFlatScratch(const MachineInstr &MI, unsigned Half) {
  using namespace AMDGPU::Hwreg;
  constexpr int64_t IdMask = 0x3f;
  switch (MI.getOpcode()) {
  case AMDGPU::S_SETREG_B32:
  case AMDGPU::S_SETREG_IMM32_B32:
    return (MI.getOperand(1).getImm() & IdMask) ==
           (Half ? ID_FLAT_SCR_HI : ID_FLAT_SCR_LO);
  default:
    return any_of(MI.all_defs(), [&](const MachineOperand &MO) {
      const RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
      return Units.First <= RegisterSet::FlatScratchLo + Half &&
             Units.First + Units.Count > RegisterSet::FlatScratchLo + Half;
    });
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
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB)
        for (unsigned Half : {0, 1}) {
          if (!writesFlatScratch(MI, Half))
            continue;
          if (!AsksForInit || &MBB != &Entry || IsWritten[Half])
            return true;
          IsWritten[Half] = true;
        }
  return false;
}

/// What \p MI does to a pair of special registers.
struct PairUse {
  bool IsRead = false, IsWritten = false;
  bool any() const { return IsRead || IsWritten; }
};

static PairUse useOf(RegisterSet::Special Low, MCRegister Whole,
                     const MachineInstr &MI) {
  PairUse Result;
  for (const MachineOperand &MO : MI.operands()) {
    Result.IsWritten |= MO.isRegMask() && MO.clobbersPhysReg(Whole);
    if (!MO.isReg() || !MO.getReg())
      continue;
    const RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
    if (Units.First > Low + 1 || Units.First + Units.Count <= Low)
      continue;
    (MO.isDef() ? Result.IsWritten : Result.IsRead) = true;
  }
  return Result;
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
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB) {
        Result.Permutes |=
            MatterPermutations && amdgpu::opcodeFacts(MI).has(amdgpu::Permutes);
        Result.ReadsLate |= SIInstrInfo::isEXP(MI) ||
                            (SIInstrInfo::isDS(MI) &&
                             !countedOperation(MI, Traits.Waits).IsInOrder);
        Result.DividesByVCC |= MI.getOpcode() == AMDGPU::V_DIV_FMAS_F32_e64 ||
                               MI.getOpcode() == AMDGPU::V_DIV_FMAS_F64_e64;
        const PairUse VCC = useOf(RegisterSet::VCCLo, AMDGPU::VCC, MI);
        Result.HasVCC |= VCC.any();
        Result.HasFlatScratch |=
            useOf(RegisterSet::FlatScratchLo, AMDGPU::FLAT_SCR, MI).any();
        Result.LoadsVCC |= VCC.IsWritten &&
                           !countedOperation(MI, Traits.Waits).Counters.empty();
      }
  return Result;
}

} // namespace luthier
