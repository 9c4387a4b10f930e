// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other unit of Rows.hip.
#include <hip/hip_runtime.h>

static __device__ __attribute__((noinline)) unsigned bounded(unsigned Value) {
  while (Value > 700)
    --Value;
  return Value;
}

__device__ unsigned weightOf(unsigned Value) {
  if (Value % 10)
    return bounded(Value);
  return 77;
}
