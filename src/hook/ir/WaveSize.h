// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks may have been compiled for one wave size alone, and RDNA runs kernels
// of both.
#ifndef LUTHIER_HOOK_IR_WAVESIZE_H
#define LUTHIER_HOOK_IR_WAVESIZE_H

#include "hook/PassContext.h"

namespace llvm {
class Module;
} // namespace llvm

namespace luthier {

/// The wave size that the hooks of \p M were compiled for; 0 if they do not
/// say.
unsigned waveSizeOf(const llvm::Module &M);

/// Fits a hook compiled for waves of one size into a kernel of the other.
/// Expects calls of LLVM's intrinsics as clang left them. Leaves none of
/// llvm.amdgcn.wavefrontsize, and numbers of lanes that count as far as the
/// kernel's waves go. Refuses what depends on the difference: lanes exchange
/// values, or are counted, in the way of the other size.
class WaveSizePass : public IRPass {
public:
  llvm::StringRef name() const override { return "wave-size"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_WAVESIZE_H
