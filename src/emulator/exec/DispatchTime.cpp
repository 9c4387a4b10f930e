// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/DispatchTime.h"
#include "emulator/exec/LaunchPlan.h"
#include <algorithm>

namespace luthier::emulator {

void DispatchTime::add(const WaveTime &T) {
  for (unsigned N = 0; N != NumUnits; ++N)
    Busy[N] += T.Busy[N];
  Duration += T.Cycles;
  Longest = std::max(Longest, T.Cycles);
  ++Waves;
}

void DispatchTime::add(const DispatchTime &T) {
  for (unsigned N = 0; N != NumUnits; ++N)
    Busy[N] += T.Busy[N];
  Duration += T.Duration;
  Longest = std::max(Longest, T.Longest);
  Waves += T.Waves;
}

uint64_t DispatchTime::cycles(const LaunchPlan &Plan) const {
  const uint64_t Simds = Plan.T->SimdsPerUnit;
  uint64_t Result = Longest;
  for (Unit Each : {Unit::Vector, Unit::Scalar, Unit::Branch})
    Result = std::max(Result, Busy[unsigned(Each)] / Simds);
  for (Unit Each : {Unit::Memory, Unit::Lds})
    Result = std::max(Result, Busy[unsigned(Each)]);
  const uint64_t Places =
      std::max(1u, Plan.WorkgroupsPerUnit * Plan.WavesPerWorkgroup);
  return std::max(Result, Duration / Places);
}

} // namespace luthier::emulator
