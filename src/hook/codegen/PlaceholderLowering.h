// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts real instructions in place of the placeholders of ir/Placeholders.h.
#ifndef LUTHIER_HOOK_CODEGEN_PLACEHOLDERLOWERING_H
#define LUTHIER_HOOK_CODEGEN_PLACEHOLDERLOWERING_H

#include "hook/PayloadABI.h"

namespace llvm {
class MachineFunctionPass;
} // namespace llvm

namespace luthier {

/// A machine pass that lowers all of them. To be run while machine code is in
/// SSA form.
llvm::MachineFunctionPass *createPlaceholderPass(const PayloadABI &ABI);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_PLACEHOLDERLOWERING_H
