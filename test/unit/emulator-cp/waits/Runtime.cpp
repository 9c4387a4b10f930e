// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for ROCr: its waits end at once and tell how they were asked for.
#include <hsa/hsa.h>

#define LUTHIER_WAIT(NAME, BIT)                                                \
  extern "C" __attribute__((visibility("default"))) hsa_signal_value_t NAME(   \
      hsa_signal_t Signal, hsa_signal_condition_t Condition,                   \
      hsa_signal_value_t Value, uint64_t Timeout, hsa_wait_state_t State) {    \
    const bool Same = Signal.handle == 1 &&                                    \
                      Condition == HSA_SIGNAL_CONDITION_LT && Value == 3 &&    \
                      Timeout == 4;                                            \
    return Same && State == HSA_WAIT_STATE_BLOCKED ? BIT : 0;                  \
  }

LUTHIER_WAIT(hsa_signal_wait_scacquire, 1)
LUTHIER_WAIT(hsa_signal_wait_relaxed, 2)
LUTHIER_WAIT(hsa_signal_wait_acquire, 4)
