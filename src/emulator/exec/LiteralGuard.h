// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's disassembler crashes when an encoding without room for a literal has a
// source, offset or scalar result that claims to be one, and when a constant
// looks like such a claim.
#ifndef LUTHIER_EMULATOR_EXEC_LITERALGUARD_H
#define LUTHIER_EMULATOR_EXEC_LITERALGUARD_H

#include "emulator/core/Target.h"
#include <cstdint>
#include <cstring>
#include <span>

namespace luthier::emulator {

/// True for such code, which must not be given to the disassembler. \p Code has
/// at least two dwords.
inline bool hasMisplacedLiteral(std::span<const uint8_t> Code,
                                const Target &T) {
  uint32_t Words[2];
  std::memcpy(Words, Code.data(), sizeof(Words));
  constexpr uint32_t Literal = 0xff;
  auto Field = [](uint32_t Word, unsigned Shift, unsigned Bits) {
    return Word >> Shift & ((1u << Bits) - 1);
  };
  // VOP1: v_readfirstlane has a scalar result.
  if (Field(Words[0], 25, 7) == 0x3f && Field(Words[0], 9, 8) == 2)
    return Field(Words[0], 17, 8) == Literal;
  // SOP1: operations on barriers take their number or M0.
  if (T.HasScalarBarriers && Field(Words[0], 23, 9) == 0x17d &&
      Field(Words[0], 8, 8) >= 0x4e && Field(Words[0], 8, 8) <= 0x54)
    return Field(Words[0], 0, 8) == Literal;
  // MUBUF and MTBUF: the scalar offset.
  if ((Words[0] & 0xf4000000) == 0xe0000000 && Words[1] >> 24 == Literal)
    return true;
  if (T.WideEncodingsTakeLiterals || Field(Words[0], 26, 6) != 0x34)
    return false;
  // VOP3 with a scalar result: comparisons, v_readfirstlane, v_readlane.
  constexpr uint32_t NumCompares = 0x100, ReadFirstLane = 0x142,
                     ReadLane = 0x289;
  const uint32_t Opcode = Field(Words[0], 16, 10);
  const bool IsScalar =
      Opcode < NumCompares || Opcode == ReadFirstLane || Opcode == ReadLane;
  if (IsScalar && Field(Words[0], 0, 8) == Literal)
    return true;
  // VOP3 and VOP3P: three sources of nine bits.
  for (unsigned Shift : {0, 9, 18})
    if (Field(Words[1], Shift, 9) == Literal)
      return true;
  return false;
}

constexpr uint32_t MistakenConstant = 0xff;

/// True for the forms of multiply-add with a constant of 16 bits, if it is \p
/// MistakenConstant: v_madmk_f16 and v_madak_f16, later v_fmamk_f16 and
/// v_fmaak_f16. Valid code, which the disassembler survives with any bit above
/// those 16 set.
inline bool hasMistakenConstant(std::span<const uint8_t> Code,
                                const Target &T) {
  uint32_t Words[2];
  std::memcpy(Words, Code.data(), sizeof(Words));
  const uint32_t Opcode = Words[0] >> 25;
  return (Opcode == T.MadmkF16 || Opcode == T.MadmkF16 + 1) &&
         Words[1] == MistakenConstant;
}

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_LITERALGUARD_H
