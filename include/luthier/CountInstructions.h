// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what a kernel's waves execute, exactly, in as few places as their
// counters allow. For tools that want the sums of a wave, a kernel or a
// program:
//
//   LUTHIER_HOOK_ANNOTATE addToKernel(uint32_t Slot) {
//     waveAtomicAddEach(Counts[Slot], {waveCounter(ExecutedInstructions),
//                                      waveCounter(ExecutedLanes)});
//   }
//
//   countInstructions(LR, Task, LUTHIER_GET_HOOK_HANDLE(addToKernel), {Slot});
//
// It has hooks, so one file of a tool includes it. They take four counters of
// the wave at most.
#ifndef LUTHIER_COUNTINSTRUCTIONS_H
#define LUTHIER_COUNTINSTRUCTIONS_H

#include "luthier/ExecRegions.h"
#include "luthier/Hook.h"
#include "luthier/InstructionRuns.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/Intrinsics.h"
#include "luthier/PathSum.h"

namespace luthier {

/// Counters of the wave, complete when the hook runs that countInstructions()
/// is given: instructions that the wave has executed, and, summed over them, of
/// vector instructions the active lanes, of others (isVectorInstruction()) one.
inline __device__ uint64_t ExecutedInstructions, ExecutedLanes;

namespace detail {
/// Vector instructions that were executed with RegionLanes active.
inline __device__ uint64_t RegionVectors, RegionLanes;
} // namespace detail

LUTHIER_HOOK_ANNOTATE luthierAddInstructions(uint64_t Number) {
  luthier::waveAdd(luthier::ExecutedInstructions, Number);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddInstructions);

LUTHIER_HOOK_ANNOTATE luthierAddRegionVectors(uint64_t Number) {
  luthier::waveAdd(luthier::detail::RegionVectors, Number);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddRegionVectors);

LUTHIER_HOOK_ANNOTATE luthierBeginRegion() {
  luthier::waveAdd(luthier::detail::RegionLanes,
                   __popcll(__builtin_amdgcn_read_exec()));
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierBeginRegion);

/// ExecutedLanes are those beyond one for each instruction, until the end.
LUTHIER_HOOK_ANNOTATE luthierAddLanes(int32_t Vectors) {
  const int32_t Lanes = __popcll(__builtin_amdgcn_read_exec());
  luthier::waveAdd(luthier::ExecutedLanes, int64_t(Vectors * (Lanes - 1)));
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddLanes);

LUTHIER_HOOK_ANNOTATE luthierEndRegion(uint64_t Number) {
  const uint64_t Vectors =
      luthier::waveCounter(luthier::detail::RegionVectors) + Number;
  const uint32_t Lanes = luthier::waveCounter(luthier::detail::RegionLanes);
  luthier::waveAdd(luthier::ExecutedLanes, Vectors * Lanes - Vectors);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierEndRegion);

LUTHIER_HOOK_ANNOTATE luthierEndCounts(uint64_t Number) {
  luthier::waveAdd(luthier::ExecutedInstructions, Number);
  luthier::waveAdd(luthier::ExecutedLanes,
                   luthier::waveCounter(luthier::ExecutedInstructions));
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierEndCounts);

/// Behind the end, for waves that come back from code that is not lifted.
LUTHIER_HOOK_ANNOTATE luthierStartCountsAgain() {
  for (const uint64_t *Counter :
       {&luthier::ExecutedInstructions, &luthier::ExecutedLanes})
    luthier::waveAdd(*Counter, 0 - luthier::waveCounter(*Counter));
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierStartCountsAgain);

LUTHIER_HOOK_ANNOTATE luthierStartRegionAgain() {
  luthier::waveAdd(luthier::detail::RegionVectors,
                   0 - luthier::waveCounter(luthier::detail::RegionVectors));
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierStartRegionAgain);

/// Has \p AtEnd run with \p Args when a wave ends, and before it leaves for
/// code that is not lifted, which nothing counts.
template <typename H>
void countInstructions(const LiftedRepresentation &LR,
                       InstrumentationTask &Task, H AtEnd,
                       typename detail::ArgumentsOf<H>::Type Args) {
  const std::vector<ExecRegion> Regions = execRegions(LR);
  const ExecRegion *Region = Regions.empty() ? nullptr : &Regions.front();
  auto IsInRegion = [&](const llvm::MachineInstr &MI) {
    return Region && Region->contains(MI);
  };
  auto AddOnPaths = [&](const PathSum &Sum, auto Hook) {
    for (const PathSum::Addition &A : Sum.Additions)
      Task.insertHookBefore(*A.Before, Hook, {A.Number});
    return Sum.AtWaveEnd;
  };
  const uint64_t Last =
      AddOnPaths(pathSum(LR, [](const llvm::MachineInstr &) { return 1; }),
                 LUTHIER_GET_HOOK_HANDLE(luthierAddInstructions));
  uint64_t LastOfRegion = 0;
  if (Region) {
    Task.insertHookBefore(*Region->Begin,
                          LUTHIER_GET_HOOK_HANDLE(luthierBeginRegion));
    LastOfRegion =
        AddOnPaths(pathSum(LR,
                           [&](const llvm::MachineInstr &MI) {
                             return IsInRegion(MI) && isVectorInstruction(MI);
                           }),
                   LUTHIER_GET_HOOK_HANDLE(luthierAddRegionVectors));
  }
  for (const InstructionRun &R : instructionRuns(LR))
    if (R.Vector && !IsInRegion(*R.First))
      Task.insertHookBefore(*R.First, LUTHIER_GET_HOOK_HANDLE(luthierAddLanes),
                            {R.Vector});

  if (Region)
    Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(luthierEndRegion),
                             {LastOfRegion});
  Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(luthierEndCounts), {Last});
  Task.insertHookAtWaveEnd(AtEnd, Args);
  for (const ControlTransfer &T : LR.controlTransfers()) {
    if (!T.isUnresolved())
      continue;
    if (Region)
      Task.insertHookBefore(*T.MI, LUTHIER_GET_HOOK_HANDLE(luthierEndRegion),
                            {LastOfRegion});
    Task.insertHookBefore(*T.MI, LUTHIER_GET_HOOK_HANDLE(luthierEndCounts),
                          {Last});
    Task.insertHookBefore(*T.MI, AtEnd, Args);
    Task.insertHookBefore(*T.MI,
                          LUTHIER_GET_HOOK_HANDLE(luthierStartCountsAgain));
    if (Region)
      Task.insertHookBefore(*T.MI,
                            LUTHIER_GET_HOOK_HANDLE(luthierStartRegionAgain));
  }
}

} // namespace luthier

#endif // LUTHIER_COUNTINSTRUCTIONS_H
