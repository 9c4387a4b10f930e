// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks in parts with the same active lanes, for tools that count: one hook
// for each instead of one for each instruction.
#ifndef LUTHIER_INSTRUCTIONRUNS_H
#define LUTHIER_INSTRUCTIONRUNS_H

#include "luthier/Export.h"
#include "luthier/LiftedRepresentation.h"
#include <vector>

namespace luthier {

/// Instructions of a block that waves execute one after the other, all or none,
/// with the same active lanes.
struct InstructionRun {
  llvm::MachineInstr *First;
  /// Those that a wave executes once, whichever lanes are active: scalar ones,
  /// branches, v_readlane, v_readfirstlane, v_writelane.
  unsigned Scalar = 0;
  /// Those that each active lane executes.
  unsigned Vector = 0;
};

/// Each active lane executes \p MI, and not the wave once: it counts as Vector.
LUTHIER_API bool isVectorInstruction(const llvm::MachineInstr &MI);

/// Of all functions, in the order of the code. A run ends behind what changes
/// EXEC or may leave the block, calls included.
LUTHIER_API std::vector<InstructionRun>
instructionRuns(const LiftedRepresentation &LR);

} // namespace luthier

#endif // LUTHIER_INSTRUCTIONRUNS_H
