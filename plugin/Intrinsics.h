// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns calls of Luthier's intrinsics into what the optimiser and the engine
// understand.
#ifndef LUTHIER_PLUGIN_INTRINSICS_H
#define LUTHIER_PLUGIN_INTRINSICS_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace luthier {

/// Whether all parameters and results are scalars; reports those that are not.
bool checkIntrinsics(llvm::ArrayRef<llvm::Function *> Intrinsics);

/// Replaces each of \p Intrinsics by a declaration with a name that the engine
/// knows, and calls of luthier::writeExec by terminators of their blocks. The
/// functions are erased. Reports uses other than calls, and returns whether
/// there were none.
bool rewriteIntrinsics(llvm::ArrayRef<llvm::Function *> Intrinsics);

} // namespace luthier

#endif // LUTHIER_PLUGIN_INTRINSICS_H
