// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds code objects in what users hand us: a code object, a clang offload
// bundle (compressed or not), or a host program or library that embeds bundles.
#ifndef LUTHIER_CODEOBJECT_FATBINARY_H
#define LUTHIER_CODEOBJECT_FATBINARY_H

#include "codeobject/OffloadBundle.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace luthier {

/// All device code objects in \p File, in order. An empty result is not an
/// error; a damaged bundle is.
llvm::Expected<std::vector<BundledCodeObject>>
findCodeObjects(llvm::ArrayRef<uint8_t> File);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_FATBINARY_H
