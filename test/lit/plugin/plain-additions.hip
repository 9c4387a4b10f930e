// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is added with a load and a store is lost where others add to it.
// RUN: %tool -O0 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %tool -O2 2>&1 | FileCheck %s --implicit-check-not=warning:
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

MARK_LUTHIER_DEVICE_MODULE
struct Pair {
  uint32_t Number;
  float Sum;
};
__device__ uint64_t Plain, Counts[16], Atomic, Stored, Own[64], Locked, Lock;
__device__ Pair Pairs[4];
__attribute__((managed)) uint64_t Managed[4];
using namespace luthier;

// CHECK-DAG: plain-additions.hip:[[@LINE+1]]:{{.*}} warning: what a hook adds to variable 'Plain' is lost where other lanes or waves add to it: this is not atomic; call luthier::waveAdd or luthier::waveAtomicAdd, or atomicAdd in each lane
LUTHIER_HOOK_ANNOTATE one() { ++Plain; }

// CHECK-DAG: plain-additions.hip:[[@LINE+1]]:{{.*}} warning: what a hook adds to variable 'Counts' is lost
LUTHIER_HOOK_ANNOTATE chosen(uint32_t I) { Counts[I] += 1; }

__device__ void addOne(uint64_t &Count) { Count += 1; }
// CHECK-DAG: plain-additions.hip:[[@LINE+1]]:{{.*}} warning: what a hook adds to variable 'Managed' is lost
LUTHIER_HOOK_ANNOTATE inAFunction(uint32_t I) { addOne(Managed[I]); }

// CHECK-DAG: plain-additions.hip:[[@LINE+1]]:{{.*}} warning: what a hook adds to variable 'Pairs' is lost
LUTHIER_HOOK_ANNOTATE firstLaneOnly(float Value) {
  if (__lane_id() == 0)
    Pairs[1].Sum -= Value;
}

// Looking at each way to the first number would take for ever.
LUTHIER_HOOK_ANNOTATE hashed(uint32_t I) {
  for (int N = 0; N < 40; ++N)
    I ^= I * 33;
  Counts[I % 16] += 1;
}

LUTHIER_HOOK_ANNOTATE right(uint32_t I) {
  __shared__ uint32_t Shared;
  uint64_t Local[4] = {};
  Local[I] += 1;
  ++Shared;
  waveAtomicAdd(&Atomic, 1);
  Stored = Local[0] + Shared;
  ++Own[waveInDispatch()];
}

LUTHIER_HOOK_ANNOTATE withLock() {
  while (waveAtomicExchange(&Lock, 1)) {
  }
  ++Locked;
  waveAtomicExchange(&Lock, 0);
}
