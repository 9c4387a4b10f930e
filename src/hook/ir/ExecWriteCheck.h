// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a hook may write EXEC.
#ifndef LUTHIER_HOOK_IR_EXECWRITECHECK_H
#define LUTHIER_HOOK_IR_EXECWRITECHECK_H

#include "hook/PassContext.h"

namespace luthier {

/// Refuses definitions of EXEC where lanes go different ways, which code that
/// LLVM adds brings together again: in loops that lanes leave at different
/// times, and in conditions, unless EXEC is set back before their end. Expects
/// inlined and simplified code, in which arguments are still intrinsics.
/// Changes nothing.
class ExecWriteCheckPass : public IRPass {
public:
  llvm::StringRef name() const override { return "check-exec-writes"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_EXECWRITECHECK_H
