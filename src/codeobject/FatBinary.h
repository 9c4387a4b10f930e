// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds code objects in what users hand us: a code object, a clang offload
// bundle (compressed or not), or a host program or library that embeds bundles.
#ifndef LUTHIER_CODEOBJECT_FATBINARY_H
#define LUTHIER_CODEOBJECT_FATBINARY_H

#include "codeobject/CodeObject.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace luthier {

struct BundledCodeObject {
  TargetID Target;
  /// Points into the file, or into Storage for a compressed bundle.
  llvm::ArrayRef<uint8_t> Bytes;
  std::shared_ptr<std::vector<uint8_t>> Storage;
};

/// All device code objects in \p File, in order. An empty result is not an
/// error; a damaged bundle is.
llvm::Expected<std::vector<BundledCodeObject>>
findCodeObjects(llvm::ArrayRef<uint8_t> File);

/// The entries of one bundle that begins at \p Bundle, whose size is known only
/// from its own header (as HIP registers it). Reads no further than that says.
llvm::Expected<std::vector<BundledCodeObject>>
readRegisteredBundle(const void *Bundle);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_FATBINARY_H
