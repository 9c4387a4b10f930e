// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a dispatch, from that of its waves.
#ifndef LUTHIER_EMULATOR_EXEC_DISPATCHTIME_H
#define LUTHIER_EMULATOR_EXEC_DISPATCHTIME_H

#include "emulator/core/Timing.h"
#include <cstdint>

namespace luthier::emulator {

struct LaunchPlan;

/// Sums over the waves of a dispatch.
struct DispatchTime {
  uint64_t Busy[NumUnits] = {};
  uint64_t Duration = 0;
  uint64_t Longest = 0;
  uint64_t Waves = 0;

  void add(const WaveTime &T);
  void add(const DispatchTime &T);
  /// On one compute unit, which holds as many waves as registers, LDS and
  /// barriers allow: whichever is longest of what its units are busy with, of
  /// the waves' own durations spread over the places for them, and of the
  /// slowest wave.
  uint64_t cycles(const LaunchPlan &Plan) const;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_DISPATCHTIME_H
