// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that does what none should: kernels store one more than they mean to.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE addOne(uint32_t Register) {
  luthier::writeReg<uint32_t>(Register,
                              luthier::readReg<uint32_t>(Register) + 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(addOne);

struct ChangesData : luthier::Tool {
  llvm::Error instrument(luthier::LiftedRepresentation &LR,
                         luthier::InstrumentationTask &Task) override {
    for (llvm::MachineBasicBlock &MBB : LR.kernel())
      for (llvm::MachineInstr &MI : MBB)
        // Operands: address, data, ...
        if (MI.getOpcode() == llvm::AMDGPU::GLOBAL_STORE_DWORD ||
            MI.getOpcode() == llvm::AMDGPU::GLOBAL_STORE_DWORD_SADDR)
          LUTHIER_RETURN_ON_ERROR(
              Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(addOne),
                                    {MI.getOperand(1).getReg().id()}));
    return llvm::Error::success();
  }
};
LUTHIER_TOOL(ChangesData)
