// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that hooks do not have.
// RUN: not %tool -O0 2>&1 | FileCheck %s
// RUN: not %tool -O3 2>&1 | FileCheck %s
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

__device__ int Value;
MARK_LUTHIER_DEVICE_MODULE

// CHECK-DAG: error: hooks cannot use thread_local variables, such as 'perThread::Own'
LUTHIER_HOOK_ANNOTATE perThread(int N) {
  static thread_local int Own = 3;
  Value = Own += N;
}

// CHECK-DAG: memory.hip:[[@LINE+1]]:{{.*}} error: hooks have no heap, as malloc and new need it (called by 'malloc', {{.*}}called by hook 'allocates'): use local, __shared__, __device__ or managed variables
LUTHIER_HOOK_ANNOTATE allocates(int N) { Value = *new int(N); }

LUTHIER_HOOK_ANNOTATE sizedByLaunch(int N) {
  extern __shared__ int Sized[];
  // CHECK-DAG: memory.hip:[[@LINE-2]]:{{.*}} error: hooks cannot use shared memory of a size that the launch decides, such as 'Sized': see luthier::groupMemory()
  Sized[threadIdx.x] = N;
  Value = Sized[N];
}
// CHECK: {{^}}3 errors generated
