// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A definition of EXEC ends its block, and what depends on EXEC stays on its
// side of it, whatever the tool was compiled with.
// RUN: %tool -O0 && %hooks | FileCheck %s
// RUN: %tool -O1 && %hooks | FileCheck %s
// RUN: %tool -O2 && %hooks | FileCheck %s
// RUN: %tool -O3 -g && %hooks | FileCheck %s
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

__attribute__((managed)) uint64_t Counter = 0;
MARK_LUTHIER_DEVICE_MODULE

// CHECK-LABEL: define void @countOnce()
// CHECK: %[[MASK:.*]] = tail call i64 @llvm.amdgcn.ballot.i64(i1 true)
// CHECK-NEXT: callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1)
// CHECK-NEXT: to label %[[ADD:.*]] []
// CHECK: [[ADD]]:
// CHECK: atomicrmw add
// CHECK: callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %[[MASK]])
LUTHIER_HOOK_ANNOTATE countOnce() {
  uint64_t Mask = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  atomicAdd(&Counter, 1);
  luthier::writeExec(Mask);
}

// The mask was once read behind the loop, where EXEC is another.
// CHECK-LABEL: define void @maskFromBeforeLoop()
// CHECK-NEXT: %[[MASK:.*]] = tail call i64 @llvm.amdgcn.ballot.i64(i1 true)
// CHECK: callbr {{.*}}(i64 %[[MASK]])
// CHECK-NOT: ballot
LUTHIER_HOOK_ANNOTATE maskFromBeforeLoop() {
  uint64_t Mask = __builtin_amdgcn_read_exec();
  for (int I = 0; I < 3; ++I) {
    luthier::writeExec(1ull << I);
    atomicAdd(&Counter, 1);
  }
  luthier::writeExec(Mask);
}

// Two reads with a definition in between are two reads.
// CHECK-LABEL: define void @readTwice()
// CHECK: ballot
// CHECK: callbr
// CHECK: ballot
// CHECK: ret void
LUTHIER_HOOK_ANNOTATE readTwice() {
  uint64_t Before = __builtin_amdgcn_read_exec();
  luthier::writeExec(3);
  Counter = __builtin_amdgcn_read_exec() + Before;
}

static __device__ void onLane(uint64_t Lane) { luthier::writeExec(1 << Lane); }

// CHECK-LABEL: define void @throughHelper(
// CHECK: callbr
// CHECK-NOT: call void
// CHECK: ret void
LUTHIER_HOOK_ANNOTATE throughHelper(uint32_t Lane) {
  onLane(Lane);
  atomicAdd(&Counter, 1);
}
