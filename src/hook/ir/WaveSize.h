// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks may have been compiled for one wave size alone, and RDNA runs kernels
// of both.
#ifndef LUTHIER_HOOK_IR_WAVESIZE_H
#define LUTHIER_HOOK_IR_WAVESIZE_H

#include "llvm/Support/Error.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace luthier {

/// The wave size that the hooks of \p M were compiled for; 0 if they do not
/// say.
unsigned waveSizeOf(const llvm::Module &M);

/// Refuses payload \p F, compiled for waves of \p Compiled lanes, for those of
/// \p Actual lanes if it may depend on the difference: lanes exchange values,
/// or are counted, in the way of the other size.
llvm::Error checkWaveSize(const llvm::Function &F, unsigned Compiled,
                          unsigned Actual);

/// Gives calls of llvm.amdgcn.wavefrontsize their value, and lanes their
/// number.
void lowerWaveSize(llvm::Function &F, unsigned Compiled, unsigned Actual);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_WAVESIZE_H
