// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over everything that a wave executes, by additions in few places: as
// profilers count edges of a flow graph (Knuth's spanning tree), but for sums.
#ifndef LUTHIER_PATHSUM_H
#define LUTHIER_PATHSUM_H

#include "luthier/Export.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <utility>
#include <vector>

namespace luthier {

/// What to add to a counter of the wave for it to hold, when the wave ends, the
/// sum of one number for each instruction that it has executed. Before the end
/// the counter is behind, or ahead. All numbers are modulo 2^64: what is added
/// may be negative.
struct PathSum {
  struct Addition {
    /// Null for an addition each time that control goes from block From to To.
    llvm::MachineInstr *Before;
    uint64_t Number;
    /// A wave comes here once at most: neither in a loop nor in a function that
    /// is called.
    bool IsOnce;
    /// Nor has it been in a loop or a called function before.
    bool IsBeforeLoops;
    const llvm::MachineBasicBlock *From = nullptr, *To = nullptr;
    /// In so many loops of its function, one in another.
    unsigned LoopDepth = 0;

    /// The same for additions in the same place.
    std::pair<const void *, const void *> place() const {
      return Before ? std::pair<const void *, const void *>(Before, nullptr)
                    : std::pair<const void *, const void *>(From, To);
    }
  };
  std::vector<Addition> Additions;
  /// To add once, where the wave ends or control leaves the lifted code.
  uint64_t AtWaveEnd = 0;
};

/// Where additions may be.
enum class PathPlaces {
  Blocks,
  /// Also where a wave that has no lanes left jumps over something that most
  /// waves execute: what it would have executed is taken off there, instead of
  /// being added where it is executed. How often a jump is taken is guessed, by
  /// how much it jumps over and what lanes are compared with.
  BlocksAndSkips,
};

/// Of \p NumberOf each instruction, which must not depend on the wave. Parts of
/// blocks from which the other parts follow get no addition, those that
/// are executed often first, and of others those behind loops: a loop of one
/// block gets one; of the two sides of a branch, one side. The places are the
/// same for all numbers.
LUTHIER_API PathSum
pathSum(const LiftedRepresentation &LR,
        llvm::function_ref<uint64_t(const llvm::MachineInstr &)> NumberOf,
        PathPlaces Places = PathPlaces::Blocks);

/// The most instructions that a wave can execute, if there is neither a loop
/// nor a recursion nor code that is not lifted.
LUTHIER_API std::optional<uint64_t>
mostInstructions(const LiftedRepresentation &LR);

} // namespace luthier

#endif // LUTHIER_PATHSUM_H
