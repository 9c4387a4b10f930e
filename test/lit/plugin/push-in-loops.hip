// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// push() defines EXEC where it may; in hooks with loops of their own, its first
// lane does what is for the wave.
// RUN: %tool -O0 && %hooks | FileCheck %s
// RUN: %tool -O3 && %hooks | FileCheck %s
// RUN: %tool32 -O3 && %hooks | FileCheck %s
#include <hip/hip_runtime.h>
#include <luthier/ChannelHooks.h>
#include <luthier/Hook.h>

__device__ luthier::Channel<uint32_t> Stream;
__device__ uint32_t Table[64];
MARK_LUTHIER_DEVICE_MODULE

// The loops that wait for room are no loops of the hook.
// CHECK-LABEL: define void @straight(
// CHECK-NOT: llvm.amdgcn.wave.barrier
// CHECK: callbr
// CHECK-NOT: llvm.amdgcn.wave.barrier
LUTHIER_HOOK_ANNOTATE straight(uint32_t N) {
  luthier::push(Stream, N);
  if (__lane_id() % 2)
    luthier::push(Stream, N + 1);
}

// CHECK-LABEL: define void @inLoop(
// CHECK-NOT: callbr
// CHECK: llvm.amdgcn.wave.barrier
// CHECK-NOT: callbr
LUTHIER_HOOK_ANNOTATE inLoop() {
  for (uint32_t V = __lane_id(); V; V >>= 1)
    luthier::push(Stream, V);
}

// Writes of EXEC would be between the loop and what comes of it.
// CHECK-LABEL: define void @behindLoop(
// CHECK-NOT: callbr
// CHECK: llvm.amdgcn.wave.barrier
// CHECK-NOT: callbr
LUTHIER_HOOK_ANNOTATE behindLoop() {
  uint32_t Sum = 0;
  for (uint32_t I = __lane_id(); I < 64; I += Table[I] + 1)
    Sum += Table[I];
  luthier::push(Stream, Sum);
}

// A loop that lanes enter in different places.
// CHECK-LABEL: define void @inLoopWithTwoEntries(
// CHECK-NOT: callbr
// CHECK: llvm.amdgcn.wave.barrier
// CHECK-NOT: callbr
LUTHIER_HOOK_ANNOTATE inLoopWithTwoEntries(uint32_t N) {
  N += __lane_id();
  switch (__lane_id() % 2)
    do {
    case 0:
      luthier::push(Stream, N);
    case 1:
      Table[N % 64] = N;
    } while (--N);
}

// CHECK-NOT: mayWriteExec
