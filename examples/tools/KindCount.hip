// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many instructions of each kind the waves of each kernel execute: a tool
// of few lines that has options, filters, a table and a JSON file.
#include "luthier/Counters.h"
#include "luthier/CountingTool.h"
#include "luthier/luthier.h"

using namespace luthier;

__attribute__((managed)) uint64_t Counts[4096][4]; // a row for each kernel
MARK_LUTHIER_DEVICE_MODULE

static Option<bool> OfRuntime("runtime-kernels", false,
                              "count HIP's own kernels, too");
static Option<std::string> Kernel("kernel", "", "count kernels of such a name");
static Option<unsigned> Every("every", 1, "count each n-th launch of a kernel");

struct KindCount : CountingTool {
  KindCount()
      : CountingTool("kind-count", Counts,
                     {{"scalar", "scalar"},
                      {"vector", "vector"},
                      {"memory", "memory"},
                      {"branches", "branches"}}) {
    filter({.Kernel = *Kernel, .Every = *Every});
  }

  llvm::Error count(LiftedRepresentation &LR, InstrumentationTask &Task,
                    uint32_t Row) override {
    sumByColumn(LR, Task, Counts[Row], [](const llvm::MachineInstr &MI) {
      if (isBranch(MI))
        return 3;
      if (memoryAccessKind(MI))
        return 2;
      return isVectorInstruction(MI) ? 1 : 0;
    });
    return llvm::Error::success();
  }
  bool wants(const KernelDispatch &Dispatch) override {
    return *OfRuntime || !Dispatch.Kernel.isRuntimeKernel();
  }
};
LUTHIER_TOOL(KindCount)
