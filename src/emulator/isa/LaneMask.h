// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between one bit per lane in a scalar pair and one value per lane.
#ifndef LUTHIER_EMULATOR_ISA_LANEMASK_H
#define LUTHIER_EMULATOR_ISA_LANEMASK_H

#include "emulator/isa/Operands.h"
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// 0 or 1 per lane.
inline void expandMask(U64 Mask, U32 *Lanes) {
  for (unsigned Half = 0; Half != 64; Half += 32) {
    U32 Bits = U32(Mask >> Half);
    for (unsigned L = 0; L != 32; ++L)
      Lanes[Half + L] = Bits >> L & 1;
  }
}

/// The inverse; lanes hold 0 or 1.
inline U64 packMask(const U32 *Lanes) {
  U64 Mask = 0;
#ifdef __AVX2__
  // Shifted up to the sign, where one instruction collects eight of them.
  for (unsigned L = 0; L != NumLanes; L += 8) {
    __m256i Group =
        _mm256_load_si256(reinterpret_cast<const __m256i *>(Lanes + L));
    __m256 Signs = _mm256_castsi256_ps(_mm256_slli_epi32(Group, 31));
    Mask |= U64(U32(_mm256_movemask_ps(Signs))) << L;
  }
#else
  // Eight lanes become eight bytes of a word; a multiplication gathers them.
  alignas(64) uint8_t Bytes[NumLanes];
  for (unsigned L = 0; L != NumLanes; ++L)
    Bytes[L] = uint8_t(Lanes[L]);
  for (unsigned L = 0; L != NumLanes; L += 8) {
    U64 Word;
    std::memcpy(&Word, Bytes + L, sizeof(Word));
    Mask |= (Word * 0x0102040810204080 >> 56) << L;
  }
#endif
  return Mask;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_LANEMASK_H
