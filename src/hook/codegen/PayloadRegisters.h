// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps code generation within the registers of a PayloadABI.
#ifndef LUTHIER_HOOK_CODEGEN_PAYLOADREGISTERS_H
#define LUTHIER_HOOK_CODEGEN_PAYLOADREGISTERS_H

#include "hook/PassContext.h"

namespace llvm {
class Pass;
} // namespace llvm

namespace luthier {

/// The register that local variables are addressed with: the ABI's, or one
/// that nothing else can name where the ABI has none.
llvm::MCRegister stackPointerOf(const PayloadABI &ABI);

/// A machine pass. Expects virtual registers. Leaves everything outside of the
/// ABI's windows reserved, the stack pointer chosen, and no register to be
/// preserved for a caller.
llvm::Pass *createPayloadRegisterPass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_PAYLOADREGISTERS_H
