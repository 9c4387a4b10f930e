// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local variables whose place or size only code could find out.
#ifndef LUTHIER_HOOK_IR_ALLOCALOWERING_H
#define LUTHIER_HOOK_IR_ALLOCALOWERING_H

#include "hook/PassContext.h"

namespace luthier {

/// Gives each local variable room of a fixed size in the entry block: one whose
/// size is computed gets the most that the computation can yield, and one that
/// needs more alignment than a payload's stack has gets room to move in.
/// Leaves no llvm.stacksave or llvm.stackrestore. Refuses sizes without a bound
/// that fits, and memory that a loop takes again and again.
class AllocaPass : public IRPass {
public:
  llvm::StringRef name() const override { return "allocas"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_ALLOCALOWERING_H
