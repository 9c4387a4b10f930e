// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces, in the IR of payloads, calls of luthier's own intrinsics.
#ifndef LUTHIER_HOOK_IR_INTRINSICLOWERING_H
#define LUTHIER_HOOK_IR_INTRINSICLOWERING_H

#include "hook/PassContext.h"

namespace luthier {

/// Replaces calls of Luthier's own intrinsics. Expects register numbers that
/// have become constants, and writeExec as the plugin left it: a callbr. Leaves
/// placeholders (Placeholders.h, ScalarPlaceholders.h), reads and writes of
/// named registers, and one luthier.scalar call for each operand that has to be
/// a scalar; writeExec has a mask as wide as the wave and is known to define
/// EXEC. Notes in the Payload what the hook uses. Refuses registers and
/// counters that the kernel does not have.
class IntrinsicPass : public IRPass {
public:
  llvm::StringRef name() const override { return "intrinsics"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_INTRINSICLOWERING_H
