// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang-format off: messages name lines.
//
// Recursion becomes a loop with as many frames as the source says, or as many
// as a warning says; what cannot become one is an error.
// RUN: %tool -O0 2>&1 | FileCheck --check-prefix=WARN %s
// RUN: %tool -O3 2>&1 | FileCheck --check-prefix=WARN %s
// RUN: %hooks | FileCheck %s
// RUN: not %tool -O0 -DBAD 2>&1 | FileCheck --check-prefix=BAD %s
// RUN: not %tool -O3 -DBAD 2>&1 | FileCheck --check-prefix=BAD %s
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

__device__ int Value;
MARK_LUTHIER_DEVICE_MODULE

#ifndef BAD

// WARN-DAG: recursion.hip:[[@LINE+1]]:{{.*}} warning: 'factorial(int)' calls itself in a hook; of nested calls, those beyond 64 are left out unless LUTHIER_MAX_DEPTH says otherwise
__device__ int factorial(int N) { return N < 2 ? 1 : N * factorial(N - 1); }
// CHECK-LABEL: define void @byDefault(
// CHECK: alloca [64 x [12 x i8]]
// CHECK-NOT: call {{.*}}@_Z
LUTHIER_HOOK_ANNOTATE byDefault(int N) { Value = factorial(N); }

__device__ int odd(int N);
// WARN-DAG: recursion.hip:[[@LINE+1]]:{{.*}} warning: 'even(int)' calls itself through 'odd(int)'
__device__ int even(int N) { return N == 0 ? 1 : odd(N - 1); }
__device__ int odd(int N) { return N == 0 ? 0 : even(N - 1); }
LUTHIER_HOOK_ANNOTATE mutually(int N) { Value = even(N); }

// WARN-NOT: 'fibonacci
#define DEPTH 10
LUTHIER_MAX_DEPTH(DEPTH)
__device__ int fibonacci(int N) {
  return N < 2 ? N : fibonacci(N - 1) + fibonacci(N - 2);
}
// CHECK-LABEL: define void @asStated(
// CHECK: alloca [10 x
// CHECK-NOT: call {{.*}}@_Z
LUTHIER_HOOK_ANNOTATE asStated(int N) { Value = fibonacci(N); }

#else

// BAD-DAG: recursion.hip:[[@LINE+2]]:{{.*}} error: LUTHIER_MAX_DEPTH needs a number of calls, not many
LUTHIER_MAX_DEPTH(many)
__device__ int noNumber(int N) { return N < 2 ? 1 : N * noNumber(N - 1); }
LUTHIER_HOOK_ANNOTATE callsNoNumber(int N) { Value = noNumber(N); }

// BAD-DAG: recursion.hip:[[@LINE+2]]:{{.*}} error: hooks cannot use this recursion: 'writes(int)', which calls itself, uses luthier::writeExec
LUTHIER_MAX_DEPTH(3)
__device__ int writes(int N) {
  luthier::writeExec(N);
  return N < 2 ? 1 : N * writes(N - 1);
}
LUTHIER_HOOK_ANNOTATE callsWrites(int N) { Value = writes(N); }

// BAD-DAG: recursion.hip:[[@LINE+2]]:{{.*}} error: hooks cannot use this recursion: 'sized(int)', which calls itself, has a local variable of a size that is not constant
LUTHIER_MAX_DEPTH(3)
__device__ int sized(int N) {
  volatile int Local[N];
  Local[0] = N;
  return N < 2 ? 1 : Local[0] * sized(N - 1);
}
LUTHIER_HOOK_ANNOTATE callsSized(int N) { Value = sized(N); }

#endif
