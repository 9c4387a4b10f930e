// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What headers of HIP before version 6 call and clang's own headers and
// libraries no longer define. Included before those headers.
#ifndef LUTHIER_DETAIL_OLDERHIP_H
#define LUTHIER_DETAIL_OLDERHIP_H

#if defined(__HIP__) && __has_include(<hip/hip_version.h>)
#include <hip/hip_version.h>
#if HIP_VERSION_MAJOR < 6

// Of <hip/hip_fp16.h>.
__attribute__((device)) inline _Float16 __llvm_amdgcn_rcp_f16(_Float16 X) {
  return __builtin_amdgcn_rcph(X);
}
typedef _Float16 __luthier_half2 __attribute__((ext_vector_type(2)));
__attribute__((device)) inline __luthier_half2
__llvm_amdgcn_rcp_2f16(__luthier_half2 X) {
  return __luthier_half2{__llvm_amdgcn_rcp_f16(X.x),
                         __llvm_amdgcn_rcp_f16(X.y)};
}

#ifndef __HIP_DEVICE_COMPILE__
// HIP declares it for devices alone, where bodies of hooks are not all that is
// compiled.
__attribute__((device)) long long int wall_clock64();
#else
// Of __threadfence() and its like, which HIP declares with types of its own.
// All of them ask for the strictest order.
__attribute__((device, always_inline)) inline void
__luthier_fence(unsigned, int, int Scope) __asm__("__atomic_work_item_fence");
__attribute__((device)) inline void __luthier_fence(unsigned, int, int Scope) {
  if (Scope == 0)
    return;
  if (Scope == 1 || Scope == 4)
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  else if (Scope == 2)
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  else
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}
#endif

#endif
#endif

#endif // LUTHIER_DETAIL_OLDERHIP_H
