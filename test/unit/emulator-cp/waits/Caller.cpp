// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for HIP: waits without pause, in each of the ways that there are.
#include <hsa/hsa.h>
#include <initializer_list>

extern "C" __attribute__((visibility("default"))) int waitInAllWays() {
  long Sum = 0;
  for (auto *Wait : {hsa_signal_wait_scacquire, hsa_signal_wait_relaxed,
                     hsa_signal_wait_acquire})
    Sum += Wait({1}, HSA_SIGNAL_CONDITION_LT, 3, 4, HSA_WAIT_STATE_ACTIVE);
  return int(Sum);
}

/// Seems to be its caller's.
extern "C" __attribute__((visibility("default"))) hsa_signal_value_t
waitLast(hsa_signal_t Signal, hsa_signal_condition_t Condition,
         hsa_signal_value_t Value, uint64_t Timeout, hsa_wait_state_t State) {
  [[clang::musttail]] return hsa_signal_wait_scacquire(Signal, Condition, Value,
                                                       Timeout, State);
}
