// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses payloads that call what only whole programs can.
#ifndef LUTHIER_HOOK_IR_SUPPORTCHECK_H
#define LUTHIER_HOOK_IR_SUPPORTCHECK_H

#include "hook/PassContext.h"

namespace luthier {

/// Refuses what this engine cannot give a hook. Expects all intrinsics of
/// Luthier to be gone: whatever is still called has to be LLVM's. Changes
/// nothing.
class SupportCheckPass : public IRPass {
public:
  llvm::StringRef name() const override { return "check-supported"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_SUPPORTCHECK_H
