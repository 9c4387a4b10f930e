// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the first wave of the last dispatch came to this tool's hook at the
// kernel's entry. Built as several tools, so that they can be told apart.
#include "luthier/luthier.h"

__attribute__((managed)) uint64_t Moment;

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE noteMoment() {
  if (luthier::waveInDispatch() == 0)
    Moment = clock64();
}
LUTHIER_EXPORT_HOOK_HANDLE(noteMoment);

struct MomentTool : luthier::Tool {
  llvm::Error instrument(luthier::LiftedRepresentation &,
                         luthier::InstrumentationTask &Task) override {
    return Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(noteMoment));
  }
  void report(llvm::raw_ostream &OS) override {
    OS << MOMENT_NAME << ": " << Moment << '\n';
  }
};
LUTHIER_TOOL(MomentTool)
