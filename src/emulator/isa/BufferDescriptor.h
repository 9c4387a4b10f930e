// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 128-bit buffer resource, whose last dword each generation lays out anew.
#ifndef LUTHIER_EMULATOR_ISA_BUFFERDESCRIPTOR_H
#define LUTHIER_EMULATOR_ISA_BUFFERDESCRIPTOR_H

#include "emulator/core/Target.h"
#include "emulator/isa/Types.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// Which accesses lie outside a buffer.
enum class RangeCheck : uint8_t {
  Structured, ///< Index or offset in the record too large.
  IndexOnly,
  NonEmpty, ///< Only when there are no records.
  Raw,      ///< The buffer counts bytes.
};

struct BufferDescriptor {
  BufferDescriptor(const U32 *Words, const Target &T)
      : Base(Words[0] | U64(Words[1] & 0xffff) << 32),
        Stride(Words[1] >> 16 & 0x3fff), NumRecords(Words[2]),
        Select(Words[3] & 0xfff), IndexStride(8u << (Words[3] >> 21 & 3)),
        AddThreadId(Words[3] >> 23 & 1) {
    if (T.Buffers == BufferLayout::Split)
      initFirst(Words);
    else
      initUnified(Words, T);
  }

  /// Only scratch interleaves lanes by their number.
  bool isScratch() const { return ElementSize && AddThreadId; }

  /// What range checks of scalar loads use, which know of no thread ids.
  U64 sizeInBytes() const {
    U32 Record = Stride & 0x3fff;
    return Record ? U64(NumRecords) * Record : NumRecords;
  }

  U64 Base;
  U32 Stride;
  U32 NumRecords;
  U32 Select;
  U32 IndexStride;
  bool AddThreadId;
  /// Bytes that IndexStride records interleave; 0 where they do not.
  U32 ElementSize = 0;
  /// Data format [3:0] and number format [6:4] in generation 9; later one
  /// number for both.
  U32 Format = 0;
  /// Set by instructions with an index in generation 9.
  bool HasCheckField = false;
  RangeCheck Check = RangeCheck::Raw;

private:
  void initFirst(const U32 *Words) {
    U32 DataFormat = Words[3] >> 15 & 0xf;
    Format = DataFormat | (Words[3] >> 12 & 7) << 4;
    ElementSize = Words[1] >> 31 ? 4 : 0;
    // With thread ids in use the data format field extends the stride.
    if (AddThreadId)
      Stride |= DataFormat << 14;
  }
  void initUnified(const U32 *Words, const Target &T) {
    constexpr U32 ElementSizes[] = {0, 4, 8, 16};
    bool IsFirst = T.Buffers == BufferLayout::Unified;
    Format = Words[3] >> 12 & (IsFirst ? 0x7f : 0x3f);
    ElementSize =
        IsFirst ? (Words[1] >> 31 ? 4 : 0) : ElementSizes[Words[1] >> 30 & 3];
    HasCheckField = true;
    Check = RangeCheck(Words[3] >> 28 & 3);
  }
};

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_BUFFERDESCRIPTOR_H
