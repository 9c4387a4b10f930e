// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what hooks see of the launch at the kernel's start and at its end to
// where the kernel's first argument says.
#include "luthier/luthier.h"

#include "Record.h"

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE record(uint32_t Slot) {
  const auto *R = static_cast<const Records *>(
      (const void *)__builtin_amdgcn_kernarg_segment_ptr());
  writeRecord(R->Slots[Slot][workItem()]);
}
LUTHIER_EXPORT_HOOK_HANDLE(record);

struct LaunchState : Tool {
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    // HIP fills memory with kernels of its own, which have other arguments.
    if (llvm::StringRef(LR.functions().front().first.Name).starts_with("__amd"))
      return llvm::Error::success();
    const void *Hook = LUTHIER_GET_HOOK_HANDLE(record);
    LUTHIER_RETURN_ON_ERROR(Task.insertHookAtKernelEntry(Hook, {1}));
    return Task.insertHookAtEndpgm(Hook, {2});
  }
};
LUTHIER_TOOL(LaunchState)
