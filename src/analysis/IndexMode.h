// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where s_set_gpr_idx_on may be in force. In that mode the operands of every
// vector instruction are indexed, those of an inserted one too.
#ifndef LUTHIER_ANALYSIS_INDEXMODE_H
#define LUTHIER_ANALYSIS_INDEXMODE_H

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class MachineBasicBlock;
class MachineFunction;
class MachineInstr;
} // namespace llvm

namespace luthier {

/// The mode after \p MI, if it was \p Before.
bool indexModeAfter(const llvm::MachineInstr &MI, bool Before);

/// Blocks that may be entered in the mode.
llvm::SmallPtrSet<const llvm::MachineBasicBlock *, 4>
blocksEnteredInIndexMode(const llvm::MachineFunction &MF);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_INDEXMODE_H
