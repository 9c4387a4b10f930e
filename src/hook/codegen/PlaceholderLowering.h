// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts real instructions in place of the placeholders of ir/Placeholders.h.
#ifndef LUTHIER_HOOK_CODEGEN_PLACEHOLDERLOWERING_H
#define LUTHIER_HOOK_CODEGEN_PLACEHOLDERLOWERING_H

#include "hook/PassContext.h"

namespace llvm {
class Pass;
} // namespace llvm

namespace luthier {

/// A machine pass. Expects machine code in SSA form, in which placeholders are
/// inline assembly. Leaves v_readlane and v_writelane of the state value array
/// itself, of which there is no copy, and moves for the others.
llvm::Pass *createPlaceholderPass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_PLACEHOLDERLOWERING_H
