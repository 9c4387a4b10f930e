// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoded instructions of one function to a machine function: blocks, pseudo
// opcodes, branch targets, position-dependent sequences.
#ifndef LUTHIER_LIFT_FUNCTIONLIFTER_H
#define LUTHIER_LIFT_FUNCTIONLIFTER_H

#include "lift/Decoder.h"
#include "lift/LiftedImpl.h"

namespace luthier {

/// Fills \p MF, which is empty, and what \p Impl records about instructions.
llvm::Error liftFunction(llvm::ArrayRef<DecodedInstruction> Code,
                         llvm::MachineFunction &MF,
                         LiftedRepresentation::Impl &Impl);

} // namespace luthier

#endif // LUTHIER_LIFT_FUNCTIONLIFTER_H
