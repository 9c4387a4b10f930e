// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of compiling a payload: from a finished machine function to
// bytes that can be put anywhere.
#ifndef LUTHIER_HOOK_CODEGEN_PAYLOADEXTRACTOR_H
#define LUTHIER_HOOK_CODEGEN_PAYLOADEXTRACTOR_H

#include "hook/PassContext.h"

namespace llvm {
class Pass;
} // namespace llvm

namespace luthier {

/// A machine pass. Expects a finished machine function, before LLVM would print
/// it, of a function in PassContext::Payloads. Fills the code and clobber
/// fields of its Payload; returns become the end of the code. Fails, in
/// PassContext, for a payload that needs stack memory which the ABI does not
/// have, or left the ABI's budget.
llvm::Pass *createCollectionPass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_PAYLOADEXTRACTOR_H
