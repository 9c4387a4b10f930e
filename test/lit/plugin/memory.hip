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

// CHECK-DAG: memory.hip:[[@LINE+1]]:{{.*}} error: hooks cannot call the host, as printf and assert do, and new and delete
LUTHIER_HOOK_ANNOTATE allocates(int N) { Value = *new int(N); }
// CHECK: {{^}}2 errors generated
