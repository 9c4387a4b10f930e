// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that only an active lane ends: vector instructions decide whether there
// is another turn, and where EXEC is zero they decide nothing.
#ifndef LUTHIER_HOOK_LANELOOPS_H
#define LUTHIER_HOOK_LANELOOPS_H

namespace llvm {
class Function;
} // namespace llvm

namespace luthier {

/// Makes \p Hook pass over such loops where no lane is active.
void passOverLoopsWithoutLanes(llvm::Function &Hook);

} // namespace luthier

#endif // LUTHIER_HOOK_LANELOOPS_H
