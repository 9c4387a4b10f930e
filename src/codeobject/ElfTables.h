// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of ELF files while they are put together: bytes, in the order that the
// file has (little-endian, as the host).
#ifndef LUTHIER_CODEOBJECT_ELFTABLES_H
#define LUTHIER_CODEOBJECT_ELFTABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstdint>
#include <cstring>
#include <vector>

namespace luthier {

/// \p To is a vector of bytes.
template <typename Bytes, typename T> void append(Bytes &To, const T &Raw) {
  const auto *Begin = reinterpret_cast<const uint8_t *>(&Raw);
  To.insert(To.end(), Begin, Begin + sizeof(T));
}

template <typename T>
std::vector<uint8_t> bytesOf(const std::vector<T> &Entries) {
  const auto *Begin = reinterpret_cast<const uint8_t *>(Entries.data());
  return {Begin, Begin + Entries.size() * sizeof(T)};
}

template <typename T> std::vector<T> entriesOf(llvm::ArrayRef<uint8_t> Bytes) {
  std::vector<T> Entries(Bytes.size() / sizeof(T));
  std::memcpy(Entries.data(), Bytes.data(), Entries.size() * sizeof(T));
  return Entries;
}

/// A string table that grows.
class StringTable {
public:
  explicit StringTable(llvm::ArrayRef<uint8_t> Old = {});
  /// The offset of \p Text.
  uint32_t add(const llvm::Twine &Text);
  /// Empty beyond the end.
  llvm::StringRef at(uint32_t Offset) const;
  const std::vector<uint8_t> &bytes() const { return Bytes; }

private:
  std::vector<uint8_t> Bytes;
};

/// System V's, with a bucket for each symbol.
std::vector<uint8_t> hashTable(const std::vector<llvm::ELF::Elf64_Sym> &Symbols,
                               const StringTable &Names);

/// The note that holds a code object's metadata.
std::vector<uint8_t> metadataNote(llvm::StringRef Metadata);
/// Aligned to four bytes, in itself and in all.
std::vector<uint8_t> note(llvm::StringRef Owner, uint32_t Type,
                          llvm::ArrayRef<uint8_t> Contents);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_ELFTABLES_H
