// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks from source, at run time: clang in a process of its own, with Luthier's
// plugin and the options that tools are compiled with.
#ifndef LUTHIER_RUNTIME_SOURCECOMPILER_H
#define LUTHIER_RUNTIME_SOURCECOMPILER_H

#include "luthier/InstrumentationModule.h"

namespace luthier::runtime {

/// An offload bundle with a code object for each target. Fails with NoCompiler
/// or DoesNotCompile.
llvm::Expected<std::vector<uint8_t>> compileSource(llvm::StringRef Source,
                                                   const ModuleSource &How);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_SOURCECOMPILER_H
