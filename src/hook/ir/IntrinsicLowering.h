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
class Function;
} // namespace llvm

namespace luthier {

/// Lowers the intrinsics called by \p F, in which their register numbers must
/// have become constants, and records in \p Result what it uses.
llvm::Error lowerIntrinsics(llvm::Function &F, const amdgpu::MCTarget &Target,
                            const PayloadABI &ABI,
                            const Counters &KnownCounters, Payload &Result);

/// Refuses what this engine cannot give a hook.
llvm::Error checkSupported(const llvm::Function &F);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_INTRINSICLOWERING_H
