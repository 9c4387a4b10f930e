// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In LLVM 22.1.8, the structurizer moves what costs nothing, such as the cast
// of a 32-bit index, up to where the ways part, and on ways that reach the same
// join otherwise leaves poison in its place. (Mended later, see LLVM's pull
// request 183792.)
#ifndef LUTHIER_HOOK_IR_FREEVALUES_H
#define LUTHIER_HOOK_IR_FREEVALUES_H

#include "hook/PassContext.h"

namespace llvm {
class Pass;
} // namespace llvm

namespace luthier {

/// What is computed from something of its own block stays: so each free value
/// that a join takes gets an operand that is made in its block, of nothing.
/// Expects to run right before the structurizer.
llvm::Pass *createPinFreeValuesPass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_FREEVALUES_H
