// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes constants and registers to a hook: the range of addresses from which
// lanes load, for loads of 4 and of 16 bytes.
#include "luthier/luthier.h"
#include "llvm/Support/FormatVariadic.h"

MARK_LUTHIER_DEVICE_MODULE
__attribute__((managed)) uint64_t Lowest[2] = {~0ull, ~0ull}, End[2];

/// Address differs from lane to lane; Width is the same at each point.
LUTHIER_HOOK_ANNOTATE onLoad(uint32_t Width, uint64_t Address) {
  atomicMin(&Lowest[Width > 4], Address);
  atomicMax(&End[Width > 4], Address + Width);
}
LUTHIER_EXPORT_HOOK_HANDLE(onLoad);

struct LoadRange : luthier::Tool {
  llvm::Error instrument(luthier::LiftedRepresentation &LR,
                         luthier::InstrumentationTask &Task) override {
    for (auto &[Symbol, MF] : LR.functions())
      for (llvm::MachineBasicBlock &MBB : *MF)
        for (llvm::MachineInstr &MI : MBB) {
          uint32_t Width;
          if (MI.getOpcode() == llvm::AMDGPU::GLOBAL_LOAD_DWORD)
            Width = 4;
          else if (MI.getOpcode() == llvm::AMDGPU::GLOBAL_LOAD_DWORDX4)
            Width = 16;
          else
            continue;
          // Operands: result, address (a pair of vector registers), offset.
          llvm::MCRegister Address = MI.getOperand(1).getReg().asMCReg();
          LUTHIER_RETURN_ON_ERROR(Task.insertHookBefore(
              MI, LUTHIER_GET_HOOK_HANDLE(onLoad), {Width, Address}));
        }
    return llvm::Error::success();
  }
  void report(llvm::raw_ostream &OS) override {
    for (unsigned I : {0, 1})
      if (End[I])
        OS << llvm::formatv("{0} bytes: {1:x} to {2:x}\n", I ? 16 : 4,
                            Lowest[I], End[I]);
  }
};
LUTHIER_TOOL(LoadRange)
