// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions of EXEC are terminators (callbr), so that no pass moves or joins
// anything across them. LLVM's structurizer writes the terminators of whatever
// lies in a condition or a loop anew and knows only br: callbr would be lost
// without a word. For that pass alone they are calls.
#ifndef LUTHIER_HOOK_IR_EXECWRITECALLS_H
#define LUTHIER_HOOK_IR_EXECWRITECALLS_H

#include "hook/PassContext.h"

namespace llvm {
class Pass;
} // namespace llvm

namespace luthier {

/// Function attribute: how many definitions of EXEC there have to be behind
/// that pass, at least.
inline constexpr const char *ExecWritesAttribute = "luthier-exec-writes";

/// Expects writes of EXEC as callbr. Leaves calls in their places, each the
/// last in its block, and their number in the attribute.
llvm::Pass *createExecWritesToCallsPass(PassContext &C);

/// Expects such calls. Leaves callbr, each at the end of a block.
llvm::Pass *createCallsToExecWritesPass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_EXECWRITECALLS_H
