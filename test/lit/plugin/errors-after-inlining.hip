// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What shows only in the finished hook.
// RUN: not %tool -O0 2>&1 | FileCheck %s
// RUN: not %tool -O3 2>&1 | FileCheck %s
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

__device__ uint32_t Value;
__device__ void (*Table[2])();
MARK_LUTHIER_DEVICE_MODULE

// CHECK-DAG: errors-after-inlining.hip:[[@LINE+1]]:{{.*}} error: hook 'indirect' calls through a pointer to a function, and no function of that type has its address taken in this file
LUTHIER_HOOK_ANNOTATE indirect(int N) { Table[N](); }

// CHECK-NOT: 'devirtualised'
LUTHIER_HOOK_ANNOTATE devirtualised(int N) {
  auto Twice = [](auto F, int N) { return F(F(N)); };
  Value = Twice([](int N) { return N + 1; }, N);
}

// LLVM has no control flow for this and would end the process.
// CHECK-DAG: errors-after-inlining.hip:[[@LINE+1]]:{{.*}} error: hook 'divergentLoop' uses luthier::writeExec in a loop that lanes leave at different times
LUTHIER_HOOK_ANNOTATE divergentLoop() {
  for (uint32_t V = __lane_id(); V; V >>= 1) {
    luthier::writeExec(1);
    atomicAdd(&Value, 1);
  }
}

// The same of one that is entered in two places.
// CHECK-DAG: errors-after-inlining.hip:[[@LINE+1]]:{{.*}} error: hook 'loopWithTwoEntries' uses luthier::writeExec in a loop that lanes leave at different times
LUTHIER_HOOK_ANNOTATE loopWithTwoEntries(uint32_t N) {
  uint32_t V = __lane_id();
  switch (N % 2)
    do {
    case 0:
      luthier::writeExec(1);
      atomicAdd(&Value, 1);
    case 1:
      V >>= 1;
    } while (V);
}

// CHECK-NOT: 'uniformLoop'
LUTHIER_HOOK_ANNOTATE uniformLoop(uint32_t N) {
  uint64_t Mask = __builtin_amdgcn_read_exec();
  for (uint64_t Rest = Mask; Rest && N--; Rest &= Rest - 1) {
    luthier::writeExec(Rest & -Rest);
    atomicAdd(&Value, 1);
  }
  luthier::writeExec(Mask);
}
