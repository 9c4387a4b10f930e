// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's disassembler tries its tables for long instructions first, one after
// the other and each from end to end, which takes most of its time. It skips
// them when it is shown no more than a dword.
#ifndef LUTHIER_EMULATOR_EXEC_SHORTCODE_H
#define LUTHIER_EMULATOR_EXEC_SHORTCODE_H

#include <cstdint>

namespace luthier::emulator {

/// True if an instruction that begins with \p Word, and decodes without what
/// follows, ends there. Those of fixed size may still need a second dword: they
/// do not decode without it.
inline bool mayEndHere(uint32_t Word) {
  const uint32_t First = Word & 0xff, Second = Word >> 8 & 0xff;
  constexpr uint32_t Literal = 0xff;
  // 11: encodings of 64 bits and more.
  if (Word >> 30 == 3)
    return false;
  // 10: scalar ones; either source may be a literal.
  if (Word >> 31)
    return First != Literal && Second != Literal;
  // 0: vector ones. Source 0, of nine bits, may be a literal or say that DPP
  // (0xe9, 0xea, 0xfa) or SDWA (0xf9) follows.
  if (Word >> 8 & 1)
    return true;
  return First != Literal && First != 0xe9 && First != 0xea && First != 0xf9 &&
         First != 0xfa;
}

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_SHORTCODE_H
