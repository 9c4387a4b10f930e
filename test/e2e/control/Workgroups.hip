// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which workgroups run hooks, and when each kernel ran.
#include "luthier/luthier.h"

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE
constexpr unsigned MaxBlocks = 64;
__attribute__((managed)) uint64_t Waves[MaxBlocks];

LUTHIER_HOOK_ANNOTATE noteBlock() {
  waveAtomicAdd(&Waves[blockInDispatch() % MaxBlocks], 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(noteBlock);

static Option<unsigned> First("first", 0, "the first workgroup for the hooks");
static Option<unsigned> Last("last", ~0u, "and the last one");
static Option<bool> Times("times", false, "ask when kernels run");

class Workgroups : public Tool {
  uint64_t Ends = 0, Kernels = 0, Wrong = 0;

  llvm::Error instrument(LiftedRepresentation &,
                         InstrumentationTask &Task) override {
    Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(noteBlock));
    Task.onlyInWorkgroups(*First, *Last);
    return llvm::Error::success();
  }
  void onDispatch(KernelDispatch &Dispatch) override {
    if (Dispatch.Kernel.isRuntimeKernel())
      return;
    Dispatch.WithTimes = *Times;
    Dispatch.SkipCompletion = !*Times;
    Tool::onDispatch(Dispatch);
  }
  /// Kernels of one queue run one after the other.
  void onComplete(const KernelDispatch &Dispatch) override {
    if (!Dispatch.WithTimes)
      return;
    ++Kernels;
    const std::optional<DispatchTimes> Ran = Dispatch.Times;
    Wrong += !Ran || Ran->Begin < Ends || Ran->End <= Ran->Begin;
    Ends = Ran ? Ran->End : Ends;
  }
  void report(llvm::raw_ostream &OS) override {
    OS << "workgroups:";
    for (unsigned I = 0; I < MaxBlocks; ++I)
      if (Waves[I])
        OS << ' ' << I << 'x' << Waves[I];
    OS << "\ntimes: " << Kernels << " kernels, " << Wrong << " wrong\n";
  }
};
LUTHIER_TOOL(Workgroups)
