// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/CompressedBundle.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include <zstd.h>

using namespace llvm;
using namespace luthier;

namespace {

Error malformed(const Twine &Detail) {
  return refuse(RefusalReason::MalformedCodeObject,
                "compressed offload bundle: " + Detail);
}

/// What the compressed data can at most become. The header's claim decides how
/// much memory is taken, so a damaged one must not decide alone.
uint64_t largestOutput(const CompressedBundleHeader &Header,
                       ArrayRef<uint8_t> Data) {
  if (!Header.UsesZstd)
    return Data.size() * 1032; // deflate's best ratio
  const uint64_t Size = ZSTD_getFrameContentSize(Data.data(), Data.size());
  if (Size == ZSTD_CONTENTSIZE_ERROR || Size == ZSTD_CONTENTSIZE_UNKNOWN)
    return 0;
  // Size comes from the input too. A block is at most 128 KiB from 4 bytes.
  return std::min<uint64_t>(Size, Data.size() * (128 << 10) / 4);
}

/// Bytes of the compressed data itself, when only an upper bound is known.
Expected<size_t> frameSize(const CompressedBundleHeader &Header,
                           ArrayRef<uint8_t> Data) {
  if (Header.FileSize)
    return *Header.FileSize - Header.HeaderSize;
  if (!Header.UsesZstd)
    return Data.size(); // zlib finds the end on its own
  const size_t Size = ZSTD_findFrameCompressedSize(Data.data(), Data.size());
  if (ZSTD_isError(Size))
    return malformed(ZSTD_getErrorName(Size));
  return Size;
}

} // namespace

Expected<CompressedBundleHeader>
CompressedBundleHeader::create(ArrayRef<uint8_t> Bytes) {
  using namespace support::endian;
  const auto Truncated = [&] {
    return malformed("header is truncated to " + Twine(Bytes.size()) +
                     " bytes");
  };
  if (Bytes.size() < 8)
    return Truncated();
  const unsigned Version = read16le(&Bytes[4]);
  const unsigned Method = read16le(&Bytes[6]);
  if (Version < 1 || Version > 3)
    return malformed("unknown version " + Twine(Version));
  if (Method > 1)
    return malformed("unknown compression method " + Twine(Method));

  // Magic, version, method, sizes, and a hash that nobody checks.
  CompressedBundleHeader Header;
  Header.HeaderSize = Version == 1 ? 20 : Version == 2 ? 24 : 32;
  Header.UsesZstd = Method == 1;
  if (Bytes.size() < Header.HeaderSize)
    return Truncated();
  if (Version == 1) {
    Header.UncompressedSize = read32le(&Bytes[8]);
  } else if (Version == 2) {
    Header.FileSize = read32le(&Bytes[8]);
    Header.UncompressedSize = read32le(&Bytes[12]);
  } else {
    Header.FileSize = read64le(&Bytes[8]);
    Header.UncompressedSize = read64le(&Bytes[16]);
  }
  if (Header.FileSize && *Header.FileSize < Header.HeaderSize)
    return malformed("claims to have " + Twine(*Header.FileSize) + " bytes");
  return Header;
}

Expected<UnpackedBundle> luthier::unpackBundle(ArrayRef<uint8_t> Bytes) {
  Expected<CompressedBundleHeader> Header =
      CompressedBundleHeader::create(Bytes);
  if (!Header)
    return Header.takeError();
  if (Header->FileSize.value_or(0) > Bytes.size())
    return malformed("claims to have " + Twine(*Header->FileSize) +
                     " bytes, but only " + Twine(Bytes.size()) + " are there");
  ArrayRef<uint8_t> Data = Bytes.drop_front(Header->HeaderSize);
  Expected<size_t> Packed = frameSize(*Header, Data);
  if (!Packed)
    return Packed.takeError();
  Data = Data.take_front(*Packed);

  if (Header->UncompressedSize > largestOutput(*Header, Data))
    return malformed("claims to unpack to " + Twine(Header->UncompressedSize) +
                     " bytes");
  UnpackedBundle Result{
      std::make_shared<std::vector<uint8_t>>(Header->UncompressedSize),
      Header->HeaderSize + *Packed};
  size_t Size = Result.Bytes->size();
  if (Error E =
          Header->UsesZstd
              ? compression::zstd::decompress(Data, Result.Bytes->data(), Size)
              : compression::zlib::decompress(Data, Result.Bytes->data(), Size))
    return malformed(detailOf(std::move(E)));
  if (Size != Result.Bytes->size())
    return malformed("unpacks to " + Twine(Size) + " bytes instead of " +
                     Twine(Result.Bytes->size()));
  return Result;
}
