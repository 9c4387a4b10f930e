// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the instructions that each kernel executes: by waves, and by active
// lanes. Prints a table at the end and writes instr-count.json; see README.md.
#include "luthier/CountInstructions.h"
#include "luthier/luthier.h"
#include <map>
#include <mutex>

using namespace luthier;

constexpr size_t MaxKernels = 16384;
/// Instructions that waves execute, and active lanes of vector ones.
__attribute__((managed)) uint64_t Counts[MaxKernels][2];

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE addToKernel(uint32_t Slot) {
  luthier::waveAtomicAddEach(
      Counts[Slot], {luthier::waveCounter(luthier::ExecutedInstructions),
                     luthier::waveCounter(luthier::ExecutedLanes)});
}
LUTHIER_EXPORT_HOOK_HANDLE(addToKernel);

static Option<bool>
    OfRuntime("runtime-kernels", true,
              "count HIP's own kernels, which copy and fill memory, too");

class InstrCount : public Tool {
  struct Slot {
    size_t Index;
    uint64_t Dispatches = 0;
  };
  std::mutex Lock;
  /// By name and device: devices must not add to one counter at a time.
  std::map<std::pair<std::string, uint64_t>, Slot> Slots;

  /// The devices' slots; without a device, kernels get theirs in the order of
  /// the file.
  Slot &slot(llvm::StringRef Kernel, uint64_t Device = 0) {
    return Slots.try_emplace({Kernel.str(), Device}, Slot{Slots.size()})
        .first->second;
  }

  llvm::Error insert(LiftedRepresentation &LR, InstrumentationTask &Task,
                     size_t Index) {
    if (Index >= MaxKernels)
      return llvm::createStringError("too many kernels to count");
    countInstructions(LR, Task, LUTHIER_GET_HOOK_HANDLE(addToKernel), {Index});
    return llvm::Error::success();
  }

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    std::lock_guard Guard(Lock);
    return insert(LR, Task, slot(LR.kernelName()).Index);
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    if (!*OfRuntime && Dispatch.Kernel.isRuntimeKernel())
      return;
    std::lock_guard Guard(Lock);
    Slot &S = slot(Dispatch.Kernel.name(), Dispatch.Kernel.agent().handle);
    auto Mutate = [&](auto &Task, auto &LR) {
      return insert(LR, Task, S.Index);
    };
    if (llvm::Error E = instrumentAndOverride(Dispatch, Mutate, "instr-count"))
      return reportRefusal(Dispatch.Kernel, std::move(E));
    ++S.Dispatches;
  }

  void onExit() override {
    std::lock_guard Guard(Lock);
    if (Slots.empty())
      return;
    KernelReport Report({{"dispatches", "dispatches"},
                         {"wave_instructions", "wave instr."},
                         {"lane_instructions", "lane instr."}});
    for (auto &[Key, S] : Slots)
      if (const uint64_t *C = Counts[S.Index]; S.Dispatches)
        Report.add(Key.first, {S.Dispatches, C[0], C[1]});
    Report.writeJSON("instr-count.json");
    Report.print();
  }
};
LUTHIER_TOOL(InstrCount)
