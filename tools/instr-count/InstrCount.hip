// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the instructions that each kernel executes: by waves, and by active
// lanes. Prints a table at the end and writes instr-count.json; see README.md.
#include "luthier/luthier.h"
#include <map>
#include <mutex>

using namespace luthier;

struct KernelCounts {
  /// Executions of instructions of each kind, and active lanes of vector ones.
  uint64_t Scalar, Vector, Lanes;
};
constexpr size_t MaxKernels = 4096;
__attribute__((managed)) KernelCounts Counts[MaxKernels];

MARK_LUTHIER_DEVICE_MODULE

/// One lane adds for the wave, also where no lane is active. What a wave does
/// once, whichever lanes are active, counts as one lane.
LUTHIER_HOOK_ANNOTATE countInstruction(uint32_t Slot, bool IsVector) {
  uint64_t ActiveLanes = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  if (IsVector) {
    atomicAdd(&Counts[Slot].Vector, 1);
    atomicAdd(&Counts[Slot].Lanes, __popcll(ActiveLanes));
  } else {
    atomicAdd(&Counts[Slot].Scalar, 1);
  }
  luthier::writeExec(ActiveLanes);
}
LUTHIER_EXPORT_HOOK_HANDLE(countInstruction);

static bool isVector(const llvm::MachineInstr &MI) {
  return !llvm::SIInstrInfo::isSALU(MI) && !llvm::SIInstrInfo::isSMRD(MI) &&
         MI.getOpcode() != llvm::AMDGPU::V_READFIRSTLANE_B32 &&
         MI.getOpcode() != llvm::AMDGPU::V_READLANE_B32 &&
         MI.getOpcode() != llvm::AMDGPU::V_WRITELANE_B32;
}

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
    for (llvm::MachineInstr &MI : LR.instructions())
      Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(countInstruction),
                            {Index, isVector(MI)});
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
        Report.add(Key.first,
                   {S.Dispatches, C.Scalar + C.Vector, C.Scalar + C.Lanes});
    Report.print(llvm::errs());
    Report.writeJSON("instr-count.json");
  }
};
LUTHIER_TOOL(InstrCount)
