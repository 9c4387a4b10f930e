// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fits code generation into a payload's frame.
#ifndef LUTHIER_HOOK_FRAMEPASSES_H
#define LUTHIER_HOOK_FRAMEPASSES_H

#include "amdgpu/MCTarget.h"
#include "hook/Payload.h"

namespace llvm {
class MachineFunction;
class MachineFunctionPass;
} // namespace llvm

namespace luthier {

/// The register that local variables are addressed with: the frame's, or one
/// that nothing else can name where the frame has none.
llvm::MCRegister stackPointerOf(const PayloadFrame &Frame);

/// Keeps everything outside of the frame's windows out of register allocation.
/// To be run right after instruction selection.
llvm::MachineFunctionPass *createFramePass(const amdgpu::MCTarget &Target,
                                           const PayloadFrame &Frame);

} // namespace luthier

#endif // LUTHIER_HOOK_FRAMEPASSES_H
