// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For HIP programs that clang compiles with headers of ROCm 5.2: their
// __syncthreads() calls a function that newer device libraries do not have.
#if defined(__HIP__) && defined(__cplusplus)
#include <hip/hip_runtime.h>
#ifdef __HIP_DEVICE_COMPILE__
extern "C" __device__ __attribute__((weak, always_inline,
                                     no_profile_instrument_function)) void
__atomic_work_item_fence(__cl_mem_fence_flags, __memory_order, __memory_scope) {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}
#endif
#endif
