// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clocks that device code reads.
#ifndef LUTHIER_EMULATOR_ISA_CLOCK_H
#define LUTHIER_EMULATOR_ISA_CLOCK_H

#include "emulator/exec/Wave.h"
#include "emulator/isa/Simd.h"
#include <ctime>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// Advances with executed instructions, so that runs repeat exactly.
inline uint64_t shaderClock(const Wave &W) {
  constexpr uint64_t CyclesPerInstruction = 4;
  return (W.Thread->Clock + W.WaveInstructions) * CyclesPerInstruction;
}

/// The constant 100 MHz counter, the one the host sees too.
inline uint64_t realTime() {
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC, &Now);
  constexpr uint64_t TicksPerSecond = 100'000'000;
  constexpr uint64_t NanosecondsPerTick = 1'000'000'000 / TicksPerSecond;
  return uint64_t(Now.tv_sec) * TicksPerSecond +
         uint64_t(Now.tv_nsec) / NanosecondsPerTick;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_CLOCK_H
