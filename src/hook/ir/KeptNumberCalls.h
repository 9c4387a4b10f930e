// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of the wave that hooks ask for (KeptNumbers.h): read where the kernel
// keeps them, computed where it does not.
#ifndef LUTHIER_HOOK_IR_KEPTNUMBERCALLS_H
#define LUTHIER_HOOK_IR_KEPTNUMBERCALLS_H

#include "hook/KeptNumbers.h"
#include "hook/PassContext.h"
#include <optional>

namespace llvm {
class CallBase;
} // namespace llvm

namespace luthier {

/// What \p Call asks for, if it calls luthier::detail::kept.
std::optional<KeptNumber> keptNumberOf(const llvm::CallBase &Call);

/// Calls of luthier::detail::kept become what computes the number, unless the
/// ABI says that it is kept. Those stay, for IntrinsicPass, without what
/// computes it. Expects that nothing of launch state has been lowered.
class KeptNumberPass : public IRPass {
public:
  llvm::StringRef name() const override { return "kept-numbers"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

} // namespace luthier

#endif // LUTHIER_HOOK_IR_KEPTNUMBERCALLS_H
