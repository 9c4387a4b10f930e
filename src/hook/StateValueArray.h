// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of the state value array: a VGPR each of whose lanes holds one
// value of the wave.
#ifndef LUTHIER_HOOK_STATEVALUEARRAY_H
#define LUTHIER_HOOK_STATEVALUEARRAY_H

#include <cstdint>

namespace luthier {

/// Rows of StateValueArray.def; their order numbers bits in sets of state
/// values.
enum class StateValue : uint8_t {
#define LUTHIER_STATE_VALUE(Name, First, Count, Meaning) Name,
#include "hook/StateValueArray.def"
};

struct LaneRange {
  unsigned First, Count;
};

constexpr LaneRange lanesOf(StateValue Value) {
  constexpr LaneRange Table[] = {
#define LUTHIER_STATE_VALUE(Name, First, Count, Meaning) {First, Count},
#include "hook/StateValueArray.def"
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

/// Likewise, in a VGPR that has nothing but counters.
constexpr unsigned countersPerVGPR(unsigned WaveSize) { return WaveSize / 2; }

} // namespace luthier

#endif // LUTHIER_HOOK_STATEVALUEARRAY_H
