// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion without calls. Hooks are inlined into code that has no stack for
// return addresses; so a function that calls itself becomes a loop, which keeps
// what each activation still needs in an array on the hook's stack:
//
//   int fib(int N) {                    frame Frames[64]; Depth = 0
//     if (N < 2) return N;        =>    loop: switch (Next) {
//     return fib(N-1) + fib(N-2);         0: the function's start
//   }                                     1: behind the first call
//                                         2: behind the second call }
//
// A call saves what is live across it, and Next = 0; a return takes the result
// to where the activation below it goes on. Cycles of several functions are
// inlined into one of them first.
#ifndef LUTHIER_PLUGIN_RECURSION_H
#define LUTHIER_PLUGIN_RECURSION_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace luthier {

/// What LUTHIER_MAX_DEPTH's annotation begins with.
inline constexpr llvm::StringLiteral MaxDepthAnnotation = "luthier_max_depth=";

/// Remembers on \p F what its annotation says, for lowerRecursion(). Returns
/// whether \p Depth is a number of calls.
bool setMaxDepth(llvm::Function &F, llvm::StringRef Depth);

/// Removes recursion from \p M. Warns of functions without LUTHIER_MAX_DEPTH,
/// and reports those that cannot be handled. Returns whether all is well.
bool lowerRecursion(llvm::Module &M);

} // namespace luthier

#endif // LUTHIER_PLUGIN_RECURSION_H
