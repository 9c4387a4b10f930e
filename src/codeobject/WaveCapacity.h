// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much fits on a compute unit at a time: the only place that computes it.
#ifndef LUTHIER_CODEOBJECT_WAVECAPACITY_H
#define LUTHIER_CODEOBJECT_WAVECAPACITY_H

#include "amdgpu/TargetTraits.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>

namespace luthier {

/// Counts and granules of vector registers are those of waves of the default
/// size; twice as wide ones take two.
inline unsigned vectorDivisor(bool IsWave32, const RegisterFileTraits &Traits) {
  return Traits.hasTwoWaveSizes() && !IsWave32 ? 2 : 1;
}

/// Waves with \p Registers vector registers that a SIMD's file holds.
inline unsigned wavesByVectors(unsigned Registers, bool IsWave32,
                               const RegisterFileTraits &Traits) {
  const unsigned Divisor = vectorDivisor(IsWave32, Traits);
  return Traits.VGPRsPerLane / Divisor /
         llvm::alignTo(std::max(Registers, 1u), Traits.VGPRGranule / Divisor);
}

/// Likewise of scalar ones, VCC and its like included.
inline unsigned wavesByScalars(unsigned Registers,
                               const RegisterFileTraits &Traits) {
  if (Traits.hasFixedSGPRs())
    return Traits.WavesPerSIMD;
  return Traits.SGPRsPerSIMD / llvm::alignTo(Registers, Traits.SGPRGranule);
}

inline unsigned wavesOfWorkgroup(uint64_t WorkItems, bool IsWave32,
                                 const RegisterFileTraits &Traits) {
  return llvm::divideCeil(std::max<uint64_t>(WorkItems, 1),
                          Traits.WaveSize * vectorDivisor(IsWave32, Traits));
}

/// Workgroups of \p Bytes of LDS, not zero, that a compute unit has room for.
inline uint64_t workgroupsByLDS(uint64_t Bytes,
                                const RegisterFileTraits &Traits) {
  return Traits.LDSBytes /
         std::max<uint64_t>(llvm::alignTo(Bytes, Traits.LDSGranule), 1);
}

/// Workgroups whose waves it holds, with \p WavesPerSIMD on each SIMD.
inline uint64_t workgroupsByWaves(unsigned WavesPerSIMD, uint64_t WorkItems,
                                  bool IsWave32,
                                  const RegisterFileTraits &Traits) {
  return uint64_t(WavesPerSIMD) * Traits.SIMDsPerCU /
         wavesOfWorkgroup(WorkItems, IsWave32, Traits);
}

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_WAVECAPACITY_H
