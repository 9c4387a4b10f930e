// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces, in the IR of payloads, calls of luthier's own intrinsics.
#ifndef LUTHIER_HOOK_IR_INTRINSICLOWERING_H
#define LUTHIER_HOOK_IR_INTRINSICLOWERING_H

#include "amdgpu/MCTarget.h"
#include "hook/Payload.h"
#include "hook/ir/Variables.h"
#include "llvm/Support/Error.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace luthier {

/// Text of the inline assembly that stands for writeExec until the machine
/// pass that orders it.
inline constexpr llvm::StringLiteral WriteExecPlaceholder =
    "luthier::writeExec";

/// The qualified name of the intrinsic that \p Call calls, or nothing.
llvm::StringRef intrinsicName(const llvm::CallBase &Call);

/// Is the first argument of intrinsic \p Name a wave-private counter?
bool namesCounter(llvm::StringRef Name);

/// Is the first argument of intrinsic \p Name the number of a register?
bool namesRegister(llvm::StringRef Name);

/// Lowers the intrinsics called by \p F, in which their register numbers must
/// have become constants, and records in \p Result what it uses.
llvm::Error lowerIntrinsics(llvm::Function &F, const amdgpu::MCTarget &Target,
                            const PayloadABI &ABI,
                            const Counters &KnownCounters, Payload &Result);

/// Refuses what this engine cannot give a hook.
llvm::Error checkSupported(const llvm::Function &F);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_INTRINSICLOWERING_H
