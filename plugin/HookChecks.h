// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells the author of a tool, at compile time, what hooks may not do.
#ifndef LUTHIER_PLUGIN_HOOKCHECKS_H
#define LUTHIER_PLUGIN_HOOKCHECKS_H

#include "Reachability.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace luthier {

/// Makes the compilation fail with \p Message at \p F.
void reportError(const llvm::Function &F, const llvm::Twine &Message);
void reportWarning(const llvm::Function &F, const llvm::Twine &Message);

/// Whether \p Text of inline assembly is nothing, or only a comment, as in
/// AMD's device libraries. It then only constrains the optimiser.
bool isEmptyAssembly(llvm::StringRef Text);

/// Reports handles of what is no hook, and of hooks if \p M is not marked as
/// having any. Returns whether all is well.
bool checkExports(const llvm::Module &M, const AnnotatedFunctions &Annotated,
                  bool IsMarked);

/// Reports hooks with results or parameters that cannot be passed, inline
/// assembly, calls of functions without a body and of the host.
/// Returns whether all is well.
bool checkSources(const AnnotatedFunctions &Annotated,
                  const Reachability &Reached);

/// Reports what optimised hook \p Hook still calls, for everything should have
/// been inlined, and control flow that \p TM cannot generate. \p Original is
/// the hook in the module being compiled.
bool checkOptimised(const llvm::Function &Hook, const llvm::Function &Original,
                    llvm::TargetMachine &TM);

} // namespace luthier

#endif // LUTHIER_PLUGIN_HOOKCHECKS_H
