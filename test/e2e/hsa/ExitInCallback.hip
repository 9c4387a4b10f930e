// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has one launch run other code, and ends the program at the next.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include <cstdlib>
#include <unistd.h>

using namespace luthier;

__attribute__((managed)) uint64_t Count;

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE countInstruction() { atomicAdd(&Count, 1); }
LUTHIER_EXPORT_HOOK_HANDLE(countInstruction);

class ExitInCallback : public Tool {
  bool Instrumented = false;

  llvm::Error redirect(KernelDispatch &Dispatch) {
    auto Lifted = lift(Dispatch.Kernel);
    LUTHIER_RETURN_ON_ERROR(Lifted.takeError());
    auto Mutate = [](InstrumentationTask &Task, LiftedRepresentation &LR) {
      return Task.insertHookBefore(LR.kernel().front().front(),
                                   LUTHIER_GET_HOOK_HANDLE(countInstruction));
    };
    LUTHIER_RETURN_ON_ERROR(
        instrumentAndLoad(Dispatch.Kernel, *Lifted, Mutate, "exit"));
    return overrideWithInstrumented(Dispatch.Packet, "exit");
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    if (Instrumented && std::getenv("EXIT_WITHOUT_HANDLERS"))
      ::_exit(3);
    if (Instrumented)
      std::exit(3);
    LUTHIER_REPORT_FATAL_ON_ERROR(redirect(Dispatch));
    Instrumented = true;
  }

  void onExit() override { llvm::errs() << "the tool ends\n"; }
};
LUTHIER_TOOL(ExitInCallback)
