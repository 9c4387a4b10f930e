// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code generation needs to know of a payload beside the processor.
#ifndef LUTHIER_HOOK_IR_FEATURES_H
#define LUTHIER_HOOK_IR_FEATURES_H

#include "hook/PassContext.h"

namespace luthier {

/// Gives payloads the subtarget features that they are compiled with: the
/// kernel's wave size; scratch instructions, which take offsets from a register
/// of our choice, where buffer instructions would need the application's
/// descriptor; and whole registers as operands, since halves of them only exist
/// in pseudo instructions that the assembly printer expands. Expects nothing.
class FeaturePass : public IRPass {
public:
  llvm::StringRef name() const override { return "features"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_FEATURES_H
