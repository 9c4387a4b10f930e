// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says which of three presets change the packet: hooks without code, a branch
// that goes elsewhere, and one instruction more. None of them runs.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

MARK_LUTHIER_DEVICE_MODULE

using namespace llvm;
using namespace luthier;

LUTHIER_HOOK_ANNOTATE doNothing(uint32_t Number) {}
LUTHIER_EXPORT_HOOK_HANDLE(doNothing);

static Error insertNothing(InstrumentationTask &Task,
                           LiftedRepresentation &LR) {
  for (MachineInstr &MI : LR.instructions())
    Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(doNothing), {7});
  return Error::success();
}

static Error addInstruction(InstrumentationTask &, LiftedRepresentation &LR) {
  MachineBasicBlock &MBB = LR.kernel().front();
  BuildMI(MBB, MBB.begin(), DebugLoc(),
          LR.kernel().getSubtarget().getInstrInfo()->get(AMDGPU::S_NOP))
      .addImm(0);
  return Error::success();
}

/// To the next block, whether lanes are active or not: the same number of
/// instructions, of the same kinds.
static Error changeBranch(InstrumentationTask &, LiftedRepresentation &LR) {
  for (MachineInstr &MI : LR.instructions())
    if (MI.getOpcode() == AMDGPU::S_CBRANCH_EXECZ)
      MI.getOperand(0).setMBB(MI.getParent()->getNextNode());
  return Error::success();
}

class NothingTool : public Tool {
  void dispatch(KernelDispatch &Dispatch, Mutator Mutate, StringRef Preset) {
    const hsa_kernel_dispatch_packet_t Before = Dispatch.Packet;
    if (Error E = instrumentAndOverride(Dispatch, Mutate, Preset))
      return reportRefusal(Dispatch.Kernel, std::move(E));
    const bool IsSame =
        std::memcmp(&Before, &Dispatch.Packet, sizeof(Before)) == 0;
    outs() << Preset << (IsSame ? ": the same packet\n" : ": another packet\n");
    Dispatch.Packet = Before;
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    dispatch(Dispatch, insertNothing, "nothing");
    dispatch(Dispatch, changeBranch, "branch");
    dispatch(Dispatch, addInstruction, "instruction");
  }
};
LUTHIER_TOOL(NothingTool)
