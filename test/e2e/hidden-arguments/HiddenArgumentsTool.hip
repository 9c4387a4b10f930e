// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks in plain HIP that read implicit arguments, compiled for code object
// version 5: sizes, an offset, and whether groups may wait for each other.
#include "luthier/luthier.h"

#include "Arguments.h"
#include <hip/hip_cooperative_groups.h>

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE

extern "C" __device__ size_t __ockl_get_global_offset(unsigned);

LUTHIER_HOOK_ANNOTATE look() {
  const auto *A = static_cast<const Arguments *>(
      (const void *)__builtin_amdgcn_kernarg_segment_ptr());
  if (blockIdx.x || threadIdx.x)
    return;
  Seen &Sums = A->Sums[A->Number];
  atomicAdd(&Sums.Launches, 1u);
  atomicAdd(&Sums.GridSize, gridDim.x);
  atomicAdd(&Sums.BlockSize, blockDim.x);
  atomicAdd(&Sums.Offset, uint32_t(__ockl_get_global_offset(0)));
  atomicAdd(&Sums.IsCooperative,
            uint32_t(cooperative_groups::this_grid().is_valid()));
}
LUTHIER_EXPORT_HOOK_HANDLE(look);

struct HiddenArgumentsTool : Tool {
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    if (!llvm::StringRef(LR.functions().front().first.Name).contains("add"))
      return llvm::Error::success();
    return Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(look));
  }
};
LUTHIER_TOOL(HiddenArgumentsTool)
