// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Counters.h inserts.
#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/PathSum.h"
#include "luthier/PlaceList.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"

using namespace llvm;

namespace luthier::detail {

// Counters.h declares them, and has hooks.
LUTHIER_API void insertSum(const LiftedRepresentation &LR,
                           InstrumentationTask &Task,
                           HookHandle<void(uint32_t, uint64_t)> Add,
                           HookHandle<void(uint32_t, uint64_t *)> Give,
                           uint32_t Sum, uint64_t &To,
                           function_ref<uint64_t(const MachineInstr &)>);
LUTHIER_API Error insertPlaces(const LiftedRepresentation &LR,
                               InstrumentationTask &Task,
                               HookHandle<void(uint64_t *)> AddOne,
                               PlaceList &Places, uint64_t *Counts, size_t Most,
                               function_ref<bool(const MachineInstr &)>);

void insertSum(const LiftedRepresentation &LR, InstrumentationTask &Task,
               HookHandle<void(uint32_t, uint64_t)> Add,
               HookHandle<void(uint32_t, uint64_t *)> Give, uint32_t Sum,
               uint64_t &To,
               function_ref<uint64_t(const MachineInstr &)> NumberOf) {
  const PathSum Path = pathSum(LR, NumberOf);
  if (Path.Additions.empty() && !Path.AtWaveEnd)
    return;
  if (Path.AtWaveEnd)
    Task.insertHookAtKernelEntry(Add, {Sum, Path.AtWaveEnd});
  for (const PathSum::Addition &A : Path.Additions)
    Task.insertHookBefore(*A.Before, Add, {Sum, A.Number});
  Task.insertHookAtWaveEnd(Give, {Sum, &To});
  for (const ControlTransfer &T : LR.controlTransfers())
    if (T.isUnresolved())
      Task.insertHookBefore(*T.MI, Give, {Sum, &To});
}

Error insertPlaces(const LiftedRepresentation &LR, InstrumentationTask &Task,
                   HookHandle<void(uint64_t *)> AddOne, PlaceList &Places,
                   uint64_t *Counts, size_t Most,
                   function_ref<bool(const MachineInstr &)> IsWanted) {
  SmallVector<const MachineInstr *, 16> Together;
  bool HasRoom = true;
  auto insert = [&] {
    if (Together.empty())
      return;
    const uint32_t Number = Places.add(LR, Together);
    HasRoom &= Number < Most;
    if (HasRoom)
      Task.insertHookBefore(*Together.front(), AddOne, {&Counts[Number]});
    Together.clear();
  };
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF) {
      for (const MachineInstr &MI : MBB) {
        if (IsWanted(MI))
          Together.push_back(&MI);
        if (MI.isCall()) // The wave may end in there.
          insert();
      }
      insert();
    }
  if (!HasRoom)
    return createStringError("there are more places to count than counters");
  return Error::success();
}

} // namespace luthier::detail
