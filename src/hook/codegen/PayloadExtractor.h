// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of compiling a payload: from a finished machine function to
// bytes that can be put anywhere.
#ifndef LUTHIER_HOOK_CODEGEN_PAYLOADEXTRACTOR_H
#define LUTHIER_HOOK_CODEGEN_PAYLOADEXTRACTOR_H

#include "amdgpu/MachineEncoder.h"
#include "hook/Payload.h"

namespace llvm {
class MachineFunction;
}

namespace luthier {

/// Fills the code and clobber fields of \p Result from \p MF. Returns become
/// the end of the code. Refuses a payload that needs stack memory or left the
/// ABI's budget.
llvm::Error extractPayload(const llvm::MachineFunction &MF,
                           amdgpu::MachineEncoder &Encoder,
                           const PayloadABI &ABI, Payload &Result);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_PAYLOADEXTRACTOR_H
