// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intrinsics that tools have registered.
#ifndef LUTHIER_HOOK_IR_USERINTRINSICS_H
#define LUTHIER_HOOK_IR_USERINTRINSICS_H

#include "hook/PassContext.h"

namespace llvm {
class Module;
} // namespace llvm

namespace luthier {

/// Whether a tool has registered an intrinsic at all.
bool hasRegisteredIntrinsics();

/// Whether hooks of \p M may come to calls that UserIntrinsicPass replaces.
bool usesRegisteredIntrinsics(const llvm::Module &M);

/// Replaces calls of registered intrinsics by what their lowerings emit, also
/// those that such a replacement makes. Expects inlined and folded code, so
/// that lowerings see constants. Leaves intrinsics of Luthier and LLVM. Refuses
/// what a lowering refuses.
class UserIntrinsicPass : public IRPass {
public:
  llvm::StringRef name() const override { return "user-intrinsics"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_USERINTRINSICS_H
