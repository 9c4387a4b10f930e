// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/RegisterLimits.h"
#include "analysis/Occupancy.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

RegisterLimits registerLimits(const KernelInfo &Kernel, unsigned AGPRs,
                              const RegisterFileTraits &Traits,
                              RegisterPolicy Policy) {
  const KernelDescriptor &D = Kernel.Descriptor;
  WaveResources Resources;
  Resources.IsWave32 = D.usesWave32();
  Resources.WorkgroupSize = Kernel.Metadata.MaxFlatWorkgroupSize;
  const RegisterBudget Budget(Resources, Traits);
  const unsigned OwnVectors = D.allocatedVGPRs(Traits);
  const unsigned OwnScalars = D.allocatedSGPRs(Traits);
  unsigned Total = OwnVectors;
  RegisterLimits Limits;
  Limits.SGPRs = OwnScalars - std::min(OwnScalars, Traits.ExtraSGPRs);
  if (Policy != RegisterPolicy::NoGrow) {
    unsigned Waves = Budget.wavesOfWorkgroup();
    if (Policy == RegisterPolicy::KeepOccupancy)
      Waves = std::max(Waves, D.wavesPerSIMD(Traits));
    Total = std::max(Total, Budget.vectorsAt(Waves));
  }
  if (Policy == RegisterPolicy::Grow || Traits.hasFixedSGPRs())
    Limits.SGPRs = Traits.AddressableSGPRs;
  else if (Policy == RegisterPolicy::KeepOccupancy)
    Limits.SGPRs =
        std::max(Limits.SGPRs, Budget.sgprsAt(D.wavesPerSIMD(Traits)));
  Limits.SGPRs = std::min(Limits.SGPRs, Traits.AddressableSGPRs);
  Limits.VectorTotal = Total;
  Limits.VGPRs = Total;
  if (Traits.UnifiedAGPRs)
    Limits.VGPRs = alignDown(Total - std::min(Total, AGPRs), 4);
  Limits.VGPRs = std::min(Limits.VGPRs, Traits.AddressableVGPRs);
  return Limits;
}

} // namespace luthier
