// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clocks that device code reads.
#ifndef LUTHIER_EMULATOR_ISA_CLOCK_H
#define LUTHIER_EMULATOR_ISA_CLOCK_H

#include "emulator/core/Wave.h"
#include "emulator/isa/Simd.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// Cycles of the timing model, so that runs repeat exactly.
inline uint64_t shaderClock(const Wave &W) {
  return W.Thread->Clock + W.Time.Cycles;
}

/// The constant 100 MHz counter. It starts a dispatch at the host's value, and
/// goes on with the modelled cycles.
inline uint64_t realTime(const Wave &W) {
  const ThreadContext &Thread = *W.Thread;
  return Thread.StartRealTime +
         (shaderClock(W) - Thread.StartClock) / CyclesPerRealTimeTick;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_CLOCK_H
