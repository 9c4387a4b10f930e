// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/resolve/KernelCheck.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "codeobject/LaunchLayout.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace luthier {

Error checkKernel(const LiftedRepresentation &LR) {
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const TargetID &ID = LR.impl().Object->target();
  if (!targetTraits(ID.Processor))
    return refuse(RefusalReason::UnsupportedTarget, ID.str());
  if (!hasPossibleUserSGPRs(Kernel.Descriptor, LR.impl().preloadsArguments()))
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

} // namespace luthier
