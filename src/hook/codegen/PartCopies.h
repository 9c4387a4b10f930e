// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LUTHIER_HOOK_CODEGEN_PARTCOPIES_H
#define LUTHIER_HOOK_CODEGEN_PARTCOPIES_H

#include "hook/PassContext.h"

namespace llvm {
class Pass;
} // namespace llvm

namespace luthier {

/// A machine pass. Expects machine code at the end of SSA form. Leaves no copy
/// of a part of a wider value to a register of the application: LLVM would
/// compute the wider value in the registers around that one.
llvm::Pass *createPartCopyPass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_CODEGEN_PARTCOPIES_H
