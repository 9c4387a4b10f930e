// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before each program that Clang 22 compiles against the
// distribution's HIP 5.2: what those headers expect of the compiler that came
// with them, and of targets that came after them.
#ifndef LUTHIER_TEST_HIP_ON_EMULATOR_OLDERHIP_H
#define LUTHIER_TEST_HIP_ON_EMULATOR_OLDERHIP_H

// Clang no longer says how wide waves are; the host's value is HIP's default.
#if (defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)) &&        \
    !defined(LUTHIER_WAVE64)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif

#include <hip/hip_runtime.h>

#if defined(__HIP_DEVICE_COMPILE__)

// rocPRIM asks for names of processors to know that rows of lanes cannot
// be broadcast; later ones are alike.
#if (defined(__GFX11__) || defined(__GFX12__)) && !defined(__gfx1030__)
#define __gfx1030__ 1
#endif
// Its accesses in inline assembly have modifiers that became others.
#if defined(__GFX12__) || defined(__gfx942__) || defined(__gfx950__)
#define ROCPRIM_THREAD_LOAD_USE_CACHE_MODIFIERS 0
#define ROCPRIM_THREAD_STORE_USE_CACHE_MODIFIERS 0
#endif

// Clang no longer links the library that has this.
extern "C" __device__ inline __attribute__((used)) void
__atomic_work_item_fence(__cl_mem_fence_flags, __memory_order Order,
                         __memory_scope Scope) {
  // The fence's arguments are constants.
#define LUTHIER_FENCE(Scope)                                                   \
  switch (Order) {                                                             \
  case __memory_order_relaxed:                                                 \
    return;                                                                    \
  case __memory_order_acquire:                                                 \
    return __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, Scope);                    \
  case __memory_order_release:                                                 \
    return __builtin_amdgcn_fence(__ATOMIC_RELEASE, Scope);                    \
  case __memory_order_acq_rel:                                                 \
    return __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, Scope);                    \
  case __memory_order_seq_cst:                                                 \
    return __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, Scope);                    \
  }
  switch (Scope) {
  case __memory_scope_work_item:
    return;
  case __memory_scope_sub_group:
    LUTHIER_FENCE("wavefront");
    return;
  case __memory_scope_work_group:
    LUTHIER_FENCE("workgroup");
    return;
  case __memory_scope_device:
    LUTHIER_FENCE("agent");
    return;
  case __memory_scope_all_svm_devices:
    LUTHIER_FENCE("");
    return;
  }
#undef LUTHIER_FENCE
}
#endif

// Names of LLVM's intrinsics, which are no functions any more.
typedef _Float16 LuthierHalf2 __attribute__((ext_vector_type(2)));
__device__ inline _Float16 __llvm_amdgcn_rcp_f16(_Float16 X) {
  return _Float16(__builtin_amdgcn_rcph(X));
}
__device__ inline LuthierHalf2 __llvm_amdgcn_rcp_2f16(LuthierHalf2 X) {
  return LuthierHalf2{__llvm_amdgcn_rcp_f16(X.x), __llvm_amdgcn_rcp_f16(X.y)};
}

#endif // LUTHIER_TEST_HIP_ON_EMULATOR_OLDERHIP_H
