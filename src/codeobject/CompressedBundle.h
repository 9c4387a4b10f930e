// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compressed form of an offload bundle ("CCOB", from clang's
// --offload-compress), versions 1 to 3.
#ifndef LUTHIER_CODEOBJECT_COMPRESSEDBUNDLE_H
#define LUTHIER_CODEOBJECT_COMPRESSEDBUNDLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace luthier {

inline constexpr llvm::StringLiteral CompressedBundleMagic = "CCOB";

struct CompressedBundleHeader {
  /// Bytes before the compressed data.
  size_t HeaderSize;
  /// Of the whole bundle. Version 1 does not say.
  std::optional<uint64_t> FileSize;
  uint64_t UncompressedSize;
  bool UsesZstd; ///< Else zlib.

  /// Bytes needed to read any version's header.
  static constexpr size_t MaxSize = 32;
  static llvm::Expected<CompressedBundleHeader>
  create(llvm::ArrayRef<uint8_t> Bytes);
};

/// A bundle unpacked, and how many bytes it took packed.
struct UnpackedBundle {
  std::shared_ptr<std::vector<uint8_t>> Bytes;
  size_t PackedSize;
};

/// Unpacks the bundle at the start of \p Bytes.
llvm::Expected<UnpackedBundle> unpackBundle(llvm::ArrayRef<uint8_t> Bytes);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_COMPRESSEDBUNDLE_H
