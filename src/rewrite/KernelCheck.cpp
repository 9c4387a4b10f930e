// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/KernelCheck.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "analysis/WaitCounters.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "rewrite/LaunchLayout.h"
#include "rewrite/SeamTraits.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

Error checkKernel(const LiftedRepresentation &LR) {
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const TargetID &ID = LR.impl().Object->target();
  if (!seamTraits(ID.Processor) || !launchTraits(ID.Processor))
    return refuse(RefusalReason::UnsupportedTarget, ID.str());
  if (!hasPossibleUserSGPRs(Kernel.Descriptor))
    return refuse(RefusalReason::MalformedCodeObject,
                  "the descriptor of " + Kernel.Name + " has " +
                      Twine(Kernel.Descriptor.userSGPRCount()) +
                      " user SGPRs, for more values or more than there are");
  // Payloads are compiled for the target that the kernel was lifted for.
  const bool IsWave64 =
      LR.impl().Target->subtarget().hasFeature(AMDGPU::FeatureWavefrontSize64);
  if (IsWave64 == Kernel.Descriptor.usesWave32())
    return refuse(RefusalReason::UnsupportedTarget,
                  ID.str() + " with waves of the other size");
  return Error::success();
}

KernelHazards hazardsOf(const LiftedRepresentation &LR) {
  KernelHazards Result;
  for (const auto &[Symbol, MF] : LR.functions()) {
    const TargetRegisterInfo &TRI = *MF->getSubtarget().getRegisterInfo();
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB) {
        Result.MatrixOps |= SIInstrInfo::isMFMA(MI);
        Result.ReadsLate |=
            SIInstrInfo::isEXP(MI) ||
            (SIInstrInfo::isDS(MI) &&
             !countedOperation(MI, waitTraits(MF->getSubtarget())).IsInOrder);
        Result.DividesByVCC |= MI.getOpcode() == AMDGPU::V_DIV_FMAS_F32_e64 ||
                               MI.getOpcode() == AMDGPU::V_DIV_FMAS_F64_e64;
        Result.LoadsVCC |=
            SIInstrInfo::isSMRD(MI) && MI.modifiesRegister(AMDGPU::VCC, &TRI);
      }
  }
  return Result;
}

} // namespace luthier
