// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between one bit per lane in a scalar pair and one value per lane.
#ifndef LUTHIER_EMULATOR_ISA_LANEMASK_H
#define LUTHIER_EMULATOR_ISA_LANEMASK_H

#include "emulator/isa/Operands.h"

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
  // Eight lanes become eight bytes of one word; a multiplication gathers them.
  alignas(64) uint8_t Bytes[NumLanes];
  for (unsigned L = 0; L != NumLanes; ++L)
    Bytes[L] = uint8_t(Lanes[L]);
  U64 Mask = 0;
  for (unsigned Group = 0; Group != 8; ++Group) {
    U64 Word;
    std::memcpy(&Word, Bytes + 8 * Group, sizeof(Word));
    Mask |= (Word * 0x0102040810204080 >> 56) << (8 * Group);
  }
  return Mask;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_LANEMASK_H
