// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LUTHIER_HOOK_IR_WAVEEFFECTS_H
#define LUTHIER_HOOK_IR_WAVEEFFECTS_H

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace luthier {

/// Whether \p I, in a payload with lowered intrinsics, is an operation of the
/// wave: it happens whatever the active lanes are.
bool isWaveEffect(const llvm::Instruction &I);

/// Whether \p F contains one.
bool actsOnWave(const llvm::Function &F);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_WAVEEFFECTS_H
