// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <hip/hip_fp16.h> before HIP 6 calls two functions that clang's own headers
// declared once and no longer do.
#ifndef LUTHIER_DETAIL_HALFRECIPROCAL_H
#define LUTHIER_DETAIL_HALFRECIPROCAL_H

#if defined(__HIP__) && __has_include(<hip/hip_version.h>)
#include <hip/hip_version.h>
#if HIP_VERSION_MAJOR < 6

// The reserved names are HIP's.
__attribute__((device)) inline _Float16 __llvm_amdgcn_rcp_f16(_Float16 X) {
  return __builtin_amdgcn_rcph(X);
}

typedef _Float16 __luthier_half2 __attribute__((ext_vector_type(2)));
__attribute__((device)) inline __luthier_half2
__llvm_amdgcn_rcp_2f16(__luthier_half2 X) {
  return __luthier_half2{__llvm_amdgcn_rcp_f16(X.x),
                         __llvm_amdgcn_rcp_f16(X.y)};
}

#endif
#endif

#endif // LUTHIER_DETAIL_HALFRECIPROCAL_H
