// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts s_cmp and s_cselect in place of the placeholders of
// ir/ScalarPlaceholders.h.
#ifndef LUTHIER_HOOK_CODEGEN_SCALARCONDITIONS_H
#define LUTHIER_HOOK_CODEGEN_SCALARCONDITIONS_H

#include "hook/PassContext.h"

namespace llvm {
class Pass;
} // namespace llvm

namespace luthier {

/// A machine pass. Expects the code that instruction selection made, in SSA
/// form. Leaves a comparison that decides a branch right before it, so that
/// the result stays in SCC, and numbers that are 1 or 0 for others.
llvm::Pass *createScalarConditionPass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_SCALARCONDITIONS_H
