// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that vector instructions decide, where EXEC may be zero. A loop that
// only an active lane can end would not end; a condition that LLVM knows to be
// the same in all lanes, and copies to a scalar register, would be garbage.
#ifndef LUTHIER_HOOK_IR_EMPTYEXECGUARDS_H
#define LUTHIER_HOOK_IR_EMPTYEXECGUARDS_H

namespace llvm {
class Function;
class TargetMachine;
} // namespace llvm

namespace luthier {

/// Makes \p Hook pass over such loops, and over operations of the wave under
/// such conditions, where no lane is active.
void guardAgainstEmptyExec(llvm::Function &Hook, llvm::TargetMachine &TM);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_EMPTYEXECGUARDS_H
