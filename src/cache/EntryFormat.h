// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of the cache:
//   8   magic and version
//   32  key
//   8   length of the description, 8 of the contents; little-endian
//       description, contents
//   32  BLAKE3 of all of that
// A file that ends early, or was changed, is none.
#ifndef LUTHIER_CACHE_ENTRYFORMAT_H
#define LUTHIER_CACHE_ENTRYFORMAT_H

#include "hook/PayloadStore.h"

namespace luthier::cache {

/// Into the bytes of a file.
struct EntryView {
  llvm::StringRef What; ///< For people.
  llvm::ArrayRef<uint8_t> Contents;
};

std::vector<uint8_t> makeEntry(const PayloadKey &Key, llvm::StringRef What,
                               llvm::ArrayRef<uint8_t> Contents);

/// Nothing if \p File is no entry, or one for another key.
std::optional<EntryView> readEntry(llvm::ArrayRef<uint8_t> File,
                                   const PayloadKey &Key);

/// What a file is called, and back; nothing for names of other files.
std::string fileNameOf(const PayloadKey &Key);
std::optional<PayloadKey> keyOf(llvm::StringRef FileName);

} // namespace luthier::cache

#endif // LUTHIER_CACHE_ENTRYFORMAT_H
