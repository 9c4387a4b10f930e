// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second compilation for waves of 64 lanes goes into the same section. Its
// hooks use the same variables; only constants each has of its own.
// RUN: %tool32 -O2 -cuid=abc %wave64 && env LUTHIER_WAVE64_HOOKS=%t %tool32 -O2 -cuid=abc
// RUN: llvm-objcopy --dump-section .llvmbc=%t.bc %t.co %t.stripped && llvm-dis %t.bc -o %t.ll
// RUN: FileCheck --check-prefixes=EACH,W32 %s < %t.ll.0
// RUN: FileCheck --check-prefixes=EACH,W64 %s < %t.ll.1
// RUN: llvm-readelf --dyn-syms -W %t.co | FileCheck --check-prefix=OBJECT %s
//
// A file for no other processor is in the way of none.
// RUN: env LUTHIER_WAVE64_HOOKS=%t %tool -O2 -cuid=abc && %hooks | FileCheck --check-prefix=EACH %s
//
// RUN: not env LUTHIER_WAVE64_HOOKS=%t %tool32 -O2 -cuid=def 2>&1 | FileCheck --check-prefix=SOURCE %s
// RUN: %tool32 -O2 -fuse-cuid=none %wave64
// RUN: not env LUTHIER_WAVE64_HOOKS=%t %tool32 -O2 -cuid=abc 2>&1 | FileCheck --check-prefix=SOURCE %s
// RUN: %tool32 -O2 -cuid=abc -DUNEQUAL=device %wave64
// RUN: not env LUTHIER_WAVE64_HOOKS=%t %tool32 -O2 -cuid=abc -DUNEQUAL=device 2>&1 | FileCheck --check-prefix=SIZE %s
// RUN: %tool32 -O2 -cuid=abc -DUNEQUAL=managed %wave64
// RUN: not env LUTHIER_WAVE64_HOOKS=%t %tool32 -O2 -cuid=abc -DUNEQUAL=managed 2>&1 | FileCheck --check-prefix=SIZE %s
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

MARK_LUTHIER_DEVICE_MODULE
static __device__ uint32_t Private;
__device__ uint32_t Plain;
__attribute__((managed)) uint32_t Managed;
#ifdef LUTHIER_WAVES_OF_64
static __device__ uint32_t OnlyThere = 7;
static constexpr uint32_t Constants[] = {5, 6, 4};
#else
static constexpr uint32_t Constants[] = {1, 2, 3};
#endif
#ifdef UNEQUAL
__attribute__((UNEQUAL)) uint32_t Lanes[__AMDGCN_WAVEFRONT_SIZE];
#endif
__device__ unsigned twice(unsigned N) { return 2 * N; }
static __device__ unsigned (*Pointer)(unsigned) = twice;

// EACH-DAG: @Managed = external
// EACH-DAG: @Plain = external
// EACH-DAG: @__luthier._ZL7Private.[[ID:[0-9a-f]+]] = external
// EACH-DAG: @__luthier._ZL7Pointer.[[ID]] = external
// EACH-DAG: @__hip_cuid_[[ID]] = external
// W32-DAG: @__luthier._ZL9Constants.const.[[ID]] = external
// W32-NOT: OnlyThere
// W64-DAG: @__luthier._ZL9Constants.const.[[ID]].[[N:[0-9]+]] = external
// W64-DAG: @__luthier._ZL9OnlyThere.[[ID]] = external
// EACH: define void @hook(
// W32: +wavefrontsize32
// W64: +wavefrontsize64

// OBJECT-DAG: OBJECT {{.*}} __luthier._ZL7Private.[[ID:[0-9a-f]+$]]
// OBJECT-DAG: OBJECT {{.*}} __luthier._ZL9Constants.const.[[ID]]{{$}}
// OBJECT-DAG: OBJECT {{.*}} __luthier._ZL9Constants.const.[[ID]].{{[0-9]+$}}
// OBJECT-DAG: OBJECT {{.*}} __luthier._ZL9OnlyThere.[[ID]]{{$}}
// SOURCE: error: luthier-plugin: {{.*}}.gfx1030.wave64.bc is of another source
// SIZE: error: luthier-plugin: variable Lanes{{(.managed)?}} must have one size for waves of 32 and of 64 lanes
LUTHIER_HOOK_ANNOTATE hook(uint32_t N) {
  Private += Constants[N % 3] + Pointer(N);
  Plain = __shfl_xor(N, 1);
  ++Managed;
#ifdef LUTHIER_WAVES_OF_64
  ++OnlyThere;
#endif
#ifdef UNEQUAL
  ++Lanes[__lane_id()];
#endif
}
