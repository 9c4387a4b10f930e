// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps code generation within the registers of a PayloadABI.
#ifndef LUTHIER_HOOK_CODEGEN_PAYLOADREGISTERS_H
#define LUTHIER_HOOK_CODEGEN_PAYLOADREGISTERS_H

#include "amdgpu/MCTarget.h"
#include "hook/Payload.h"

namespace llvm {
class MachineFunction;
class MachineFunctionPass;
} // namespace llvm

namespace luthier {

/// The register that local variables are addressed with: the ABI's, or one
/// that nothing else can name where the ABI has none.
llvm::MCRegister stackPointerOf(const PayloadABI &ABI);

/// Keeps everything outside of the ABI's windows out of register allocation.
/// To be run right after instruction selection.
llvm::MachineFunctionPass *
createPayloadRegisterPass(const amdgpu::MCTarget &Target,
                          const PayloadABI &ABI);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_PAYLOADREGISTERS_H
