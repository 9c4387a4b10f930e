// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/resolve/KernelCheck.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/OpcodeFacts.h"
#include "amdgpu/TargetTraits.h"
#include "analysis/Occupancy.h"
#include "codeobject/LaunchLayout.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace luthier {

/// Tools may have put registers into the code that no wave can have.
static Error checkEdits(const LiftedRepresentation &LR,
                        const RegisterUse &Named) {
  const RegisterLimits Limits =
      registerLimits(*LR.impl().Kernel, Named.AGPRs,
                     *registerFileTraits(LR.impl().Object->target().Processor),
                     RegisterPolicy::Grow);
  if (Named.SGPRs <= Limits.SGPRs && Named.VGPRs <= Limits.VGPRs &&
      Named.AGPRs <= Limits.VectorTotal)
    return Error::success();
  return refuse(RefusalReason::RegisterBudget,
                "the edited code takes " + Twine(Named.SGPRs) + " scalar, " +
                    Twine(Named.VGPRs) + " vector and " + Twine(Named.AGPRs) +
                    " accumulation registers; a workgroup can have " +
                    Twine(Limits.SGPRs) + ", " + Twine(Limits.VGPRs) + " and " +
                    Twine(Limits.VectorTotal));
}

static unsigned countExplicitOperands(const MachineInstr &MI) {
  return count_if(MI.operands(), [](const MachineOperand &MO) {
    return !MO.isReg() || !MO.isImplicit();
  });
}

/// Analyses and the encoder look at operands by their numbers.
static bool lacksOperands(const LiftedRepresentation &LR,
                          const MachineInstr &MI) {
  return countExplicitOperands(MI) < MI.getDesc().getNumOperands() &&
         (!LR.originalAddress(MI) || LR.impl().isChanged(MI));
}

Error checkKernel(const LiftedRepresentation &LR, const RegisterUse &Edited) {
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const TargetID &ID = LR.impl().Object->target();
  if (!targetTraits(ID.Processor))
    return refuse(RefusalReason::UnsupportedTarget, ID.str());
  if (!hasPossibleUserSGPRs(Kernel.Descriptor, LR.impl().preloadsArguments()))
    return refuse(RefusalReason::MalformedCodeObject,
                  "the descriptor of " + Kernel.Name + " has " +
                      Twine(Kernel.Descriptor.userSGPRCount()) +
                      " user SGPRs, for more values or more than there are");
  // Also of what a tool has put there.
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      for (const MachineInstr &MI : MBB) {
        const StringRef Name =
            MF->getSubtarget().getInstrInfo()->getName(MI.getOpcode());
        if (amdgpu::lacksFacts(MI, LR.impl().Target->opcodes()))
          return refuse(RefusalReason::UnsupportedEdit,
                        "nothing is known about " + Name);
        if (lacksOperands(LR, MI))
          return refuse(RefusalReason::UnsupportedEdit,
                        Name + " has " + Twine(countExplicitOperands(MI)) +
                            " operands instead of " +
                            Twine(MI.getDesc().getNumOperands()));
      }
  // Payloads are compiled for the target that the kernel was lifted for.
  const bool IsWave64 =
      LR.impl().Target->subtarget().hasFeature(AMDGPU::FeatureWavefrontSize64);
  if (IsWave64 == Kernel.Descriptor.usesWave32())
    return refuse(RefusalReason::UnsupportedTarget,
                  ID.str() + " with waves of the other size");
  return checkEdits(LR, Edited);
}

} // namespace luthier
