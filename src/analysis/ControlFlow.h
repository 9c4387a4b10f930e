// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How control gets from block to block, and out of a function, as far as the
// edges of the machine function do not say.
#ifndef LUTHIER_ANALYSIS_CONTROLFLOW_H
#define LUTHIER_ANALYSIS_CONTROLFLOW_H

#include "luthier/Analysis.h"
#include "llvm/ADT/DenseSet.h"

namespace llvm {
class MachineBasicBlock;
class MachineFunction;
class raw_ostream;
} // namespace llvm

namespace luthier {

BlockEnd endOf(const llvm::MachineBasicBlock &MBB,
               const LiftedRepresentation &LR);

/// Blocks that control can get to from their function's entry. Others are data
/// or dead: jumps to unknown places go to the original's code.
llvm::DenseSet<const llvm::MachineBasicBlock *>
reachedBlocks(const llvm::MachineFunction &MF);

/// Nothing calls the kernel: a wave comes once to what no loop of it holds.
bool isEnteredOnce(const LiftedRepresentation &LR);

/// Of the kernel's own, those that a wave comes to before any loop and any
/// call.
llvm::DenseSet<const llvm::MachineBasicBlock *>
blocksBeforeLoops(const LiftedRepresentation &LR);

/// One line per block: its addresses, and how control comes and goes.
void printControlFlow(const LiftedRepresentation &LR, llvm::raw_ostream &OS);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_CONTROLFLOW_H
