// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transformation that Recursion.h describes, of one function.
#ifndef LUTHIER_PLUGIN_RECURSIONTOLOOP_H
#define LUTHIER_PLUGIN_RECURSIONTOLOOP_H

namespace llvm {
class Function;
} // namespace llvm

namespace luthier {

/// Makes a loop of \p F, which calls itself and whose calls nest up to
/// \p MaxDepth times, the first one included. What would go deeper is not
/// called, and its result is zero. Returns null, or what cannot be done.
const char *makeLoopOfRecursion(llvm::Function &F, unsigned MaxDepth);

} // namespace luthier

#endif // LUTHIER_PLUGIN_RECURSIONTOLOOP_H
