// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point from integers: exact values and one rounding at the end. The
// reference that operations are compared with uses this and not the host's
// floating-point unit, whose rounding is what the emulator relies on.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_SOFTFLOAT_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_SOFTFLOAT_H

#include <cstdint>

namespace luthier::test {

/// A binary interchange format, or one like it.
struct Format {
  unsigned ExponentBits;
  unsigned MantissaBits; ///< Without the hidden bit.
  /// The top exponent holds numbers; see FP8 and FP4.
  bool HasInfinity = true;

  int bias() const { return (1 << (ExponentBits - 1)) - 1; }
  unsigned width() const { return 1 + ExponentBits + MantissaBits; }
  uint64_t signBit() const { return uint64_t(1) << (width() - 1); }
  uint64_t exponentMask() const {
    return ((uint64_t(1) << ExponentBits) - 1) << MantissaBits;
  }
  uint64_t mantissaMask() const { return (uint64_t(1) << MantissaBits) - 1; }
  uint64_t quietBit() const { return uint64_t(1) << (MantissaBits - 1); }
  uint64_t quietNan() const { return exponentMask() | quietBit(); }
  uint64_t infinity(bool Negative) const {
    return exponentMask() | (Negative ? signBit() : 0);
  }
  uint64_t zero(bool Negative) const { return Negative ? signBit() : 0; }
  uint64_t one() const { return uint64_t(bias()) << MantissaBits; }
  bool isNan(uint64_t Bits) const {
    return (Bits & (signBit() - 1)) > exponentMask();
  }
  bool isSignalling(uint64_t Bits) const {
    return isNan(Bits) && !(Bits & quietBit());
  }
  bool isInfinite(uint64_t Bits) const {
    return (Bits & (signBit() - 1)) == exponentMask();
  }
  bool isZero(uint64_t Bits) const { return (Bits & (signBit() - 1)) == 0; }
  bool isDenormal(uint64_t Bits) const {
    return !(Bits & exponentMask()) && (Bits & mantissaMask());
  }
  bool isNegative(uint64_t Bits) const { return Bits & signBit(); }
};

inline constexpr Format Half{5, 10}, Bfloat{8, 7}, Single{8, 23},
    Double{11, 52};

/// As MODE numbers them.
enum class Rounding { Nearest, Up, Down, Zero };

/// How one instruction treats floats of one format.
struct FloatRules {
  Rounding Round = Rounding::Nearest;
  bool KeepDenormalSources = true;
  bool KeepDenormalResults = true;
};

/// Significand * 2^Exponent, exactly; or a little more where Sticky.
struct Exact {
  bool Negative = false;
  unsigned __int128 Significand = 0;
  int Exponent = 0;
  bool Sticky = false;

  bool isZero() const { return Significand == 0 && !Sticky; }
};

/// \p Bits is finite.
Exact exactOf(const Format &F, uint64_t Bits);
Exact exactOf(__int128 Value);
Exact product(const Exact &A, const Exact &B);
/// A zero sum of opposite signs is positive.
Exact sum(Exact A, Exact B);
Exact quotient(const Exact &A, const Exact &B);
Exact squareRoot(const Exact &A);
Exact scaled(Exact A, int Power);
int compare(const Exact &A, const Exact &B);
/// The integer next to \p A in the direction of \p Round.
Exact integral(const Exact &A, Rounding Round);
/// \p A is integral and below 2^126.
__int128 toInteger(const Exact &A);

/// Rounds; overflow gives infinity or the largest number as IEEE says.
uint64_t round(const Format &F, const Exact &A, const FloatRules &Rules = {});

/// Arithmetic on encoded values with the special cases. A NaN result is the
/// first NaN source, quieted, or the format's quiet NaN.
uint64_t flushedSource(const Format &F, uint64_t Bits, const FloatRules &Rules);
uint64_t add(const Format &F, uint64_t A, uint64_t B, const FloatRules &Rules);
uint64_t multiply(const Format &F, uint64_t A, uint64_t B,
                  const FloatRules &Rules);
uint64_t fusedMultiplyAdd(const Format &F, uint64_t A, uint64_t B, uint64_t C,
                          const FloatRules &Rules);
uint64_t divide(const Format &F, uint64_t A, uint64_t B,
                const FloatRules &Rules);
uint64_t squareRoot(const Format &F, uint64_t A, const FloatRules &Rules);
/// Between formats; \p From and \p To say how denormals are treated.
uint64_t convert(const Format &FromFormat, const Format &ToFormat,
                 uint64_t Bits, const FloatRules &From, const FloatRules &To);
inline uint64_t negated(const Format &F, uint64_t A) { return A ^ F.signBit(); }

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_SOFTFLOAT_H
