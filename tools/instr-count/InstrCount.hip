// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the instructions that each kernel executes: by waves, and by active
// lanes. Prints a table at the end and writes instr-count.json; see README.md.
// Blocks are counted as a whole, as far as the active lanes stay the same, in
// counters of the wave.
#include "luthier/luthier.h"
#include <map>
#include <mutex>

using namespace luthier;

struct KernelCounts {
  /// Instructions that waves execute, and active lanes of vector ones.
  uint64_t Waves, Lanes;
};
constexpr size_t MaxKernels = 4096;
__attribute__((managed)) KernelCounts Counts[MaxKernels];
/// A wave's own, until it ends.
__device__ uint64_t Waves, Lanes;

MARK_LUTHIER_DEVICE_MODULE

/// Some instructions, all with the same active lanes. What a wave does once,
/// whichever lanes are active, counts as one lane.
LUTHIER_HOOK_ANNOTATE countRun(uint32_t Scalar, uint32_t Vector) {
  luthier::waveAdd(Waves, Scalar + Vector);
  luthier::waveAdd(Lanes,
                   Scalar + Vector * __popcll(__builtin_amdgcn_read_exec()));
}
LUTHIER_EXPORT_HOOK_HANDLE(countRun);

LUTHIER_HOOK_ANNOTATE addToKernel(uint32_t Slot) {
  luthier::waveFlush(Waves, Counts[Slot].Waves);
  luthier::waveFlush(Lanes, Counts[Slot].Lanes);
}
LUTHIER_EXPORT_HOOK_HANDLE(addToKernel);

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
    for (const InstructionRun &R : instructionRuns(LR))
      Task.insertHookBefore(*R.First, LUTHIER_GET_HOOK_HANDLE(countRun),
                            {R.Scalar, R.Vector});
    Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(addToKernel), {Index});
    // Waves may end in code that is not lifted.
    for (const ControlTransfer &T : LR.controlTransfers())
      if (T.isUnresolved())
        Task.insertHookBefore(*T.MI, LUTHIER_GET_HOOK_HANDLE(addToKernel),
                              {Index});
    return llvm::Error::success();
  }

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    std::lock_guard Guard(Lock);
    return insert(LR, Task, slot(LR.kernelName()).Index);
  }

  void onDispatch(KernelDispatch &Dispatch) override {
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
      if (const KernelCounts &C = Counts[S.Index]; S.Dispatches)
        Report.add(Key.first, {S.Dispatches, C.Waves, C.Lanes});
    Report.print(llvm::errs());
    Report.writeJSON("instr-count.json");
  }
};
LUTHIER_TOOL(InstrCount)
