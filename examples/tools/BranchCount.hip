// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts branches: the tool of docs/writing-a-tool.md.
#include "luthier/luthier.h"

MARK_LUTHIER_DEVICE_MODULE // this library has hooks
    __attribute__((
        managed)) uint64_t Branches; // host memory that hooks see too

LUTHIER_HOOK_ANNOTATE countBranch() { // device code, inlined at each point
  uint64_t Lanes = __builtin_amdgcn_read_exec();
  luthier::writeExec(1); // one lane adds, also if none was active
  atomicAdd(&Branches, 1);
  luthier::writeExec(Lanes);
}
LUTHIER_EXPORT_HOOK_HANDLE(countBranch); // lets host code name it

struct BranchCount : luthier::Tool {
  llvm::Error instrument(luthier::LiftedRepresentation &LR,
                         luthier::InstrumentationTask &Task) override {
    for (llvm::MachineInstr &MI : LR.instructions())
      if (luthier::isBranch(MI))
        Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(countBranch));
    return llvm::Error::success();
  }
  void report(llvm::raw_ostream &OS) override {
    OS << Branches << " branches\n";
  }
};
LUTHIER_TOOL(BranchCount)
