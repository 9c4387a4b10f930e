// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other unit of Rows.hip.
#include <hip/hip_runtime.h>

__device__ unsigned weightOf(unsigned Value) {
  if (Value % 10)
    return Value;
  return 77;
}
