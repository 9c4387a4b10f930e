// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/EntryFormat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace luthier::cache {
namespace {

constexpr StringLiteral Magic = "LUTHCOD1";
constexpr StringLiteral Suffix = ".payload";
constexpr size_t DigestSize = 32;
constexpr size_t HeaderSize =
    Magic.size() + sizeof(PayloadKey) + 2 * sizeof(uint64_t);

void append(std::vector<uint8_t> &File, ArrayRef<uint8_t> Bytes) {
  File.insert(File.end(), Bytes.begin(), Bytes.end());
}

void append(std::vector<uint8_t> &File, uint64_t Number) {
  uint8_t Raw[sizeof(Number)];
  support::endian::write64le(Raw, Number);
  append(File, ArrayRef(Raw));
}

} // namespace

std::vector<uint8_t> makeEntry(const PayloadKey &Key, StringRef What,
                               ArrayRef<uint8_t> Contents) {
  std::vector<uint8_t> File;
  append(File, ArrayRef(Magic.bytes_begin(), Magic.size()));
  append(File, ArrayRef(Key));
  append(File, uint64_t(What.size()));
  append(File, uint64_t(Contents.size()));
  append(File, ArrayRef(What.bytes_begin(), What.size()));
  append(File, Contents);
  const BLAKE3Result<> Digest = BLAKE3::hash<DigestSize>(File);
  append(File, ArrayRef(Digest));
  return File;
}

std::optional<EntryView> readEntry(ArrayRef<uint8_t> File,
                                   const PayloadKey &Key) {
  if (File.size() < HeaderSize + DigestSize)
    return std::nullopt;
  const ArrayRef<uint8_t> Digest = File.take_back(DigestSize);
  File = File.drop_back(DigestSize);
  const auto *Sizes = File.data() + HeaderSize - 2 * sizeof(uint64_t);
  const uint64_t WhatSize = support::endian::read64le(Sizes);
  const uint64_t Size = support::endian::read64le(Sizes + sizeof(uint64_t));
  const uint64_t Rest = File.size() - HeaderSize;
  if (!toStringRef(File).starts_with(Magic) ||
      File.slice(Magic.size(), Key.size()) != ArrayRef(Key) ||
      WhatSize > Rest || Size != Rest - WhatSize ||
      Digest != ArrayRef(BLAKE3::hash<DigestSize>(File)))
    return std::nullopt;
  File = File.drop_front(HeaderSize);
  return EntryView{toStringRef(File.take_front(WhatSize)),
                   File.drop_front(WhatSize)};
}

std::string fileNameOf(const PayloadKey &Key) {
  return toHex(Key, /*LowerCase=*/true) + Suffix.str();
}

std::optional<PayloadKey> keyOf(StringRef FileName) {
  std::string Bytes;
  PayloadKey Key;
  if (!FileName.consume_back(Suffix) || FileName.size() != 2 * Key.size() ||
      !tryGetFromHex(FileName, Bytes))
    return std::nullopt;
  llvm::copy(Bytes, Key.begin());
  return Key;
}

} // namespace luthier::cache
