// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has each dispatch run, in turn, the original and two versions of the kernel,
// and looks after each whether that one has run.
#include "luthier/luthier.h"

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Waves[2];

LUTHIER_HOOK_ANNOTATE countWave(uint32_t Version) {
  waveAtomicAdd(&Waves[Version], 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(countWave);

class Toggles : public Tool {
  uint64_t Asked[3] = {}, Wrong = 0;
  uint64_t Before[2] = {};

  void onDispatch(KernelDispatch &Dispatch) override {
    if (Dispatch.Kernel.isRuntimeKernel()) {
      Dispatch.SkipCompletion = true;
      return;
    }
    const uint32_t Version = Dispatch.Id % 3;
    ++Asked[Version];
    if (Version == 2) // The original.
      return;
    auto Insert = [&](InstrumentationTask &Task, LiftedRepresentation &) {
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(countWave),
                                   {Version});
      return llvm::Error::success();
    };
    if (llvm::Error E = instrumentAndOverride(Dispatch, Insert,
                                              Version ? "second" : "first"))
      reportRefusal(Dispatch.Kernel, std::move(E));
  }

  void onComplete(const KernelDispatch &Dispatch) override {
    for (uint32_t Version : {0, 1}) {
      const uint64_t Seen = Waves[Version] - Before[Version];
      Wrong += Seen != (Dispatch.Id % 3 == Version);
      Before[Version] = Waves[Version];
    }
  }

  void report(llvm::raw_ostream &OS) override {
    OS << "first " << Asked[0] << ", second " << Asked[1] << ", original "
       << Asked[2] << ", wrong " << Wrong << '\n';
  }
};
LUTHIER_TOOL(Toggles)
