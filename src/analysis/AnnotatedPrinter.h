// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifted code with facts beside it, for `luthier lift --print`.
#ifndef LUTHIER_ANALYSIS_ANNOTATEDPRINTER_H
#define LUTHIER_ANALYSIS_ANNOTATEDPRINTER_H

#include "analysis/RegisterSet.h"
#include "luthier/LiftedRepresentation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class raw_ostream;
}

namespace luthier {

/// "# kernel add"
void printHeading(const LiftedRepresentation &LR, const LiftedSymbol &Symbol,
                  llvm::raw_ostream &OS);

/// Each instruction, after a line with the registers that \p Before has for it:
///   bb.0:
///     # live: s0-s1 v0 exec
///   00001000  renamable $vgpr1 = V_MOV_B32_e32 0, implicit $exec
/// The line is left out where it would be the one before.
void printAnnotated(
    const LiftedRepresentation &LR, llvm::StringRef Label,
    llvm::function_ref<const RegisterSet &(const llvm::MachineInstr &)> Before,
    llvm::raw_ostream &OS);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_ANNOTATEDPRINTER_H
