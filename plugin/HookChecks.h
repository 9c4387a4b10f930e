// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells the author of a tool, at compile time, what hooks may not do.
#ifndef LUTHIER_PLUGIN_HOOKCHECKS_H
#define LUTHIER_PLUGIN_HOOKCHECKS_H

#include "Reachability.h"
#include "llvm/ADT/Twine.h"

namespace luthier {

/// Makes the compilation fail with \p Message at \p F.
void reportError(const llvm::Function &F, const llvm::Twine &Message);

/// Reports hooks with results or parameters that cannot be passed, inline
/// assembly, recursion, and calls of functions without a body. Returns whether
/// all is well.
bool checkSources(const AnnotatedFunctions &Annotated,
                  const Reachability &Reached);

/// Reports what optimised hook \p Hook still calls; everything should have been
/// inlined. \p Original is the hook in the module being compiled.
bool checkInlined(const llvm::Function &Hook, const llvm::Function &Original);

} // namespace luthier

#endif // LUTHIER_PLUGIN_HOOKCHECKS_H
