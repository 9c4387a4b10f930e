// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/RegisterLimits.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {
namespace {

/// Registers per lane with which the largest workgroup still launches.
unsigned launchCap(const KernelInfo &Kernel, const RegisterFileTraits &Traits) {
  const bool IsWave32 = Kernel.Descriptor.usesWave32();
  // The table counts for waves of 32 lanes where there are such.
  const unsigned Divisor = Traits.WaveSize == 32 && !IsWave32 ? 2 : 1;
  const unsigned WaveSize = IsWave32 ? 32 : 64;
  unsigned Waves = divideCeil(Kernel.Metadata.MaxFlatWorkgroupSize, WaveSize);
  unsigned PerSIMD =
      std::max(1u, unsigned(divideCeil(Waves, Traits.SIMDsPerCU)));
  unsigned Cap = alignDown(Traits.VGPRsPerLane / Divisor / PerSIMD,
                           Traits.VGPRGranule / Divisor);
  return std::max(Cap, Kernel.Descriptor.allocatedVGPRs(Traits));
}

/// The most vector registers in all with which as many waves fit as before.
unsigned occupancyCap(const KernelInfo &Kernel,
                      const RegisterFileTraits &Traits, unsigned Cap) {
  const unsigned Waves = Kernel.Descriptor.wavesPerSIMD(Traits);
  const unsigned Least = Kernel.Descriptor.allocatedVGPRs(Traits);
  for (unsigned Total = Cap; Total > Least; --Total) {
    KernelDescriptor D = Kernel.Descriptor;
    // As if there were no AGPRs: only the sum counts.
    RegisterFileTraits Plain = Traits;
    Plain.UnifiedAGPRs = false;
    Plain.AddressableVGPRs = std::max(Total, Traits.AddressableVGPRs);
    D.setVGPRs(Total, 0, Plain);
    if (D.wavesPerSIMD(Traits) >= Waves)
      return Total;
  }
  return Least;
}

unsigned scalarLimit(const KernelInfo &Kernel, const RegisterFileTraits &Traits,
                     RegisterPolicy Policy) {
  if (Policy == RegisterPolicy::Grow || Traits.hasFixedSGPRs())
    return Traits.AddressableSGPRs;
  const unsigned Own = Kernel.Descriptor.allocatedSGPRs(Traits);
  unsigned Limit = Own - std::min(Own, Traits.ExtraSGPRs);
  if (Policy == RegisterPolicy::KeepOccupancy) {
    const unsigned Waves = Kernel.Descriptor.wavesPerSIMD(Traits);
    for (unsigned N = Traits.AddressableSGPRs; N > Limit; --N) {
      KernelDescriptor D = Kernel.Descriptor;
      D.setSGPRs(N, Traits);
      if (D.wavesPerSIMD(Traits) >= Waves)
        Limit = N;
    }
  }
  return std::min(Limit, Traits.AddressableSGPRs);
}

} // namespace

RegisterLimits registerLimits(const KernelInfo &Kernel, unsigned AGPRs,
                              const RegisterFileTraits &Traits,
                              RegisterPolicy Policy) {
  RegisterLimits Limits;
  Limits.SGPRs = scalarLimit(Kernel, Traits, Policy);
  unsigned Total = launchCap(Kernel, Traits);
  if (Policy == RegisterPolicy::KeepOccupancy)
    Total = occupancyCap(Kernel, Traits, Total);
  else if (Policy == RegisterPolicy::NoGrow)
    Total = Kernel.Descriptor.allocatedVGPRs(Traits);
  Limits.VectorTotal = Total;
  Limits.VGPRs = Total;
  if (Traits.UnifiedAGPRs)
    Limits.VGPRs = alignDown(Total - std::min(Total, AGPRs), 4);
  Limits.VGPRs = std::min(Limits.VGPRs, Traits.AddressableVGPRs);
  return Limits;
}

} // namespace luthier
