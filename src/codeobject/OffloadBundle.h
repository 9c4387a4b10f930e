// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One clang offload bundle: a table of contents and an image for each target
// (Clang's "Clang Offload Bundler" page). Host compilers emit an empty image
// for the host.
#ifndef LUTHIER_CODEOBJECT_OFFLOADBUNDLE_H
#define LUTHIER_CODEOBJECT_OFFLOADBUNDLE_H

#include "codeobject/FatBinary.h"

namespace luthier {

/// True if \p Bytes begins with a bundle's magic, compressed or not.
bool beginsWithBundle(llvm::ArrayRef<uint8_t> Bytes);

/// Appends the device images of the bundle at the start of \p Bytes, and
/// returns how many bytes the bundle takes.
llvm::Expected<size_t> readBundle(llvm::ArrayRef<uint8_t> Bytes,
                                  std::vector<BundledCodeObject> &Images);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_OFFLOADBUNDLE_H
