// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s_clause, which says how many instructions behind it memory is to take
// without those of other waves in between (RDNA 3 ISA, S_CLAUSE).
#ifndef LUTHIER_ANALYSIS_CLAUSE_H
#define LUTHIER_ANALYSIS_CLAUSE_H

#include "luthier/LiftedRepresentation.h"

namespace luthier {

/// Instructions in the clause that \p MI announces. 0 if it announces none, and
/// if a tool has changed what is in it or its block ends earlier: its number is
/// then not true, or not on every way, and clauses are a matter of speed alone.
unsigned clauseLength(const LiftedRepresentation &LR,
                      const llvm::MachineInstr &MI);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_CLAUSE_H
