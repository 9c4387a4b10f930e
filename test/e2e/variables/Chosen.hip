// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts waves in one of two managed variables, which a lane's number chooses.
// The compiler makes of that a choice between the cells that lead to them, so
// that the tool's code has to be on the device, with filled cells.
#include "luthier/luthier.h"

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint32_t Even[1], Odd[1];

LUTHIER_HOOK_ANNOTATE countLanes() {
  uint32_t *Where;
  if (__lane_id() & 1)
    Where = Odd;
  else
    Where = Even;
  atomicAdd(Where, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(countLanes);

class Chosen : public Tool {
  llvm::Error instrument(LiftedRepresentation &,
                         InstrumentationTask &Task) override {
    return Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(countLanes));
  }

  void report(llvm::raw_ostream &OS) override {
    OS << "chosen: " << Even[0] << " and " << Odd[0] << '\n';
  }
};
LUTHIER_TOOL(Chosen)
