// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bits of a matrix's elements stand for.
#include "MatrixReference.h"
#include <cmath>
#include <limits>

namespace luthier::test {

namespace {

/// Sign, exponent and mantissa, without special cases.
long double plain(uint64_t Bits, unsigned ExponentBits, unsigned MantissaBits,
                  int Bias) {
  uint64_t Mantissa = Bits & ((uint64_t(1) << MantissaBits) - 1);
  uint64_t Exponent =
      Bits >> MantissaBits & ((uint64_t(1) << ExponentBits) - 1);
  bool Negative = Bits >> (MantissaBits + ExponentBits) & 1;
  long double Value =
      Exponent
          ? std::ldexp((long double)(Mantissa | uint64_t(1) << MantissaBits),
                       int(Exponent) - Bias - int(MantissaBits))
          : std::ldexp((long double)(Mantissa), 1 - Bias - int(MantissaBits));
  return Negative ? -Value : Value;
}

/// The same where the last exponent is infinity or no number.
long double ieee(uint64_t Bits, unsigned ExponentBits, unsigned MantissaBits) {
  uint64_t Exponents = (uint64_t(1) << ExponentBits) - 1;
  if ((Bits >> MantissaBits & Exponents) == Exponents) {
    if (Bits & ((uint64_t(1) << MantissaBits) - 1))
      return std::numeric_limits<long double>::quiet_NaN();
    long double Infinity = std::numeric_limits<long double>::infinity();
    return Bits >> (ExponentBits + MantissaBits) & 1 ? -Infinity : Infinity;
  }
  return plain(Bits, ExponentBits, MantissaBits, int(Exponents / 2));
}

} // namespace

unsigned bitsOf(MatrixElement E) {
  static constexpr unsigned Bits[] = {8,  8,  6,  6, 4, 16, 16,
                                      32, 32, 64, 8, 8, 4};
  return Bits[unsigned(E)];
}
bool isFloat(MatrixElement E) { return E <= MatrixElement::f64; }

long double decoded(MatrixElement E, uint64_t Bits,
                    const std::string &Processor) {
  constexpr long double Nan = std::numeric_limits<long double>::quiet_NaN();
  bool UnsignedZero = Processor == "gfx942";
  switch (E) {
  case MatrixElement::fp8:
    if (UnsignedZero)
      return Bits == 0x80 ? Nan : plain(Bits, 4, 3, 8);
    return (Bits & 0x7f) == 0x7f ? Nan : plain(Bits, 4, 3, 7);
  case MatrixElement::bf8:
    if (UnsignedZero)
      return Bits == 0x80 ? Nan : plain(Bits, 5, 2, 16);
    return ieee(Bits, 5, 2);
  case MatrixElement::fp6:
    return plain(Bits, 2, 3, 1);
  case MatrixElement::bf6:
    return plain(Bits, 3, 2, 3);
  case MatrixElement::fp4:
    return plain(Bits, 2, 1, 1);
  case MatrixElement::f16:
    if (Processor == "gfx90a" && !(Bits & 0x7c00))
      return 0;
    return ieee(Bits, 5, 10);
  case MatrixElement::bf16:
    if (Processor == "gfx90a" && !(Bits & 0x7f80))
      return 0;
    return ieee(Bits, 8, 7);
  case MatrixElement::xf32: {
    long double Value = ieee(Bits, 8, 23);
    if (!std::isfinite(Value) || Value == 0)
      return Value;
    int Exponent = std::max(std::ilogb(Value), -126);
    return std::ldexp(std::nearbyint(std::ldexp(Value, 10 - Exponent)),
                      Exponent - 10);
  }
  case MatrixElement::f32:
    return ieee(Bits, 8, 23);
  default:
    return ieee(Bits, 11, 52);
  }
}

} // namespace luthier::test
