// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks in parts with the same active lanes, for tools that count: one hook
// for each instead of one for each instruction.
#ifndef LUTHIER_INSTRUCTIONRUNS_H
#define LUTHIER_INSTRUCTIONRUNS_H

#include "luthier/Export.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/SmallVector.h"
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

/// Vector instructions whose active lanes can be counted in one place.
struct LaneGroup {
  /// The first of them that is executed.
  llvm::MachineInstr *Begin;
  /// A wave comes here once at most: neither in a loop nor in a function that
  /// is called.
  bool IsOnce;
  /// Nor has it been in a loop or a called function before.
  bool IsBeforeLoops;
  /// Those that are executed each time that a wave comes here, or cannot be for
  /// want of lanes, with the lanes that there are.
  llvm::SmallVector<const llvm::MachineInstr *, 8> Instructions;
  /// Those of Instructions of another group that are executed with its lanes
  /// but without these here: for instance of an `else`, where this group is the
  /// `if` and the other one what is before both. Fewer than Instructions.
  llvm::SmallVector<const llvm::MachineInstr *, 2> Without = {};
};

/// The sum of active lanes over all vector instructions that a wave executes is
/// the sum, over all groups and times that it comes to one, of the lanes there
/// times the difference of the sizes of Instructions and Without. Each vector
/// instruction that may be reached is in Instructions of one: runs of
/// instructionRuns(), joined where analysis finds that they have the same
/// lanes, as behind the end of an `if` and before it. Those of called functions
/// are not joined, nor those of kernels that call any.
LUTHIER_API std::vector<LaneGroup> laneGroups(const LiftedRepresentation &LR);

} // namespace luthier

#endif // LUTHIER_INSTRUCTIONRUNS_H
