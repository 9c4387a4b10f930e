// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point formats of 4 to 16 bits: their values as doubles, and
// rounding to them.
#ifndef LUTHIER_EMULATOR_ISA_SMALLFLOAT_H
#define LUTHIER_EMULATOR_ISA_SMALLFLOAT_H

#include "emulator/isa/FloatMath.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// What the highest codes of a format are.
enum class Specials {
  Ieee,     ///< Infinities and NaNs.
  NanOnly,  ///< All ones is NaN; there is no infinity.
  Unsigned, ///< Negative zero is the only NaN; nothing is infinite.
  None,     ///< All codes are numbers.
};

struct SmallFormat {
  unsigned ExponentBits, MantissaBits;
  int Bias;
  Specials Kind;

  constexpr unsigned width() const { return 1 + ExponentBits + MantissaBits; }
  constexpr U32 signBit() const { return U32(1) << (width() - 1); }
  constexpr U32 codes() const { return signBit() - 1; }
  /// Code of the largest number.
  constexpr U32 largest() const {
    if (Kind == Specials::Ieee)
      return (codes() >> MantissaBits << MantissaBits) - 1;
    return codes() - (Kind == Specials::NanOnly ? 1 : 0);
  }
  constexpr U32 nan() const {
    switch (Kind) {
    case Specials::Ieee:
      return codes() & ~((U32(1) << (MantissaBits - 1)) - 1);
    case Specials::NanOnly:
      return codes();
    case Specials::Unsigned:
      return signBit();
    case Specials::None:
      return largest();
    }
    return 0;
  }
};

inline constexpr SmallFormat BrainFloat{8, 7, 127, Specials::Ieee},
    HalfFloat{5, 10, 15, Specials::Ieee}, Fp8{4, 3, 7, Specials::NanOnly},
    Bf8{5, 2, 15, Specials::Ieee}, Fp8Fnuz{4, 3, 8, Specials::Unsigned},
    Bf8Fnuz{5, 2, 16, Specials::Unsigned}, Fp6{2, 3, 1, Specials::None},
    Bf6{3, 2, 3, Specials::None}, Fp4{2, 1, 1, Specials::None};

/// 2^Exponent, for the exponents of normal doubles.
inline F64 powerOfTwo(int Exponent) {
  return std::bit_cast<F64>(U64(Exponent + 1023) << 52);
}

inline F64 decodeSmall(const SmallFormat &F, U32 Bits) {
  bool Negative = Bits & F.signBit();
  U32 Code = Bits & F.codes();
  U32 Field = Code >> F.MantissaBits;
  U32 Mantissa = Code & ((U32(1) << F.MantissaBits) - 1);
  if (F.Kind == Specials::Unsigned && Bits == F.signBit())
    return fromFloatBits<F64>(ExponentMask<F64> | QuietBit<F64>);
  if (Code > F.largest()) {
    if (F.Kind == Specials::Ieee && !Mantissa)
      return infinity<F64>(Negative);
    // The payload keeps its place at the top.
    return fromFloatBits<F64>((Negative ? SignBit<F64> : 0) |
                              ExponentMask<F64> | QuietBit<F64> |
                              U64(Mantissa) << (52 - F.MantissaBits));
  }
  if (Field)
    Mantissa |= U32(1) << F.MantissaBits;
  int Exponent = int(Field ? Field : 1) - F.Bias - int(F.MantissaBits);
  return withSign(F64(I32(Mantissa)) * powerOfTwo(Exponent), Negative);
}

/// How a value that lies between two codes is rounded.
struct Rounding {
  /// Random bits to add below the last place, then cut; or to nearest even.
  bool Stochastic = false;
  U32 Random = 0;
};

/// Halves and eight-bit floats may be told to stop at the largest number.
inline U32 encodeSmall(const SmallFormat &F, F64 Value, bool Saturate,
                       Rounding R = {}) {
  U32 Sign = isNegative(Value) ? F.signBit() : 0;
  if (isNan(Value)) {
    if (F.Kind != Specials::Ieee)
      return F.Kind == Specials::Unsigned ? F.nan() : F.nan() | Sign;
    U64 Payload = bitsOf(Value) >> (52 - F.MantissaBits);
    return Sign | F.nan() | (U32(Payload) & ((U32(1) << F.MantissaBits) - 1));
  }
  F64 Size = magnitude(Value);
  // A number in units of the last place, whose integer part is the code less
  // that of the exponent.
  int Lowest = 1 - F.Bias;
  int Exponent = exponentOf(Size) - 1023;
  // Far above all formats.
  constexpr int TooLarge = 200;
  bool Overflows = Exponent >= TooLarge;
  Exponent = std::clamp(Exponent, Lowest, TooLarge);
  F64 Units = Size * powerOfTwo(int(F.MantissaBits) - Exponent);
  U64 Whole;
  if (Overflows) {
    Whole = 0; // the exponent alone exceeds all codes
  } else if (R.Stochastic) {
    // As many random bits, from the top, as a float has below the last place.
    unsigned Dropped = 23 - F.MantissaBits;
    U64 Fixed = U64(I64(Units * powerOfTwo(int(Dropped))));
    Whole = (Fixed + (R.Random >> (32 - Dropped))) >> Dropped;
  } else {
    Whole = U64(I64(__builtin_roundeven(Units)));
  }
  U64 Code = (U64(Exponent - Lowest) << F.MantissaBits) + Whole;
  if (isInfinite(Size) || Code > F.largest()) {
    bool Stops = F.Kind == Specials::None || (Saturate && !isInfinite(Size));
    if (Stops)
      Code = F.largest();
    else if (F.Kind == Specials::Ieee)
      Code = F.largest() + 1;
    else
      return F.Kind == Specials::Unsigned ? F.nan() : F.nan() | Sign;
  }
  if (!Code && F.Kind == Specials::Unsigned)
    return 0;
  return Sign | U32(Code);
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_SMALLFLOAT_H
