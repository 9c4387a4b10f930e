// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While it inserts hooks into the second kernel, waits for another launch of
// the first one, which is ready to run. Tells the program when to launch that.
#include "luthier/CountingTool.h"
#include "luthier/luthier.h"
#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <thread>

using namespace luthier;

__attribute__((managed)) uint64_t Counts[16][1];
MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE countWave(uint64_t *To) { waveAtomicAdd(To, 1); }
LUTHIER_EXPORT_HOOK_HANDLE(countWave);

struct WaitsInCount : CountingTool {
  int *Told = static_cast<int *>(::dlsym(RTLD_DEFAULT, "ToldByTool"));
  std::atomic<unsigned> Kernels = 0, Launched = 0;

  WaitsInCount()
      : CountingTool("waits-in-count", Counts, {{"waves", "waves"}}) {}

  llvm::Error count(LiftedRepresentation &, InstrumentationTask &Task,
                    uint32_t Row) override {
    Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(countWave),
                                 {&Counts[Row][0]});
    if (++Kernels != 2)
      return llvm::Error::success();
    __atomic_store_n(Told, 1, __ATOMIC_RELEASE);
    const auto Until =
        std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (Launched != 2 && std::chrono::steady_clock::now() < Until)
      std::this_thread::yield();
    llvm::errs() << (Launched == 2 ? "others launch meanwhile\n"
                                   : "others have to wait\n");
    return llvm::Error::success();
  }
  void onDispatch(KernelDispatch &Dispatch) override {
    CountingTool::onDispatch(Dispatch);
    ++Launched;
  }
};
LUTHIER_TOOL(WaitsInCount)
