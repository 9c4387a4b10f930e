// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that names a hook by a handle that it never exported.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Calls;

LUTHIER_HOOK_ANNOTATE count() { atomicAdd(&Calls, 1); }
LUTHIER_EXPORT_HOOK_HANDLE(count);

class UnknownHook : public luthier::Tool {
  void onDispatch(luthier::KernelDispatch &Dispatch) override {
    auto Lifted = luthier::lift(Dispatch.Kernel);
    if (!Lifted)
      return luthier::reportRefusal(Dispatch.Kernel, Lifted.takeError());
    static const char NotAHook = 0;
    luthier::reportRefusal(Dispatch.Kernel,
                           luthier::instrumentAndLoad(
                               Dispatch.Kernel, *Lifted,
                               [](luthier::InstrumentationTask &Task,
                                  luthier::LiftedRepresentation &LR) {
                                 return Task.insertHookBefore(
                                     LR.kernel().front().front(), &NotAHook);
                               },
                               "unknown"));
  }
};
LUTHIER_TOOL(UnknownHook)
