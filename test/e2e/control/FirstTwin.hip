// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Twins.h"

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Values, Numbers, Waves, GroupEnds;
__device__ uint64_t Number;

LUTHIER_HOOK_ANNOTATE beginTwin(uint64_t Given) { waveAdd(Number, Given); }
LUTHIER_EXPORT_HOOK_HANDLE(beginTwin);

LUTHIER_HOOK_ANNOTATE endTwin() {
  waveAtomicAdd(&Values, launchValue());
  waveAtomicAdd(&Numbers, waveCounter(Number));
  waveAtomicAdd(&GroupEnds, uint64_t(groupMemory()));
  waveAtomicAdd(&Waves, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(endTwin);

#ifndef __HIP_DEVICE_COMPILE__
void insertTwinHooks(InstrumentationTask &Task, uint64_t Number) {
  Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(beginTwin), {Number});
  Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(endTwin));
}

struct FirstTwin : Twin {
  FirstTwin() : Twin(64, 7) {}
  void report(llvm::raw_ostream &OS) override {
    OS << "twins: " << Waves << " waves of both, values " << Values
       << ", numbers " << Numbers << ", group memory " << GroupEnds << '\n';
  }
};
LUTHIER_TOOL(FirstTwin)
#endif
