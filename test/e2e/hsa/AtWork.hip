// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells the program when it begins to instrument a kernel (the file descriptor
// ERROR_PATHS_EVENT), and at the end how many lanes have run it.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include <cstdlib>
#include <unistd.h>

using namespace luthier;

__attribute__((managed)) uint64_t Count;

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE countLane() { atomicAdd(&Count, 1); }
LUTHIER_EXPORT_HOOK_HANDLE(countLane);

class AtWork : public Tool {
  llvm::Error redirect(KernelDispatch &Dispatch) {
    auto Lifted = lift(Dispatch.Kernel);
    LUTHIER_RETURN_ON_ERROR(Lifted.takeError());
    auto Mutate = [](InstrumentationTask &Task, LiftedRepresentation &LR) {
      return Task.insertHookBefore(LR.kernel().front().front(),
                                   LUTHIER_GET_HOOK_HANDLE(countLane));
    };
    LUTHIER_RETURN_ON_ERROR(
        instrumentAndLoad(Dispatch.Kernel, *Lifted, Mutate, "count"));
    return overrideWithInstrumented(Dispatch.Packet, "count");
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    const uint64_t One = 1;
    if (::write(std::atoi(std::getenv("ERROR_PATHS_EVENT")), &One,
                sizeof(One)) < 0)
      llvm::report_fatal_error("no such descriptor");
    LUTHIER_REPORT_FATAL_ON_ERROR(redirect(Dispatch));
  }

  void onExit() override { llvm::errs() << "lanes: " << Count << '\n'; }
};
LUTHIER_TOOL(AtWork)
