// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A basic block with how often it was executed.
#ifndef LUTHIER_PGO_COUNTEDBLOCK_H
#define LUTHIER_PGO_COUNTEDBLOCK_H

#include "luthier/LiftedRepresentation.h"
#include "pgo/Execution.h"
#include <optional>
#include <string>
#include <vector>

namespace luthier::pgo {

struct CountedBlock {
  std::string Function; ///< Its symbol.
  uint64_t Address = 0; ///< As linked.
  unsigned Instructions = 0;
  /// The waves that came to it, and the active lanes of the instruction that
  /// has most: the first ones may stand before lanes are put back.
  ExecutionCount Count;
  std::optional<SourceLine> Source; ///< Of the first instruction that has one.
  uint64_t Last = 0;                ///< Address of the last instruction.
  uint64_t End = 0;                 ///< Address behind the last instruction.
  /// Its last instruction is a branch that is always taken. In another order of
  /// the blocks, what it leads to could follow without it.
  bool EndsInJump = false;
  /// Addresses of the blocks that it goes on to, and of that which a
  /// conditional branch at its end leads to.
  std::vector<uint64_t> Successors;
  std::optional<uint64_t> Target;
  bool IsEntry = false; ///< Waves may come to it from elsewhere.
  /// Executions of its instructions by waves, in all and of those whose line is
  /// known.
  uint64_t Executed = 0, WithLine = 0;
};

} // namespace luthier::pgo

#endif // LUTHIER_PGO_COUNTEDBLOCK_H
