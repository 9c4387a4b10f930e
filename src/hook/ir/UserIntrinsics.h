// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intrinsics that tools have registered.
#ifndef LUTHIER_HOOK_IR_USERINTRINSICS_H
#define LUTHIER_HOOK_IR_USERINTRINSICS_H

#include "llvm/Support/Error.h"

namespace llvm {
class Function;
}

namespace luthier {

/// Replaces calls of registered intrinsics in \p F, also those that such a
/// replacement makes.
llvm::Error expandUserIntrinsics(llvm::Function &F);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_USERINTRINSICS_H
