// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 128-bit buffer resource of GFX9.
#ifndef LUTHIER_EMULATOR_ISA_BUFFERDESCRIPTOR_H
#define LUTHIER_EMULATOR_ISA_BUFFERDESCRIPTOR_H

#include "emulator/isa/Types.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

struct BufferDescriptor {
  explicit BufferDescriptor(const U32 *Words)
      : Base(Words[0] | U64(Words[1] & 0xffff) << 32),
        Stride(Words[1] >> 16 & 0x3fff), Swizzle(Words[1] >> 31),
        NumRecords(Words[2]), DataFormat(Words[3] >> 15 & 0xf),
        NumberFormat(Words[3] >> 12 & 7), Select(Words[3] & 0xfff),
        IndexStride(8u << (Words[3] >> 21 & 3)),
        AddThreadId(Words[3] >> 23 & 1) {
    // GFX9 has a fixed element of 4 bytes; with thread ids in use the data
    // format field extends the stride.
    if (AddThreadId)
      Stride |= DataFormat << 14;
  }

  /// Only scratch interleaves lanes by their number.
  bool isScratch() const { return Swizzle && AddThreadId; }

  /// What range checks of scalar loads use.
  U64 sizeInBytes() const {
    return Stride ? U64(NumRecords) * Stride : NumRecords;
  }

  U64 Base;
  U32 Stride;
  bool Swizzle;
  U32 NumRecords;
  U32 DataFormat;
  U32 NumberFormat;
  U32 Select;
  U32 IndexStride;
  bool AddThreadId;
};

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_BUFFERDESCRIPTOR_H
