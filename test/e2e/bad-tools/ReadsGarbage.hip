// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that counts with what a register happens to hold: the lane that it
// reads is not active everywhere.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Sum;

LUTHIER_HOOK_ANNOTATE addLane() {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  atomicAdd(&Sum, __builtin_amdgcn_readlane(__lane_id() + 3, 63));
  luthier::writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(addLane);

struct ReadsGarbage : luthier::Tool {
  llvm::Error instrument(luthier::LiftedRepresentation &LR,
                         luthier::InstrumentationTask &Task) override {
    for (llvm::MachineBasicBlock &MBB : LR.kernel())
      for (llvm::MachineInstr &MI : MBB)
        if (MI.mayStore())
          LUTHIER_RETURN_ON_ERROR(
              Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(addLane), {}));
    return llvm::Error::success();
  }
  void report(llvm::raw_ostream &OS) override {
    OS << "sum of lanes: " << Sum << '\n';
  }
};
LUTHIER_TOOL(ReadsGarbage)
