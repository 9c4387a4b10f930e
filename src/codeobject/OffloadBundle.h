// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One clang offload bundle: a table of contents and an image for each target
// (Clang's "Clang Offload Bundler" page). Host compilers emit an empty image
// for the host.
#ifndef LUTHIER_CODEOBJECT_OFFLOADBUNDLE_H
#define LUTHIER_CODEOBJECT_OFFLOADBUNDLE_H

#include "codeobject/CodeObject.h"

namespace luthier {

struct BundledCodeObject {
  TargetID Target;
  /// Points into the file, or into Storage for a compressed bundle.
  llvm::ArrayRef<uint8_t> Bytes;
  std::shared_ptr<std::vector<uint8_t>> Storage;
};

/// True if \p Bytes begins with a bundle's magic, compressed or not.
bool beginsWithBundle(llvm::ArrayRef<uint8_t> Bytes);

/// True if \p Bytes are neither a bundle nor the begin of one that was cut off:
/// files may have something of their own behind theirs.
bool isNoBundle(llvm::ArrayRef<uint8_t> Bytes);

/// Appends the device images of the bundle at the start of \p Bytes, and
/// returns how many bytes the bundle takes.
llvm::Expected<size_t> readBundle(llvm::ArrayRef<uint8_t> Bytes,
                                  std::vector<BundledCodeObject> &Images);

/// The entries of one bundle that begins at \p Bundle, whose size is known only
/// from its own header (as HIP registers it). Reads no further than that says.
llvm::Expected<std::vector<BundledCodeObject>>
readRegisteredBundle(const void *Bundle);

struct BundleEntry {
  std::string ID; ///< Such as "hipv4-amdgcn-amd-amdhsa--gfx90a".
  llvm::ArrayRef<uint8_t> Image;
  /// For people who look for code objects: not the host's empty one.
  bool IsDevice = false;
};

struct Bundle {
  std::vector<BundleEntry> Entries;              ///< Of all kinds, in order.
  size_t Size = 0;                               ///< That the bundle takes.
  std::shared_ptr<std::vector<uint8_t>> Storage; ///< Of a compressed one.
};

/// The bundle at the start of \p Bytes.
llvm::Expected<Bundle> readWholeBundle(llvm::ArrayRef<uint8_t> Bytes);

/// Uncompressed; images aligned as HIP wants them.
std::vector<uint8_t> writeBundle(llvm::ArrayRef<BundleEntry> Entries);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_OFFLOADBUNDLE_H
