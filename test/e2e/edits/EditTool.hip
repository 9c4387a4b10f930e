// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns additions of floats into subtractions of the negated number, which is
// the same: one instruction is replaced, another one added. LUTHIER_EDITS=half
// leaves out the second, for a test that the first is executed.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <cstdlib>

MARK_LUTHIER_DEVICE_MODULE

using namespace llvm;

class EditTool : public luthier::Tool {
  Error instrument(luthier::LiftedRepresentation &LR,
                   luthier::InstrumentationTask &) override {
    const bool IsHalf = StringRef(std::getenv("LUTHIER_EDITS")) == "half";
    const TargetInstrInfo &TII = *LR.kernel().getSubtarget().getInstrInfo();
    for (MachineBasicBlock &MBB : LR.kernel())
      for (MachineInstr &MI : MBB) {
        if (MI.getOpcode() != AMDGPU::V_ADD_F32_e32)
          continue;
        // vdst, src0, vsrc1.
        const MCRegister Subtrahend = MI.getOperand(2).getReg();
        if (!IsHalf)
          BuildMI(MBB, MI, DebugLoc(), TII.get(AMDGPU::V_XOR_B32_e32),
                  Subtrahend)
              .addImm(int32_t(0x80000000))
              .addReg(Subtrahend);
        MI.setDesc(TII.get(AMDGPU::V_SUB_F32_e32));
      }
    return Error::success();
  }
};
LUTHIER_TOOL(EditTool)
