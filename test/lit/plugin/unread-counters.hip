// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counter of the wave that no hook flushes or reads is lost.
// RUN: %tool -O0 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %tool -O2 2>&1 | FileCheck %s --implicit-check-not=warning:
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/Intrinsics.h>

MARK_LUTHIER_DEVICE_MODULE
namespace mine {
__device__ uint64_t Lost;
}
__device__ uint64_t Flushed, Given, Several[4];
__attribute__((managed)) uint64_t Managed, LostManaged;
using namespace luthier;

// CHECK-DAG: unread-counters.hip:[[@LINE+2]]:{{.*}} warning: no hook of this file reads counter 'mine::Lost' of luthier::waveAdd, so that it is lost: call luthier::waveFlush in a hook at the wave's end
// CHECK-DAG: unread-counters.hip:[[@LINE+1]]:{{.*}} warning: no hook of this file reads counter 'LostManaged' of luthier::waveAdd
LUTHIER_HOOK_ANNOTATE add(uint32_t Number) {
  waveAdd(mine::Lost, Number);
  waveAdd(LostManaged, Number);
  waveAdd(Flushed, 1);
  waveAdd(Given, 1);
  waveAdd(Several[Number], 1);
  waveAdd(Managed, 1);
}
LUTHIER_HOOK_ANNOTATE end(uint32_t Number, uint64_t *To) {
  waveFlush(Flushed);
  waveFlush(Managed);
  waveFlush(Several[Number]);
  waveAtomicAdd(To, waveCounter(Given));
}
