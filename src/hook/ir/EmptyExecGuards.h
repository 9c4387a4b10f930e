// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that vector instructions decide, where EXEC may be zero. A loop that
// only an active lane can end would not end; a condition that LLVM knows to be
// the same in all lanes, and copies to a scalar register, would be garbage.
#ifndef LUTHIER_HOOK_IR_EMPTYEXECGUARDS_H
#define LUTHIER_HOOK_IR_EMPTYEXECGUARDS_H

#include "hook/PassContext.h"

namespace luthier {

/// Makes functions that act on the wave pass over such loops, and over
/// operations of the wave under such conditions, where no lane is active. If
/// there are such conditions, joins all ends of the function, those behind
/// traps included. Expects scalars and scalar branches to be lowered: those
/// need no guard. Leaves other functions as they are; their payloads are not
/// run at all where no lane is active (Payload::SkipsWithoutLanes).
class EmptyExecGuardPass : public IRPass {
public:
  llvm::StringRef name() const override { return "empty-exec-guards"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_EMPTYEXECGUARDS_H
