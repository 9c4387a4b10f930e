// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that is no tool is left alone.
// RUN: %tool -O2
// RUN: llvm-readelf -S -W %t.co | FileCheck %s
// CHECK-NOT: .llvmbc
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>

__device__ int Value;
LUTHIER_HOOK_ANNOTATE unmarked() { asm volatile("s_nop 1"); }
__global__ void kernel() { Value = 1; }
