// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions the macros of luthier/Hook.h marked.
#ifndef LUTHIER_PLUGIN_ANNOTATIONS_H
#define LUTHIER_PLUGIN_ANNOTATIONS_H

#include "llvm/ADT/SetVector.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace luthier {

struct AnnotatedFunctions {
  llvm::SmallSetVector<llvm::Function *, 8> Hooks;
  llvm::SmallSetVector<llvm::Function *, 8> Intrinsics;
};

/// Notes the rest, LUTHIER_MAX_DEPTH and whose results are scalars, on the
/// functions themselves.
AnnotatedFunctions findAnnotatedFunctions(llvm::Module &M);

} // namespace luthier

#endif // LUTHIER_PLUGIN_ANNOTATIONS_H
