// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's own variable of the name of a __device__ variable is not the
// device's: who reads or writes it is warned, with what to call instead.
// RUN: %hosttool -O0 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %hosttool -O3 -gline-tables-only 2>&1 | FileCheck %s --implicit-check-not=warning: --check-prefix=LINES
#include <hip/hip_runtime.h>

struct Pair { int First, Second; };
__device__ int Count;
__device__ Pair Pairs[4];
__device__ int Given, Copied[4];
__attribute__((managed)) int Managed;
int OfTheHost;

// CHECK-DAG: host-variables.hip:{{.*}}: warning: host code reads __device__ variable 'Count' in 'report()', but has only a variable of its own of that name: use luthier::readVariable(), or make it a managed variable
int report() {
  // LINES: host-variables.hip:[[@LINE+1]]:{{.*}} warning: host code reads __device__ variable 'Count'
  return Count;
}
// CHECK-DAG: host-variables.hip:{{.*}}: warning: host code writes __device__ variable 'Pairs' in 'reset(int)', {{.*}}: use luthier::writeVariable(), or
// LINES: host-variables.hip:[[@LINE+1]]:{{.*}} warning: host code writes __device__ variable 'Pairs'
void reset(int I) { Pairs[I].Second = 0; }
// CHECK-DAG: warning: host code reads __device__ variable 'Copied' in 'copy(int*)'
// LINES: host-variables.hip:[[@LINE+1]]:{{.*}} warning: host code reads __device__ variable 'Copied'
void copy(int *To) { __builtin_memcpy(To, Copied, sizeof(Copied)); }

// What is read through a reference shows where functions are inlined.
template <typename T> T next(const T &Variable) { return Variable + 1; }
int throughReference() {
  // LINES: host-variables.hip:[[@LINE+1]]:{{.*}} warning: host code reads __device__ variable 'Given' in 'throughReference()'
  return next(Given);
}

// What only names the variable, or is not the device's, is fine.
const void *name() { return &Pairs[1]; }
template <typename T> int give(const T &Variable) { return sizeof(Variable) + OfTheHost; }
int fine() { return give(Count) + Managed; }
