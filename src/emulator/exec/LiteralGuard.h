// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's disassembler crashes when an encoding without room for a literal has a
// source that claims to be one.
#ifndef LUTHIER_EMULATOR_EXEC_LITERALGUARD_H
#define LUTHIER_EMULATOR_EXEC_LITERALGUARD_H

#include <cstdint>
#include <cstring>
#include <span>

namespace luthier::emulator {

/// True for such code, which must not be given to the disassembler. Encodings
/// of 64 bits take no literal in \p Generation 9.
inline bool hasMisplacedLiteral(std::span<const uint8_t> Code,
                                unsigned Generation) {
  if (Code.size() < 8)
    return false;
  uint32_t Words[2];
  std::memcpy(Words, Code.data(), sizeof(Words));
  constexpr uint32_t Literal = 0xff;
  // MUBUF and MTBUF: the scalar offset.
  if ((Words[0] & 0xf4000000) == 0xe0000000 && Words[1] >> 24 == Literal)
    return true;
  if (Generation != 9 || (Words[0] & 0xfc000000) != 0xd0000000)
    return false;
  // VOP3 and VOP3P: three sources of nine bits.
  for (unsigned Shift : {0, 9, 18})
    if ((Words[1] >> Shift & 0x1ff) == Literal)
      return true;
  return false;
}

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_LITERALGUARD_H
