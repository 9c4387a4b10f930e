// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores that the vector encodings share, and lanes' places.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_MEMORYELEMENT_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_MEMORYELEMENT_H

#include "Trial.h"

namespace luthier::test {

/// Which bits of the register a value of less than a dword uses.
enum class Part { Whole, Low, High };

struct MemoryElement {
  const char *Names; ///< After "load_" or "store_".
  unsigned Bytes;    ///< Of each element.
  unsigned Count;
  bool Signed = false;
  Part Where = Part::Whole;

  unsigned size() const { return Bytes * Count; }
  unsigned dwords() const { return std::max(1u, size() / 4); }
};

inline constexpr MemoryElement LoadElements[] = {
    {"ubyte|u8", 1, 1},
    {"sbyte|i8", 1, 1, true},
    {"ushort|u16", 2, 1},
    {"sshort|i16", 2, 1, true},
    {"dword|b32", 4, 1},
    {"dwordx2|b64", 4, 2},
    {"dwordx3|b96", 4, 3},
    {"dwordx4|b128", 4, 4},
    {"ubyte_d16|d16_u8", 1, 1, false, Part::Low},
    {"ubyte_d16_hi|d16_hi_u8", 1, 1, false, Part::High},
    {"sbyte_d16|d16_i8", 1, 1, true, Part::Low},
    {"sbyte_d16_hi|d16_hi_i8", 1, 1, true, Part::High},
    {"short_d16|d16_b16", 2, 1, false, Part::Low},
    {"short_d16_hi|d16_hi_b16", 2, 1, false, Part::High},
};
inline constexpr MemoryElement StoreElements[] = {
    {"byte|b8", 1, 1},     {"byte_d16_hi|d16_hi_b8", 1, 1, false, Part::High},
    {"short|b16", 2, 1},   {"short_d16_hi|d16_hi_b16", 2, 1, false, Part::High},
    {"dword|b32", 4, 1},   {"dwordx2|b64", 4, 2},
    {"dwordx3|b96", 4, 3}, {"dwordx4|b128", 4, 4},
};

/// The register after a load of \p Raw: GFX9 registers have error correction,
/// so that a half cannot be written without the other.
inline uint32_t loaded(const MemoryElement &E, uint32_t Raw, uint32_t Old,
                       const TargetTraits &T) {
  uint32_t Value = Raw;
  if (E.Signed)
    Value = E.Bytes == 1 ? uint32_t(int8_t(Raw)) : uint32_t(int16_t(Raw));
  if (E.Where == Part::Whole)
    return Value;
  uint32_t Rest = T.Generation == 9 ? 0 : Old;
  return E.Where == Part::Low ? (Value & 0xffff) | (Rest & 0xffff0000)
                              : Value << 16 | (Rest & 0xffff);
}
inline uint32_t stored(const MemoryElement &E, uint32_t Register) {
  return E.Where == Part::High ? Register >> 16 : Register;
}

/// The lanes in random order.
inline std::array<unsigned, 64> shuffled(RandomSource &Random) {
  std::array<unsigned, 64> Order;
  for (unsigned L = 0; L != 64; ++L)
    Order[L] = L;
  for (unsigned L = 63; L; --L)
    std::swap(Order[L], Order[Random() % (L + 1)]);
  return Order;
}

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_MEMORYELEMENT_H
