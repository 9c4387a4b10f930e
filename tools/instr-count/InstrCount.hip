// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the instructions that each kernel executes: by waves, and by active
// lanes. Prints a table at the end and writes instr-count.json; see README.md.
#include "luthier/CountInstructions.h"
#include "luthier/CountingTool.h"
#include "luthier/luthier.h"

using namespace luthier;

constexpr size_t MaxKernels = 16384;
/// Instructions that waves execute, and active lanes of vector ones.
__attribute__((managed)) uint64_t Counts[MaxKernels][2];

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE addToKernel(uint32_t Row) {
  luthier::waveAtomicAddEach(
      Counts[Row], {luthier::waveCounter(luthier::ExecutedInstructions),
                    luthier::waveCounter(luthier::ExecutedLanes)});
}
LUTHIER_EXPORT_HOOK_HANDLE(addToKernel);

static Option<bool>
    OfRuntime("runtime-kernels", true,
              "count HIP's own kernels, which copy and fill memory, too");

struct InstrCount : CountingTool {
  InstrCount()
      : CountingTool("instr-count", Counts,
                     {{"wave_instructions", "wave instr."},
                      {"lane_instructions", "lane instr."}}) {}

  llvm::Error count(LiftedRepresentation &LR, InstrumentationTask &Task,
                    uint32_t Row) override {
    countInstructions(LR, Task, LUTHIER_GET_HOOK_HANDLE(addToKernel), {Row});
    return llvm::Error::success();
  }
  bool wants(const KernelDispatch &Dispatch) override {
    return *OfRuntime || !Dispatch.Kernel.isRuntimeKernel();
  }
};
LUTHIER_TOOL(InstrCount)
