// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values to try an operation with: any, and those that operations treat
// specially.
#include "VectorVariant.h"
#include <iterator>

namespace luthier::test {

namespace {

uint64_t randomFloat(const Format &F, std::mt19937_64 &Random) {
  uint64_t Sign = Random() % 2 ? F.signBit() : 0;
  uint64_t Mantissa = Random() & F.mantissaMask();
  uint64_t Unit = F.mantissaMask() + 1;
  auto NearOne = [&](int Spread) {
    int Reach = std::min(Spread, F.bias() - 1);
    return F.one() +
           uint64_t(int64_t(Random() % unsigned(2 * Reach)) - Reach) * Unit;
  };
  switch (Random() % 16) {
  case 0:
    return Sign;
  case 1:
    return Sign | F.exponentMask();
  case 2:
    return Sign | F.exponentMask() | F.quietBit() | Mantissa;
  case 3:
    return Sign | F.exponentMask() | ((Mantissa & ~F.quietBit()) | 1);
  case 4:
    return Sign | Mantissa; // denormal
  case 5:
    return Sign | Unit | (Mantissa & 3); // smallest normal numbers
  case 6:
    return Sign | (F.exponentMask() - 1 - (Mantissa & 3)); // largest
  case 7:
  case 8:
    return Sign | F.one();
  case 9: // powers of two near one
    return Sign | NearOne(8);
  case 10: // near a tie of integers
    return Sign | (NearOne(8) + (Unit >> 1) + Random() % 3 - 1);
  case 11:
  case 12: // of moderate size
    return Sign | (NearOne(16) + Mantissa);
  default:
    return Random() & (2 * F.signBit() - 1);
  }
}

uint64_t randomInteger(unsigned Bits, std::mt19937_64 &Random) {
  uint64_t Mask = Bits == 64 ? ~uint64_t(0) : (uint64_t(1) << Bits) - 1;
  uint64_t Top = uint64_t(1) << (Bits - 1);
  switch (Random() % 8) {
  case 0: {
    const uint64_t Edges[] = {0, 1, Mask, Top, Top - 1, Top + 1, 31, 32, 63};
    return Edges[Random() % std::size(Edges)] & Mask;
  }
  case 1:
    return uint64_t(1) << (Random() % Bits);
  case 2:
    return Random() % 64;
  case 3:
    return (Random() & 0xff) << (Random() % Bits) & Mask;
  default:
    return Random() & Mask;
  }
}

} // namespace

uint64_t randomValue(Kind K, std::mt19937_64 &Random) {
  if (dwordsOf(K) > 2) { // whatever their elements are
    static const Kind Parts[] = {Kind::F32, Kind::PkF16, Kind::PkBf16,
                                 Kind::U32};
    Kind Part = Parts[Random() % std::size(Parts)];
    return (randomValue(Part, Random) & 0xffffffff) | randomValue(Part, Random)
                                                          << 32;
  }
  if (K == Kind::Mix && Random() % 2)
    K = Kind::PkF16;
  const Format *F = formatOf(K);
  if (!F)
    return randomInteger(dwordsOf(K) == 2 ? 64 : 32, Random);
  uint64_t Value = randomFloat(*F, Random);
  // The other half, or float, has a value of its own.
  if (F->width() == 16)
    Value |= randomFloat(*F, Random) << 16;
  else if (K == Kind::PkF32)
    Value |= randomFloat(*F, Random) << 32;
  return Value;
}

} // namespace luthier::test
