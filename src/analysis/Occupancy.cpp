// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Occupancy.h"
#include "codeobject/WaveCapacity.h"
#include "lift/LiftedImpl.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {
namespace {

/// AGPRs that share the file begin at a multiple of this.
constexpr unsigned AccumGranule = 4;

unsigned vectorRegisters(const RegisterUse &Use,
                         const RegisterFileTraits &Traits) {
  if (!Traits.UnifiedAGPRs)
    return std::max({Use.VGPRs, Use.AGPRs, 1u});
  return std::max(1u, Use.AGPRs ? unsigned(alignTo(Use.VGPRs, AccumGranule)) +
                                      Use.AGPRs
                                : Use.VGPRs);
}

unsigned wavesByVGPRs(const WaveResources &R,
                      const RegisterFileTraits &Traits) {
  return wavesByVectors(vectorRegisters(R.Registers, Traits), R.IsWave32,
                        Traits);
}

unsigned wavesBySGPRs(const WaveResources &R,
                      const RegisterFileTraits &Traits) {
  return wavesByScalars(R.Registers.SGPRs + Traits.ExtraSGPRs, Traits);
}

unsigned wavesOfGroup(const WaveResources &R,
                      const RegisterFileTraits &Traits) {
  return luthier::wavesOfWorkgroup(R.WorkgroupSize, R.IsWave32, Traits);
}

unsigned wavesByLDS(const WaveResources &R, const RegisterFileTraits &Traits) {
  if (!R.GroupSegment)
    return Traits.WavesPerSIMD;
  const uint64_t Groups = workgroupsByLDS(R.GroupSegment, Traits);
  return divideCeil(Groups * wavesOfGroup(R, Traits), Traits.SIMDsPerCU);
}

} // namespace

Occupancy occupancyOf(const WaveResources &R,
                      const RegisterFileTraits &Traits) {
  Occupancy Result{Traits.WavesPerSIMD, Occupancy::Waves};
  auto limit = [&](unsigned Waves, Occupancy::LimitType By) {
    if (Waves < Result.WavesPerSIMD)
      Result = {Waves, By};
  };
  limit(wavesByVGPRs(R, Traits), Occupancy::VGPRs);
  limit(wavesBySGPRs(R, Traits), Occupancy::SGPRs);
  limit(wavesByLDS(R, Traits), Occupancy::LDS);
  return Result;
}

WaveResources resourcesOf(const LiftedRepresentation &LR) {
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const RegisterFileTraits &Traits =
      *registerFileTraits(LR.impl().Object->target().Processor);
  WaveResources Result;
  Result.Registers = registerAllocation(LR);
  // What the descriptor allocates includes the special registers.
  if (!Traits.hasFixedSGPRs())
    Result.Registers.SGPRs =
        Kernel.Descriptor.allocatedSGPRs(Traits) - Traits.ExtraSGPRs;
  Result.IsWave32 = Kernel.Descriptor.usesWave32();
  Result.WorkgroupSize = Kernel.Metadata.MaxFlatWorkgroupSize;
  Result.GroupSegment = Kernel.Descriptor.raw().group_segment_fixed_size;
  return Result;
}

Occupancy occupancyOf(const LiftedRepresentation &LR) {
  return occupancyOf(resourcesOf(LR),
                     *registerFileTraits(LR.impl().Object->target().Processor));
}

unsigned RegisterBudget::vectorsAt(unsigned WavesPerSIMD) const {
  const unsigned Divisor = vectorDivisor(Resources.IsWave32, Traits);
  return alignDown(Traits.VGPRsPerLane / Divisor / std::max(WavesPerSIMD, 1u),
                   Traits.VGPRGranule / Divisor);
}

unsigned RegisterBudget::vgprsAt(unsigned WavesPerSIMD) const {
  WaveResources R = Resources;
  unsigned Best = 0;
  for (R.Registers.VGPRs = 1; R.Registers.VGPRs <= Traits.AddressableVGPRs;
       ++R.Registers.VGPRs)
    if (wavesByVGPRs(R, Traits) >= WavesPerSIMD)
      Best = R.Registers.VGPRs;
  return Best;
}

unsigned RegisterBudget::sgprsAt(unsigned WavesPerSIMD) const {
  WaveResources R = Resources;
  unsigned Best = 0;
  for (R.Registers.SGPRs = 1; R.Registers.SGPRs <= Traits.AddressableSGPRs;
       ++R.Registers.SGPRs)
    if (wavesBySGPRs(R, Traits) >= WavesPerSIMD)
      Best = R.Registers.SGPRs;
  return Best;
}

unsigned RegisterBudget::wavesOfWorkgroup() const {
  return divideCeil(wavesOfGroup(Resources, Traits), Traits.SIMDsPerCU);
}

void printRegisters(const LiftedRepresentation &LR, raw_ostream &OS) {
  const RegisterFileTraits &Traits =
      *registerFileTraits(LR.impl().Object->target().Processor);
  static const char *Limits[] = {"their number", "VGPRs", "SGPRs", "LDS"};
  const RegisterUse Use = registerUse(LR), All = registerAllocation(LR);
  OS << "SGPRs: " << Use.SGPRs << " in use of " << All.SGPRs << " allocated\n"
     << "VGPRs: " << Use.VGPRs << " in use of " << All.VGPRs << " allocated\n"
     << "AGPRs: " << Use.AGPRs << " in use of " << All.AGPRs << " allocated\n";
  const WaveResources Resources = resourcesOf(LR);
  const Occupancy Now = occupancyOf(Resources, Traits);
  OS << "waves per SIMD: " << Now.WavesPerSIMD << " of " << Traits.WavesPerSIMD
     << ", limited by " << Limits[Now.Limit] << '\n';
  const RegisterBudget Budget(Resources, Traits);
  OS << "without fewer waves: " << Budget.sgprsAt(Now.WavesPerSIMD)
     << " SGPRs, " << Budget.vgprsAt(Now.WavesPerSIMD) << " VGPRs\n"
     << "for workgroups of " << Resources.WorkgroupSize << ": "
     << Budget.vgprsAt(Budget.wavesOfWorkgroup()) << " VGPRs\n";
}

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
