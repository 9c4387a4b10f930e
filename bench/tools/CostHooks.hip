// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks whose cost bench/run.py measures. LUTHIER_COST_HOOK says which is
// inserted; the tool writes cost-hooks.json, with the largest dispatch of each
// kernel and what the counting hooks have counted, for bench/run.py to compare
// with the emulator.
#include "luthier/luthier.h"
#include <cstdlib>
#include <map>
#include <mutex>

using namespace luthier;

__attribute__((managed)) uint64_t Waves, Lanes, Published;
__attribute__((device)) uint32_t Stored[64];

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE doNothing() {}
LUTHIER_EXPORT_HOOK_HANDLE(doNothing);

/// For a run of instructions, \p Vectors of them vector ones, that a wave
/// executes with the same active lanes.
LUTHIER_HOOK_ANNOTATE countRun(uint32_t Instructions, uint32_t Vectors) {
  luthier::waveAdd(Waves, Instructions);
  const uint32_t Active = __popcll(__builtin_amdgcn_read_exec());
  luthier::waveAdd(Lanes, Instructions - Vectors + Vectors * Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(countRun);

LUTHIER_HOOK_ANNOTATE addUp() {
  luthier::waveFlush(Waves);
  luthier::waveFlush(Lanes);
}
LUTHIER_EXPORT_HOOK_HANDLE(addUp);

/// The published tool's two: the first active lane adds for the wave, and, of
/// instructions of the wave, lane 0 whether active or not.
LUTHIER_HOOK_ANNOTATE publishedVector() {
  const unsigned long long Active = __builtin_amdgcn_read_exec();
  if (uint32_t(__ffsll(Active)) == uint32_t(__lane_id() + 1))
    atomicAdd(&Published, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(publishedVector);

LUTHIER_HOOK_ANNOTATE publishedScalar() {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  atomicAdd(&Published, 1);
  luthier::writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(publishedScalar);

LUTHIER_HOOK_ANNOTATE storeRegister(uint32_t Value) {
  Stored[__lane_id()] = Value;
}
LUTHIER_EXPORT_HOOK_HANDLE(storeRegister);

/// What counts once for each active lane.
static bool isOfLanes(const llvm::MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case llvm::AMDGPU::V_READFIRSTLANE_B32:
  case llvm::AMDGPU::V_READLANE_B32:
  case llvm::AMDGPU::V_WRITELANE_B32:
    return false;
  default:
    return !llvm::SIInstrInfo::isSALU(MI) && !llvm::SIInstrInfo::isSMRD(MI);
  }
}

static void countRuns(LiftedRepresentation &LR, InstrumentationTask &Task) {
  const llvm::MachineFunction &Kernel = LR.kernel();
  const auto *Registers = Kernel.getSubtarget().getRegisterInfo();
  for (auto &[Symbol, Function] : LR.functions())
    for (llvm::MachineBasicBlock &Block : *Function) {
      const llvm::MachineInstr *First = nullptr;
      unsigned Number = 0, Vectors = 0;
      auto EndRun = [&] {
        if (Number)
          Task.insertHookBefore(*First, LUTHIER_GET_HOOK_HANDLE(countRun),
                                {Number, Vectors});
        Number = Vectors = 0;
      };
      for (llvm::MachineInstr &MI : Block) {
        if (Number++ == 0)
          First = &MI;
        Vectors += isOfLanes(MI);
        if (MI.isCall() || MI.modifiesRegister(llvm::AMDGPU::EXEC, Registers))
          EndRun();
      }
      EndRun();
    }
  Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(addUp));
}

static llvm::Error insert(llvm::StringRef Which, LiftedRepresentation &LR,
                          InstrumentationTask &Task) {
  if (Which == "blocks") {
    countRuns(LR, Task);
    return llvm::Error::success();
  }
  for (llvm::MachineInstr &MI : LR.instructions())
    if (Which == "empty")
      Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(doNothing));
    else if (Which == "store")
      Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(storeRegister),
                            {llvm::MCRegister(llvm::AMDGPU::VGPR0)});
    else if (Which == "atomic")
      isOfLanes(MI)
          ? Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(publishedVector))
          : Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(publishedScalar));
    else if (Which != "none")
      return llvm::createStringError("LUTHIER_COST_HOOK names no hook");
  return llvm::Error::success();
}

class CostHooks : public Tool {
  std::mutex Lock;
  std::map<std::string, uint64_t> LargestDispatch; ///< In workgroups.
  /// Of some kernel, code runs that hooks are not in.
  bool Partly = false;

  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    {
      std::lock_guard Guard(Lock);
      Partly |= LR.hasUnresolvedTransfers();
    }
    const char *Which = std::getenv("LUTHIER_COST_HOOK");
    return insert(Which ? Which : "", LR, Task);
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    auto Groups = [](uint64_t Grid, uint64_t Size) {
      return (Grid + Size - 1) / Size;
    };
    const auto &P = Dispatch.Packet;
    const uint64_t All = Groups(P.grid_size_x, P.workgroup_size_x) *
                         Groups(P.grid_size_y, P.workgroup_size_y) *
                         Groups(P.grid_size_z, P.workgroup_size_z);
    {
      std::lock_guard Guard(Lock);
      uint64_t &Largest = LargestDispatch[Dispatch.Kernel.name().str()];
      Largest = std::max(Largest, All);
    }
    Tool::onDispatch(Dispatch);
  }

  void onExit() override {
    std::lock_guard Guard(Lock);
    KernelReport Report({{"groups", "groups"},
                         {"waves", "waves"},
                         {"lanes", "lanes"},
                         {"published", "published"},
                         {"partly", "partly"}});
    for (auto &[Kernel, Groups] : LargestDispatch)
      Report.add(Kernel, {Groups, 0, 0, 0, 0});
    Report.add("", {0, Waves, Lanes, Published, Partly});
    Report.writeJSON("cost-hooks.json");
  }
};
LUTHIER_TOOL(CostHooks)
