// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the instructions that each kernel executes: by waves, and by active
// lanes. Prints a table at the end and writes instr-count.json; see README.md.
#include "luthier/luthier.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/JSON.h"
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
  struct Row {
    uint64_t Dispatches = 0, Waves = 0, Lanes = 0;
  };
  std::mutex Lock;
  /// By name and device: devices must not add to one counter at a time.
  std::map<std::pair<std::string, uint64_t>, Slot> Slots;

  llvm::Error insert(LiftedRepresentation &LR, InstrumentationTask &Task,
                     size_t Index) {
    if (Index >= MaxKernels)
      return llvm::createStringError("too many kernels to count");
    for (auto &[Symbol, MF] : LR.functions())
      for (llvm::MachineBasicBlock &MBB : *MF)
        for (llvm::MachineInstr &MI : MBB)
          LUTHIER_RETURN_ON_ERROR(Task.insertHookBefore(
              MI, LUTHIER_GET_HOOK_HANDLE(countInstruction),
              {Index, isVector(MI)}));
    return llvm::Error::success();
  }

  Slot &slot(llvm::StringRef Kernel, uint64_t Device) {
    return Slots.try_emplace({Kernel.str(), Device}, Slot{Slots.size()})
        .first->second;
  }

  /// Without a device, for `luthier instrument`: kernels get their slots in
  /// the order of the file.
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    std::lock_guard Guard(Lock);
    return insert(LR, Task, slot(LR.functions().front().first.Name, 0).Index);
  }

  llvm::Error count(KernelDispatch &Dispatch) {
    const hsa::LoadedCodeObjectKernel &Kernel = Dispatch.Kernel;
    std::lock_guard Guard(Lock);
    Slot &S = slot(Kernel.name(), Kernel.agent().handle);

    auto Lifted = lift(Kernel);
    LUTHIER_RETURN_ON_ERROR(Lifted.takeError());
    auto Mutate = [&](auto &Task, auto &LR) {
      return insert(LR, Task, S.Index);
    };
    LUTHIER_RETURN_ON_ERROR(
        instrumentAndLoad(Kernel, *Lifted, Mutate, "instr-count"));
    LUTHIER_RETURN_ON_ERROR(
        overrideWithInstrumented(Dispatch.Packet, "instr-count"));
    ++S.Dispatches;
    return llvm::Error::success();
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    if (llvm::Error E = count(Dispatch))
      reportRefusal(Dispatch.Kernel, std::move(E));
  }

  void onExit() override {
    std::lock_guard Guard(Lock);
    std::map<std::string, Row> Rows;
    for (auto &[Key, S] : Slots)
      if (S.Dispatches) {
        Row &R = Rows[Key.first];
        R.Dispatches += S.Dispatches;
        const KernelCounts &C = Counts[S.Index];
        R.Waves += C.Scalar + C.Vector;
        R.Lanes += C.Scalar + C.Lanes;
      }
    if (Slots.empty())
      return;
    llvm::json::Array Kernels, Refused;
    llvm::errs() << "  dispatches     wave instr.     lane instr.  kernel\n";
    for (auto &[Name, R] : Rows) {
      llvm::errs() << llvm::formatv("{0,12}{1,16}{2,16}  {3}\n", R.Dispatches,
                                    R.Waves, R.Lanes, llvm::demangle(Name));
      Kernels.push_back(llvm::json::Object{{"name", Name},
                                           {"dispatches", R.Dispatches},
                                           {"wave_instructions", R.Waves},
                                           {"lane_instructions", R.Lanes}});
    }
    std::map<std::string, std::string> Reasons;
    for (const RefusedKernel &K : refusals())
      Reasons.emplace(K.Kernel, K.Reason);
    for (auto &[Name, Reason] : Reasons)
      Refused.push_back(llvm::json::Object{{"name", Name}, {"reason", Reason}});

    std::error_code Error;
    llvm::raw_fd_ostream File(outputPath("instr-count.json"), Error);
    llvm::json::Value Report = llvm::json::Object{
        {"kernels", std::move(Kernels)}, {"refused", std::move(Refused)}};
    File << llvm::formatv("{0:2}\n", Report);
    File.close();
    if (File.has_error()) {
      llvm::errs() << "instr-count.json: " << File.error().message() << '\n';
      File.clear_error(); // LLVM would end the program.
    }
  }
};
LUTHIER_TOOL(InstrCount)
