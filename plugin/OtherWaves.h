// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RDNA runs kernels in waves of 32 and of 64 lanes, and the number is part of
// what clang makes of a source. So it compiles each source of a tool twice
// (cmake/LuthierTool.cmake): for waves of 64 lanes into bitcode, then for those
// of 32 into the tool's code object, which gets the hooks of both. Variables
// are there once.
#ifndef LUTHIER_PLUGIN_OTHERWAVES_H
#define LUTHIER_PLUGIN_OTHERWAVES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class Module;
} // namespace llvm

namespace luthier {

/// The hooks that the first compilation for \p Processor embedded; their
/// variables are those of \p M, which is given what it lacks. Null if there was
/// no such compilation.
llvm::Expected<std::unique_ptr<llvm::Module>>
hooksOfOtherWaves(llvm::Module &M, llvm::StringRef Processor);

} // namespace luthier

#endif // LUTHIER_PLUGIN_OTHERWAVES_H
