// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of each register file a kernel may touch.
#ifndef LUTHIER_ANALYSIS_REGISTERUSE_H
#define LUTHIER_ANALYSIS_REGISTERUSE_H

#include "luthier/Analysis.h"

namespace luthier {

/// What the code of all its functions names, or the whole allocation of a file
/// that it also reaches through an index; of all files if it runs code that is
/// not lifted. Registers that the hardware fills at launch count.
RegisterUse registerUse(const LiftedRepresentation &LR);

/// What instructions name.
struct NamedRegisters {
  RegisterUse Own;    ///< Those of the original.
  RegisterUse Edited; ///< Those that a tool has changed or added.
};
NamedRegisters registersInCode(const LiftedRepresentation &LR);
/// registerUse(), with what is known already.
RegisterUse registerUse(const LiftedRepresentation &LR,
                        const NamedRegisters &Named);

/// Everything that the descriptor allocates.
RegisterUse registerAllocation(const LiftedRepresentation &LR);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_REGISTERUSE_H
