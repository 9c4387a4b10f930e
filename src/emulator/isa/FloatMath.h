// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point pieces that several operations share. Rounding and denormal
// modes are those of the host's control register, which the instruction loop
// keeps equal to the wave's MODE.
#ifndef LUTHIER_EMULATOR_ISA_FLOATMATH_H
#define LUTHIER_EMULATOR_ISA_FLOATMATH_H

#include "emulator/isa/Types.h"
#include <cmath>

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

/// Numbers win over NaNs, and -0 is less than +0.
template <class F> F minimum(F A, F B) {
  F Smaller = A < B ? A : B;
  if (A == B) // equal zeroes differ in sign
    Smaller = fromFloatBits<F>(bitsOf(A) | bitsOf(B));
  return B != B ? A : Smaller;
}
template <class F> F maximum(F A, F B) {
  F Larger = A > B ? A : B;
  if (A == B)
    Larger = fromFloatBits<F>(bitsOf(A) & bitsOf(B));
  return B != B ? A : Larger;
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
  F64 Sum = F64(F32(A)) * F64(F32(B)) + F64(F32(C));
  return F16(toOdd(Sum));
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_FLOATMATH_H
