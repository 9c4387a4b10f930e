// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of kernels as people read them.
#ifndef LUTHIER_CODEOBJECT_KERNELNAME_H
#define LUTHIER_CODEOBJECT_KERNELNAME_H

#include "llvm/ADT/StringRef.h"
#include <array>
#include <string>

namespace luthier {

/// What a kernel can be called, the most specific first: its symbol, that with
/// parameters, without them, and without name spaces. All the same where the
/// symbol is no mangled name.
std::array<std::string, 4> spellingsOf(llvm::StringRef Symbol);

/// With parameters, "scale(float*, int)".
std::string readableKernelName(llvm::StringRef Symbol);

/// Whether somebody who wrote \p Wanted may have meant a kernel whose name
/// without parameters and name spaces is \p BaseName.
bool isNearName(llvm::StringRef BaseName, llvm::StringRef Wanted);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_KERNELNAME_H
