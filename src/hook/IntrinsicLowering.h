// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces, in the IR of payloads, what only the engine can know: addresses of
// the tool's variables, registers of the application, definitions of EXEC.
#ifndef LUTHIER_HOOK_INTRINSICLOWERING_H
#define LUTHIER_HOOK_INTRINSICLOWERING_H

#include "amdgpu/MCTarget.h"
#include "hook/Payload.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace luthier {

/// Text of the inline assembly that stands for writeExec until the machine
/// pass that orders it.
inline constexpr llvm::StringLiteral WriteExecMarker = "luthier::writeExec";

/// Gives variables their addresses: every reference becomes a constant. Refuses
/// variables that the tool's code object does not define, and shared memory.
llvm::Error bindVariables(llvm::Module &M, const HookModule &Hooks);

/// Lowers the intrinsics called by \p F, in which their register numbers must
/// have become constants, and records in \p Result what it uses.
llvm::Error lowerIntrinsics(llvm::Function &F, const amdgpu::MCTarget &Target,
                            const PayloadFrame &Frame, Payload &Result);

/// Refuses what this engine cannot give a hook: launch state, stack, calls.
llvm::Error checkSupported(const llvm::Function &F);

} // namespace luthier

#endif // LUTHIER_HOOK_INTRINSICLOWERING_H
