// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks whose cost bench/run.py measures. LUTHIER_COST_HOOK says which is
// inserted; the tool writes cost-hooks.json, with the largest dispatch of each
// kernel and what the counting hooks have counted, for bench/run.py to compare
// with the emulator.
#include "luthier/CountInstructions.h"
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include <cstdlib>
#include <map>
#include <mutex>

using namespace luthier;

/// Instructions of waves and lanes.
__attribute__((managed)) uint64_t Counted[2];
__attribute__((managed)) uint64_t Published;
__attribute__((device)) uint32_t Stored[64];

MARK_LUTHIER_DEVICE_MODULE

LUTHIER_HOOK_ANNOTATE doNothing() {}
LUTHIER_EXPORT_HOOK_HANDLE(doNothing);

LUTHIER_HOOK_ANNOTATE addUp() {
  luthier::waveAtomicAddEach(
      Counted, {luthier::waveCounter(luthier::ExecutedInstructions),
                luthier::waveCounter(luthier::ExecutedLanes)});
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

static llvm::Error insert(llvm::StringRef Which, LiftedRepresentation &LR,
                          InstrumentationTask &Task) {
  if (Which == "blocks") {
    countInstructions(LR, Task, LUTHIER_GET_HOOK_HANDLE(addUp), {});
    return llvm::Error::success();
  }
  for (llvm::MachineInstr &MI : LR.instructions())
    if (Which == "empty")
      Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(doNothing));
    else if (Which == "store")
      Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(storeRegister),
                            {llvm::MCRegister(llvm::AMDGPU::VGPR0)});
    else if (Which == "atomic")
      isVectorInstruction(MI)
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
      Partly |= llvm::any_of(
          LR.controlTransfers(), [](const ControlTransfer &Transfer) {
            return Transfer.isUnresolved() && !Transfer.FollowsPointer;
          });
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
    Report.add("", {0, Counted[0], Counted[1], Published, Partly});
    Report.writeJSON("cost-hooks.json");
  }
};
LUTHIER_TOOL(CostHooks)
