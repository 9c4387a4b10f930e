// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters that need no hooks and no loops of the tool's own:
//
//   sumByColumn(LR, Task, Counts[Row], ColumnOf)     a number for each class of
//                                                    instructions
//   sumOfNumbers(LR, Task, 0, Counts[Row][0], CostOf) a sum of any number
//   countPlaces(LR, Task, Places, Counts, IsWanted)  a number for each
//                                                    instruction
//
// They count what waves execute, whatever lanes are active, exactly: also where
// waves leave for code that is not lifted, which itself is not counted.
//
// It has hooks, so one file of a tool includes it. For the instructions of
// waves and lanes together, CountInstructions.h is cheaper.
#ifndef LUTHIER_COUNTERS_H
#define LUTHIER_COUNTERS_H

#include "luthier/Hook.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/Intrinsics.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/PlaceList.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace luthier {

/// So many sums can a kernel have. Each is a counter of the wave: see
/// waveAdd() for how many there is room for.
inline constexpr unsigned MaxWaveSums = 64;

/// An array of counters of the wave.
inline __device__ uint64_t WaveSums[MaxWaveSums];

} // namespace luthier

LUTHIER_HOOK_ANNOTATE luthierAddToWaveSum(uint32_t Sum, uint64_t Number) {
  luthier::waveAdd(luthier::WaveSums[Sum], Number);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddToWaveSum);

LUTHIER_HOOK_ANNOTATE luthierGiveWaveSum(uint32_t Sum, uint64_t *To) {
  luthier::waveFlush(luthier::WaveSums[Sum], *To);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierGiveWaveSum);

LUTHIER_HOOK_ANNOTATE luthierAddOneTo(uint64_t *Counter) {
  luthier::waveAtomicAdd(Counter, 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddOneTo);

namespace luthier {

namespace detail {
using NumberOfInstruction =
    llvm::function_ref<uint64_t(const llvm::MachineInstr &)>;

LUTHIER_API void insertSum(const LiftedRepresentation &LR,
                           InstrumentationTask &Task,
                           HookHandle<void(uint32_t, uint64_t)> Add,
                           HookHandle<void(uint32_t, uint64_t *)> Give,
                           uint32_t Sum, uint64_t &To,
                           NumberOfInstruction NumberOf);
LUTHIER_API llvm::Error
insertPlaces(const LiftedRepresentation &LR, InstrumentationTask &Task,
             HookHandle<void(uint64_t *)> AddOne, PlaceList &Places,
             uint64_t *Counts, size_t Most,
             llvm::function_ref<bool(const llvm::MachineInstr &)> IsWanted);
} // namespace detail

/// Adds, for each wave, the sum over all instructions that it executes of
/// \p NumberOf(MI), an integer, to \p To, in a managed variable. Sums of one
/// kernel have different numbers \p Sum, below MaxWaveSums. A wave adds in as
/// few places as suffice, without memory, and to \p To when it ends.
inline void sumOfNumbers(const LiftedRepresentation &LR,
                         InstrumentationTask &Task, uint32_t Sum, uint64_t &To,
                         detail::NumberOfInstruction NumberOf) {
  detail::insertSum(LR, Task, LUTHIER_GET_HOOK_HANDLE(luthierAddToWaveSum),
                    LUTHIER_GET_HOOK_HANDLE(luthierGiveWaveSum), Sum, To,
                    NumberOf);
}

/// Adds to \p Row[I] how many instructions waves execute for which
/// \p ColumnOf(MI) is I. What is in no column, such as -1, is not counted.
template <size_t Columns, typename F>
void sumByColumn(const LiftedRepresentation &LR, InstrumentationTask &Task,
                 uint64_t (&Row)[Columns], F ColumnOf) {
  static_assert(Columns <= MaxWaveSums,
                "a row has at most MaxWaveSums columns");
  for (uint32_t I = 0; I < Columns; ++I)
    sumOfNumbers(LR, Task, I, Row[I], [&](const llvm::MachineInstr &MI) {
      return uint64_t(static_cast<uint64_t>(ColumnOf(MI)) == I);
    });
}

/// Counts how often waves execute each instruction for which \p IsWanted(MI).
/// One hook, and one element of \p Counts, a managed variable, for all in a
/// block that run together: one atomic operation for each execution of it.
/// Fails, for instrument() to return, if \p Counts is too short.
template <size_t Most>
llvm::Error
countPlaces(const LiftedRepresentation &LR, InstrumentationTask &Task,
            PlaceList &Places, uint64_t (&Counts)[Most],
            llvm::function_ref<bool(const llvm::MachineInstr &)> IsWanted) {
  return detail::insertPlaces(LR, Task,
                              LUTHIER_GET_HOOK_HANDLE(luthierAddOneTo), Places,
                              Counts, Most, IsWanted);
}

} // namespace luthier

#endif // LUTHIER_COUNTERS_H
