// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hooks may not do is an error that names the place.
// RUN: not %tool -O0 2>&1 | FileCheck %s
// RUN: not %tool -O3 2>&1 | FileCheck %s
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

__device__ int Value;
MARK_LUTHIER_DEVICE_MODULE

// CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: hooks cannot use inline assembly, which 'assembly' does
LUTHIER_HOOK_ANNOTATE assembly() { asm volatile("s_nop 1"); }

// CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: hooks cannot use inline assembly, which 'helper()' (called by hook 'callsHelper') does
__device__ void helper() { asm volatile("s_nop 2"); }
LUTHIER_HOOK_ANNOTATE callsHelper() { helper(); }

// Assembly without text only constrains the optimiser,
LUTHIER_HOOK_ANNOTATE emptyAssembly(int N) {
  asm volatile("" ::: "memory");
  asm volatile("" : "+v"(N));
  asm("; only a comment" : "+s"(N));
  Value = N;
}

// unless it says in which register, or jumps.
// CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: hooks cannot use inline assembly, which 'clobber' does
LUTHIER_HOOK_ANNOTATE clobber() { asm volatile("" ::: "v5"); }
// CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: hooks cannot use inline assembly, which 'output' does
LUTHIER_HOOK_ANNOTATE output(int N) { asm volatile("" : "={v5}"(N)); Value = N; }
LUTHIER_HOOK_ANNOTATE variable() {
  register int InRegister asm("s7") = Value;
  // CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: hooks cannot use inline assembly, which 'variable' does
  asm volatile("" : "+s"(InRegister));
  Value = InRegister;
}
// CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: hooks cannot use inline assembly, which 'jump' does
LUTHIER_HOOK_ANNOTATE jump() { asm goto("" : : : : There); There: Value = 1; }

struct Huge { int A[17]; };
// CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: parameter 2 of hook 'huge' has a type (%struct.Huge) that is not a value of at most 64 bytes
LUTHIER_HOOK_ANNOTATE huge(int, Huge N) { Value = N.A[3]; }

// CHECK-DAG: errors.hip:[[@LINE+2]]:{{.*}} error: hook 'result' must not return a value
extern "C" __attribute__((device, used, annotate("luthier_hook"))) int
result() { return 1; }

// CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: hooks cannot call the host, as printf and assert do
LUTHIER_HOOK_ANNOTATE prints(int N) { printf("%d", N); }

struct Copied { int A; __device__ Copied(const Copied &C) : A(C.A) {} };
// CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: parameter 1 of hook 'copied' is of a class with a copy constructor or a destructor of its own
LUTHIER_HOOK_ANNOTATE copied(Copied C) { Value = C.A; }

// CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: hooks cannot use inline assembly, which 'inMemory' does
LUTHIER_HOOK_ANNOTATE inMemory(int N) { asm volatile("" : : "m"(N)); }

struct Big { int A[9]; };
// CHECK-DAG: errors.hip:[[@LINE+1]]:{{.*}} error: intrinsic 'big(Big)' must take and return scalars only
LUTHIER_INTRINSIC_ANNOTATE int big(Big) { __builtin_trap(); }
LUTHIER_HOOK_ANNOTATE usesBig() { Value = big({}); }
// CHECK: {{^}}12 errors generated
