// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what hooks see of the launch and compute at the kernel's start and at
// its end to where the kernel's first argument says, and what the clocks say
// there.
#include "luthier/luthier.h"

#include "Record.h"
#ifndef __HIP_DEVICE_COMPILE__
#include "luthier/MachineIR.h"
#endif

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE

static __device__ const Records &records() {
  return *static_cast<const Records *>(
      (const void *)__builtin_amdgcn_kernarg_segment_ptr());
}

LUTHIER_HOOK_ANNOTATE record(uint32_t Slot) {
  writeRecord(records().Slots[Slot][workItem()]);
  records().Where[Slot][workItem()] = pointersNow();
  compute(records().Results[Slot][workItem()], workItem());
}
LUTHIER_EXPORT_HOOK_HANDLE(record);

LUTHIER_HOOK_ANNOTATE look(uint32_t When) {
  records().Clocks[When][workItem()] = timesNow();
}
LUTHIER_EXPORT_HOOK_HANDLE(look);

#ifndef __HIP_DEVICE_COMPILE__
struct LaunchState : Tool {
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    // HIP fills memory with kernels of its own, which have other arguments.
    if (llvm::StringRef(LR.functions().front().first.Name).starts_with("__amd"))
      return llvm::Error::success();
    const void *Hook = LUTHIER_GET_HOOK_HANDLE(record);
    LUTHIER_RETURN_ON_ERROR(Task.insertHookAtKernelEntry(Hook, {1}));
    LUTHIER_RETURN_ON_ERROR(Task.insertHookAtEndpgm(Hook, {2}));
    const void *Look = LUTHIER_GET_HOOK_HANDLE(look);
    LUTHIER_RETURN_ON_ERROR(
        Task.insertHookAtKernelEntry(Look, {uint32_t(AtEntry)}));
    for (auto &[Symbol, MF] : LR.functions())
      for (llvm::MachineBasicBlock &MBB : *MF)
        for (llvm::MachineInstr &MI : MBB)
          if (MI.getOpcode() == llvm::AMDGPU::S_BARRIER)
            LUTHIER_RETURN_ON_ERROR(
                Task.insertHookBefore(MI, Look, {uint32_t(Between)}));
    return Task.insertHookAtEndpgm(Look, {uint32_t(AtEnd)});
  }
};
LUTHIER_TOOL(LaunchState)
#endif // __HIP_DEVICE_COMPILE__
