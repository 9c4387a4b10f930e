// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of the state register, a VGPR each of whose lanes holds one value
// of the wave.
#ifndef LUTHIER_HOOK_STATELANES_H
#define LUTHIER_HOOK_STATELANES_H

#include <cstdint>

namespace luthier {

/// Rows of StateLanes.def; their order numbers bits in sets of state values.
enum class StateValue : uint8_t {
#define LUTHIER_STATE_LANES(Name, First, Count, Meaning) Name,
#include "hook/StateLanes.def"
};

struct StateLanes {
  unsigned First, Count;
};

constexpr StateLanes lanesOf(StateValue Value) {
  constexpr StateLanes Table[] = {
#define LUTHIER_STATE_LANES(Name, First, Count, Meaning) {First, Count},
#include "hook/StateLanes.def"
  };
  return Table[unsigned(Value)];
}

/// Its bit in Payload::StateValues and HookNeeds::StateValues.
constexpr uint64_t stateBit(StateValue Value) {
  return uint64_t(1) << unsigned(Value);
}

/// Wave-private 64-bit counters there is room for.
constexpr unsigned accumulatorCount(unsigned WaveSize) {
  return (lanesOf(StateValue::Accumulators).Count +
          (WaveSize == 64 ? lanesOf(StateValue::MoreAccumulators).Count : 0)) /
         2;
}

} // namespace luthier

#endif // LUTHIER_HOOK_STATELANES_H
