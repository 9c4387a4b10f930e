// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often conditional branches were taken, as it follows from how often the
// blocks around them were executed.
#ifndef LUTHIER_PGO_BRANCHFLOW_H
#define LUTHIER_PGO_BRANCHFLOW_H

#include "pgo/CountedBlock.h"

namespace luthier::pgo {

struct BranchFlow {
  uint64_t Taken = 0; ///< By waves.
  /// What is left less of these if each branch that is taken more often than
  /// not is turned round. Not of branches that lead back into a loop: each of
  /// its rounds has to jump once, in whatever order its blocks are.
  uint64_t Avoidable = 0;
};

/// Where more than one number fits the blocks', the largest that may be.
BranchFlow branchFlowOf(llvm::ArrayRef<CountedBlock> Blocks);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_BRANCHFLOW_H
