// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From hooks to one IR function per payload, as far as that does not depend on
// the PayloadABI.
#ifndef LUTHIER_HOOK_IR_PAYLOADIR_H
#define LUTHIER_HOOK_IR_PAYLOADIR_H

#include "hook/PassContext.h"
#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Module;
class TargetMachine;
class Type;
} // namespace llvm

namespace luthier {

/// Payload functions are called this and their index.
inline constexpr llvm::StringLiteral PayloadPrefix = "luthier.payload.";

/// Function attribute of payloads whose EXEC nobody needs when they are over
/// (PayloadVariant::EndsWave).
inline constexpr const char *EndsWaveAttribute = "luthier-ends-wave";

/// A number or pointer of up to 64 bits, which needs no detour through memory.
bool isScalar(const llvm::Type &T);

/// Refuses with UnknownHook.
llvm::Expected<llvm::Function &> findHook(llvm::Module &M, llvm::StringRef Name,
                                          llvm::StringRef ToolName);

/// What makes \p F a payload for code generation: LLVM is to add nothing of a
/// function that is called.
void setPayloadAttributes(llvm::Function &F, const llvm::TargetMachine &TM);

/// Adds a function per variant to \p M, with the hook and what it calls inlined
/// and constants folded, and removes everything else. Passes come after that.
llvm::Expected<std::vector<llvm::Function *>>
createPayloads(llvm::Module &M, llvm::ArrayRef<PayloadVariant> Variants,
               const HookModule &Hooks, llvm::TargetMachine &TM);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_PAYLOADIR_H
