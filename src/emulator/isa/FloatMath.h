// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point pieces that several operations share. Rounding and denormal
// modes are those of the host's control register, which the instruction loop
// keeps equal to the wave's MODE.
#ifndef LUTHIER_EMULATOR_ISA_FLOATMATH_H
#define LUTHIER_EMULATOR_ISA_FLOATMATH_H

#include "emulator/isa/Types.h"
#include <algorithm>
#include <cmath>
#include <type_traits>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

template <class F> struct FloatTraits;
template <> struct FloatTraits<F16> {
  using Bits = U16;
  static constexpr unsigned MantissaBits = 10;
  static constexpr int Bias = 15;
};
template <> struct FloatTraits<F32> {
  using Bits = U32;
  static constexpr unsigned MantissaBits = 23;
  static constexpr int Bias = 127;
};
template <> struct FloatTraits<F64> {
  using Bits = U64;
  static constexpr unsigned MantissaBits = 52;
  static constexpr int Bias = 1023;
};

template <class F> auto bitsOf(F Value) {
  return std::bit_cast<typename FloatTraits<F>::Bits>(Value);
}
template <class F> F fromFloatBits(typename FloatTraits<F>::Bits Bits) {
  return std::bit_cast<F>(Bits);
}
template <class F>
constexpr auto SignBit =
    typename FloatTraits<F>::Bits(1) << (sizeof(F) * 8 - 1);
template <class F>
constexpr auto QuietBit =
    typename FloatTraits<F>::Bits(1) << (FloatTraits<F>::MantissaBits - 1);
template <class F>
constexpr auto ExponentMask = typename FloatTraits<F>::Bits(
    SignBit<F> -
    (typename FloatTraits<F>::Bits(1) << FloatTraits<F>::MantissaBits));

/// The exponent field, biased.
template <class F> int exponentOf(F Value) {
  return int((bitsOf(Value) & ExponentMask<F>) >> FloatTraits<F>::MantissaBits);
}
template <class F> bool isNegative(F Value) {
  return (bitsOf(Value) & SignBit<F>) != 0;
}
template <class F> bool isNan(F Value) {
  return (bitsOf(Value) & ~SignBit<F>) > ExponentMask<F>;
}
template <class F> bool isSignalling(F Value) {
  return isNan(Value) && !(bitsOf(Value) & QuietBit<F>);
}
template <class F> bool isInfinite(F Value) {
  return (bitsOf(Value) & ~SignBit<F> & ~0ull) == ExponentMask<F>;
}
template <class F> F quieted(F Value) {
  return fromFloatBits<F>(bitsOf(Value) | QuietBit<F>);
}
template <class F> F infinity(bool Negative) {
  return fromFloatBits<F>(ExponentMask<F> | (Negative ? SignBit<F> : 0));
}
template <class F> F magnitude(F Value) {
  return fromFloatBits<F>(bitsOf(Value) & ~SignBit<F>);
}
template <class F> F withSign(F Value, bool Negative) {
  return fromFloatBits<F>((bitsOf(Value) & ~SignBit<F>) |
                          (Negative ? SignBit<F> : 0));
}

/// Rounds to half in the current mode. Without an instruction for it: adding
/// and subtracting 1.5 * 2^(e + 13) leaves the eleven bits that a half has.
inline F16 toHalf(F32 Value) {
#ifdef __F16C__
  return F16(Value);
#else
  using T = FloatTraits<F32>;
  if (isNan(Value) || isInfinite(Value))
    return F16(Value);
  // Beyond the upper end, the result overflows anyway.
  constexpr int LowestExponent = -14, HighestExponent = 16, Spare = 13;
  int Exponent =
      std::clamp(exponentOf(Value) - T::Bias, LowestExponent, HighestExponent);
  U32 Sign = bitsOf(Value) & SignBit<F32>; // so that all modes agree
  U32 Power = U32(Exponent + Spare + T::Bias) << T::MantissaBits;
  F32 Magic = fromFloatBits<F32>(Sign | Power | QuietBit<F32>);
  // Volatile: the compiler must neither fold this nor move it away from where
  // the rounding mode is set.
  volatile F32 Sum = Value + Magic;
  F32 Rounded = withSign(Sum - Magic, isNegative(Value));
  constexpr F32 Largest = 65504;
  if (magnitude(Rounded) <= Largest)
    return F16(Rounded);
  // Overflow ends where that of a float would.
  volatile F32 Huge =
      withSign(fromFloatBits<F32>(ExponentMask<F32> - 1), isNegative(Value));
  volatile F32 Doubled = Huge + Huge;
  return F16(isInfinite(F32(Doubled)) ? F32(Doubled)
                                      : withSign(Largest, isNegative(Value)));
#endif
}

/// What the host's arithmetic makes of a source: a denormal may be zero. The
/// comparison is hidden from the compiler, which takes denormals for granted.
template <class F> F asSource(F Value) {
  static const volatile F Zero = 0;
  return Value == Zero ? withSign(F(0), isNegative(Value)) : Value;
}

template <class F> bool isTiny(F Value) {
  return (bitsOf(Value) & ExponentMask<F>) == 0;
}
/// A signed zero in place of a denormal.
template <class F> F withoutDenormal(F Value) {
  using Bits = typename FloatTraits<F>::Bits;
  Bits Kept = Bits(isTiny(Value) ? bitsOf(Value) & SignBit<F> : bitsOf(Value));
  return fromFloatBits<F>(Kept);
}
/// The host's control register says nothing about denormal halves: their MODE
/// bits are applied by hand. For other types, nothing happens.
template <class T> T flushedHalf(T Value, bool Flush) {
  if constexpr (std::is_same_v<T, F16>)
    return Flush ? withoutDenormal(Value) : Value;
  else
    return Value;
}

/// Numbers win over NaNs, and -0 is less than +0. Of two NaNs, the second.
template <class F> F minimum(F A, F B) {
  F Smaller = A < B ? A : B;
  if (A == B) // equal zeroes differ in sign
    Smaller = fromFloatBits<F>(bitsOf(A) | bitsOf(B));
  return B != B && A == A ? A : Smaller;
}
template <class F> F maximum(F A, F B) {
  F Larger = A > B ? A : B;
  if (A == B)
    Larger = fromFloatBits<F>(bitsOf(A) & bitsOf(B));
  return B != B && A == A ? A : Larger;
}

/// Rounds to a float so that a later rounding to half is as if done once.
inline F32 toOdd(F64 Value) {
  U64 Bits = std::bit_cast<U64>(Value);
  constexpr U64 Dropped = (U64(1) << 29) - 1;
  U64 Kept = Bits & ~Dropped;
  // The sticky bit ends up in the last place of the float, which half drops.
  if (Bits & Dropped)
    Kept |= Dropped + 1;
  return F32(std::bit_cast<F64>(Kept));
}

/// Single-rounding fused multiply-add of halves. The product is exact in a
/// double, and the sum is, or is far from a tie.
inline F16 fmaHalf(F16 A, F16 B, F16 C) {
  F64 Sum = __builtin_fma(F64(F32(A)), F64(F32(B)), F64(F32(C)));
  return toHalf(toOdd(Sum));
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_FLOATMATH_H
