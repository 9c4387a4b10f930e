// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many waves fit on a SIMD at once, and how many registers that leaves.
#ifndef LUTHIER_ANALYSIS_OCCUPANCY_H
#define LUTHIER_ANALYSIS_OCCUPANCY_H

#include "analysis/RegisterUse.h"
#include "codeobject/CodeObject.h"

namespace luthier {

/// What a wave takes, and its workgroup.
struct WaveResources {
  RegisterUse Registers;
  bool IsWave32 = false;
  unsigned WorkgroupSize = 1; ///< Work-items.
  unsigned GroupSegment = 0;  ///< Bytes of LDS, of the whole workgroup.
};

Occupancy occupancyOf(const WaveResources &Resources,
                      const RegisterFileTraits &Traits);
/// Of the kernel as it is, in workgroups of the largest size that it allows and
/// with the LDS of its descriptor.
Occupancy occupancyOf(const LiftedRepresentation &LR);
WaveResources resourcesOf(const LiftedRepresentation &LR);

/// Limits for code that wants more registers.
class RegisterBudget {
public:
  RegisterBudget(const WaveResources &Resources,
                 const RegisterFileTraits &Traits)
      : Resources(Resources), Traits(Traits) {}

  /// Registers of the vector file: of both kinds together where they share it.
  unsigned vectorsAt(unsigned WavesPerSIMD) const;
  /// VGPRs, AGPRs staying as they are, with which \p WavesPerSIMD still fit;
  /// at most as many as can be addressed. Zero if they do not fit anyway.
  unsigned vgprsAt(unsigned WavesPerSIMD) const;
  /// Likewise of SGPRs.
  unsigned sgprsAt(unsigned WavesPerSIMD) const;
  /// Waves that each SIMD must hold for a workgroup to be launchable: all of
  /// its waves run on one compute unit at the same time.
  unsigned wavesOfWorkgroup() const;

private:
  WaveResources Resources;
  const RegisterFileTraits &Traits;
};

/// What hooks may cost the kernel.
enum class RegisterPolicy : uint8_t {
  /// Registers past the kernel's own are taken where that keeps its largest
  /// workgroup launchable.
  Grow,
  /// Only as many as leave as many waves on a SIMD as before.
  KeepOccupancy,
  /// Only what the kernel's own allocation leaves over.
  NoGrow,
};

/// How many registers an instrumented kernel may have.
struct RegisterLimits {
  unsigned SGPRs = 0;
  unsigned VGPRs = 0;
  /// With the VGPRs where both share a file.
  unsigned VectorTotal = 0;
};

/// Under \p Policy, of a kernel that uses \p AGPRs accumulation registers.
/// Every workgroup that the kernel allows stays launchable: all its waves are
/// on one compute unit at once.
RegisterLimits registerLimits(const KernelInfo &Kernel, unsigned AGPRs,
                              const RegisterFileTraits &Traits,
                              RegisterPolicy Policy);

/// "waves per SIMD: 4 of 8, limited by VGPRs" and the registers behind it.
void printRegisters(const LiftedRepresentation &LR, llvm::raw_ostream &OS);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_OCCUPANCY_H
