// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoded instructions of one function to a machine function: blocks, pseudo
// opcodes, branch targets, position-dependent sequences.
#ifndef LUTHIER_LIFT_FUNCTIONLIFTER_H
#define LUTHIER_LIFT_FUNCTIONLIFTER_H

#include "lift/CodeTracer.h"
#include "lift/LiftedImpl.h"

namespace luthier {

/// Fills \p MF, which is empty, and what \p Impl records about instructions.
/// \p Code is what tracing from \p Entry found. The entry's block comes first,
/// then the rest by address; where that is not the order in which control runs
/// on, a branch is added.
llvm::Error liftFunction(llvm::ArrayRef<DecodedInstruction> Code,
                         uint64_t Entry, const KnownJumps &Jumps,
                         llvm::MachineFunction &MF,
                         LiftedRepresentation::Impl &Impl);

} // namespace luthier

#endif // LUTHIER_LIFT_FUNCTIONLIFTER_H
