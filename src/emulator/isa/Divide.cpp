// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The helpers of exact division, and of argument reduction. Division scales
// its operands into a safe range, refines an estimate, undoes the scaling, and
// repairs the special cases.
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/LaneMask.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Exponent arithmetic of each width.
template <class F> struct DivideTraits;
template <> struct DivideTraits<F32> {
  static constexpr int Shift = 64, FarApart = 96, TinyNumerator = 23;
  static constexpr int LowestQuotient = -150;
};
template <> struct DivideTraits<F64> {
  static constexpr int Shift = 128, FarApart = 768, TinyNumerator = 53;
  static constexpr int LowestQuotient = -1075;
};

template <class F> F timesPowerOfTwo(F Value, int Exponent) {
  // The exponent is in range for a factor of the same type.
  using T = FloatTraits<F>;
  auto Factor = typename T::Bits(Exponent + T::Bias) << T::MantissaBits;
  return Value * fromFloatBits<F>(Factor);
}

template <class F> bool isDenormal(F Value) {
  return exponentOf(Value) == 0 && bitsOf(magnitude(Value)) != 0;
}

template <class F> struct Scaled {
  F Value;
  bool Flag; ///< The quotient needs scaling afterwards.
};

/// \p Value is either the denominator or the numerator. The flag is that of
/// hardware, which looks at the difference of exponents, also of zeroes,
/// infinities and NaNs; and it calls a quotient tiny that may still be the
/// smallest normal number.
template <class F> Scaled<F> divideScale(F Value, F Denominator, F Numerator) {
  using T = DivideTraits<F>;
  constexpr int Bias = FloatTraits<F>::Bias;
  const int Distance = exponentOf(Numerator) - exponentOf(Denominator);
  // Whether 1/D and N/D are below the normal range, judged without rounding.
  bool TinyReciprocal = exponentOf(Denominator) >= 2 * Bias - 1 &&
                        !isInfinite(Denominator) && !isNan(Denominator) &&
                        1 / magnitude(Denominator) <
                            fromFloatBits<F>(typename FloatTraits<F>::Bits(1)
                                             << FloatTraits<F>::MantissaBits);
  // The field of a denormal numerator says too little.
  F Quotient = Numerator / Denominator;
  const bool IsTiny = Distance < 2 - Bias || isDenormal(Quotient) ||
                      (Quotient == 0 && !isInfinite(Denominator));
  const bool IsHuge = Distance >= T::FarApart;
  bool IsDenominator = bitsOf(Value) == bitsOf(Denominator);
  bool IsNumerator = bitsOf(Value) == bitsOf(Numerator);
  if (Denominator == 0 || Numerator == 0)
    return {fromFloatBits<F>(ExponentMask<F> | QuietBit<F>),
            IsHuge || Distance < 2 - Bias};
  if (IsHuge)
    return {IsDenominator ? timesPowerOfTwo(Value, T::Shift) : Value, true};
  if (isDenormal(Denominator))
    return {timesPowerOfTwo(Value, T::Shift), false};
  if (TinyReciprocal && IsTiny)
    return {IsDenominator ? timesPowerOfTwo(Value, -T::Shift) : Value, true};
  if (TinyReciprocal)
    return {timesPowerOfTwo(Value, -T::Shift), false};
  if (IsTiny)
    return {IsNumerator ? timesPowerOfTwo(Value, T::Shift) : Value, true};
  if (exponentOf(Numerator) <= T::TinyNumerator)
    return {timesPowerOfTwo(Value, T::Shift), false};
  return {Value, false};
}

template <class F> void scaleHandler(Wave &W, const Inst &I) {
  Lanes<F> A(W, I, 0), B(W, I, 1), C(W, I, 2);
  U32 *Low = W.Thread->Scratch.Result[0], *High = W.Thread->Scratch.Result[1];
  U64 Flags = 0;
  for (unsigned L = 0; L != NumLanes; ++L) {
    Scaled<F> Result = divideScale<F>(A[L], B[L], C[L]);
    storeLane<F>(Low, High, L, Result.Value);
    Flags |= U64(Result.Flag) << L;
  }
  if constexpr (sizeof(F) == 8)
    writeBackPair(W, I);
  else
    writeBack(W, I);
  W.setLaneMask(I.ScalarDst, Flags & W.exec());
}

F32 fused(F32 A, F32 B, F32 C) { return __builtin_fmaf(A, B, C); }
F64 fused(F64 A, F64 B, F64 C) { return __builtin_fma(A, B, C); }

/// A number as an integer times a power of two; bit 0 may stand for a rest.
struct Unrounded {
  bool Negative;
  unsigned __int128 Significand;
  int Exponent;
};

template <class F> Unrounded unrounded(F Value) {
  using T = FloatTraits<F>;
  U64 Mantissa = bitsOf(Value) & ((U64(1) << T::MantissaBits) - 1);
  int Field = exponentOf(Value);
  if (Field)
    Mantissa |= U64(1) << T::MantissaBits;
  return {isNegative(Value), Mantissa,
          (Field ? Field : 1) - T::Bias - int(T::MantissaBits)};
}

int bitWidth(unsigned __int128 Value) {
  U64 High = U64(Value >> 64);
  return High ? 128 - std::countl_zero(High)
              : 64 - std::countl_zero(U64(Value));
}
void shiftDown(Unrounded &A, int Count) {
  if (Count <= 0)
    return;
  bool Rest =
      Count > 127
          ? A.Significand != 0
          : (A.Significand & (((unsigned __int128)1 << Count) - 1)) != 0;
  A.Significand = Count > 127 ? 0 : A.Significand >> Count;
  A.Significand |= Rest;
  A.Exponent += Count;
}
/// 120 bits, so that a sum has room.
void normalise(Unrounded &A) {
  int Shift = 120 - bitWidth(A.Significand);
  if (Shift < 0) // after a carry
    return shiftDown(A, -Shift);
  A.Significand <<= Shift;
  A.Exponent -= Shift;
}

/// a * b + c of finite numbers, scaled, with one rounding: what a product of
/// host operations cannot do where the sum or the result is denormal.
template <class F> F fusedAndScaled(F A, F B, F C, int Power, const Wave &W) {
  using T = FloatTraits<F>;
  Unrounded X = unrounded(A), Y = unrounded(B), Z = unrounded(C);
  Unrounded Sum{X.Negative != Y.Negative, X.Significand * Y.Significand,
                X.Exponent + Y.Exponent};
  if (!Sum.Significand || !Z.Significand) {
    if (!Sum.Significand)
      Sum = Z;
  } else {
    normalise(Sum);
    normalise(Z);
    if (Sum.Exponent < Z.Exponent ||
        (Sum.Exponent == Z.Exponent && Sum.Significand < Z.Significand))
      std::swap(Sum, Z);
    shiftDown(Z, Sum.Exponent - Z.Exponent);
    Sum.Significand +=
        Sum.Negative == Z.Negative ? Z.Significand : -Z.Significand;
  }
  if (!Sum.Significand) // a zero's sign depends on the mode
    return fused(A, B, C);
  unsigned Round =
      W.Mode >> (sizeof(F) == 4 ? mode::RoundSingle : mode::RoundDouble) & 3;
  unsigned Denorm =
      W.Mode >> (sizeof(F) == 4 ? mode::DenormSingle : mode::DenormDouble);
  normalise(Sum);
  Sum.Exponent += Power;
  auto Rounded = [&](int Place) {
    Unrounded R = Sum;
    shiftDown(R, Place - 2 - R.Exponent);
    unsigned Rest = unsigned(R.Significand & 3);
    R.Significand >>= 2, R.Exponent += 2;
    bool Up = Round == 0   ? Rest > 2 || (Rest == 2 && (R.Significand & 1))
              : Round == 1 ? Rest && !R.Negative
              : Round == 2 ? Rest && R.Negative
                           : false;
    R.Significand += Up;
    return R;
  };
  int Lowest = 1 - T::Bias - int(T::MantissaBits);
  int Place = Sum.Exponent + 119 - int(T::MantissaBits);
  Unrounded Full = Rounded(Place);
  bool Tiny = Full.Exponent + bitWidth(Full.Significand) - 1 < 1 - T::Bias;
  if (Tiny && !(Denorm & 2))
    return withSign(F(0), Sum.Negative);
  Unrounded R = Tiny || Place < Lowest ? Rounded(Lowest) : Full;
  // At most a carry too long, which the exponent takes.
  U64 Code =
      (U64(I64(R.Exponent - Lowest)) << T::MantissaBits) + U64(R.Significand);
  if (Code >= U64(ExponentMask<F>)) {
    bool ToInfinity = Round == 0 || Round == (Sum.Negative ? 2u : 1u);
    Code = U64(ExponentMask<F>) - (ToInfinity ? 0 : 1);
  }
  return withSign(fromFloatBits<F>(typename T::Bits(Code)), Sum.Negative);
}

/// The flag of v_div_scale is in VCC. An estimate above 1 was made from a
/// scaled-up denominator, one below from a scaled-up numerator.
template <class F> void scaledFma(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  Lanes<F> A(W, I, 0), B(W, I, 1), C(W, I, 2);
  U32 *Low = W.Thread->Scratch.Result[0], *High = W.Thread->Scratch.Result[1];
  U64 Vcc = W.vcc();
  // The exponent of infinity and NaN; no scale changes those.
  constexpr int Special = 2 * FloatTraits<F>::Bias + 1;
  for (unsigned L = 0; L != NumLanes; ++L) {
    F Result;
    bool IsFinite = exponentOf(A[L]) < Special && exponentOf(B[L]) < Special &&
                    exponentOf(C[L]) < Special;
    if ((Vcc >> L & 1) && IsFinite)
      Result = fusedAndScaled(asSource(A[L]), asSource(B[L]), asSource(C[L]),
                              exponentOf(C[L]) > FloatTraits<F>::Bias
                                  ? DivideTraits<F>::Shift
                                  : -DivideTraits<F>::Shift,
                              W);
    else
      Result = fused(A[L], B[L], C[L]);
    storeLane<F>(Low, High, L, Result);
  }
  if constexpr (sizeof(F) == 8)
    writeBackPair(W, I);
  else
    writeBack(W, I);
}

/// \p Quotient is the refined value; the other two are the original operands.
template <class F> F divideFixup(F Quotient, F Denominator, F Numerator) {
  bool Negative = isNegative(Denominator) != isNegative(Numerator);
  if (isNan(Numerator))
    return quieted(Numerator);
  if (isNan(Denominator))
    return quieted(Denominator);
  bool ZeroD = magnitude(Denominator) == F(0);
  bool ZeroN = magnitude(Numerator) == F(0);
  if ((ZeroD && ZeroN) || (isInfinite(Denominator) && isInfinite(Numerator)))
    return fromFloatBits<F>(SignBit<F> | ExponentMask<F> | QuietBit<F>);
  if (ZeroD || isInfinite(Numerator))
    return infinity<F>(Negative);
  if (isInfinite(Denominator) || ZeroN)
    return withSign(F(0), Negative);
  // The refinement of a quotient that is too large went wrong on the way.
  if (isInfinite(Quotient) || isNan(Quotient))
    return infinity<F>(Negative);
  if constexpr (sizeof(F) > 2)
    if (exponentOf(Numerator) - exponentOf(Denominator) <
        DivideTraits<F>::LowestQuotient)
      return withSign(F(0), Negative);
  return withSign(Quotient, Negative);
}

/// A denormal quotient is flushed as both a source and a result are.
template <class F> void fixupHandler(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  unsigned Denorm = sizeof(F) == 4 ? mode::DenormSingle : mode::DenormDouble;
  bool Flush = (W.Mode >> Denorm & 3) != 3;
  Lanes<F> A(W, I, 0), B(W, I, 1), C(W, I, 2);
  U32 *Low = W.Thread->Scratch.Result[0], *High = W.Thread->Scratch.Result[1];
  for (unsigned L = 0; L != NumLanes; ++L) {
    F Quotient = A[L];
    if (Flush)
      Quotient = withoutDenormal(Quotient);
    storeLane<F>(Low, High, L, divideFixup<F>(Quotient, B[L], C[L]));
  }
  if constexpr (sizeof(F) == 8)
    writeBackPair(W, I);
  else
    writeBack(W, I);
}

/// 2/pi after the binary point, first bits first.
constexpr U64 TwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab};
constexpr unsigned TwoOverPiBits = 1201, WindowBits = 53;

/// The 53 bits of 2/pi that matter for an argument of this size.
F64 reductionSegment(F64 Argument, U32 Segment) {
  unsigned Shift = (Segment & 31) * WindowBits;
  int Exponent = exponentOf(Argument);
  if (Exponent > 1077)
    Shift += unsigned(Exponent - 1077);
  U64 Window = 0;
  for (unsigned B = 0; B != WindowBits; ++B) {
    unsigned At = Shift + B;
    U64 Bit = At < TwoOverPiBits ? TwoOverPi[At / 64] >> (63 - At % 64) & 1 : 0;
    Window = Window << 1 | Bit;
  }
  int Scale = -int(WindowBits) - int(Shift);
  if (Exponent >= 1968)
    Scale += 128;
  return std::ldexp(F64(I64(Window)), Scale);
}

template <class F> constexpr Operation three(const char *Name, Handler Fn) {
  constexpr ValueType T = valueType<F>();
  return {Name, Fn, T, {T, T, T}};
}

constexpr Operation Rows[] = {
    three<F32>("v_div_scale_f32", scaleHandler<F32>),
    three<F64>("v_div_scale_f64", scaleHandler<F64>),
    three<F32>("v_div_fmas_f32", scaledFma<F32>),
    three<F64>("v_div_fmas_f64", scaledFma<F64>),
    three<F32>("v_div_fixup_f32", fixupHandler<F32>),
    three<F64>("v_div_fixup_f64", fixupHandler<F64>),
    keepsHigh(vop<divideFixup<F16>>("v_div_fixup_f16")),
    vop<divideFixup<F16>>("v_div_fixup_legacy_f16"),
    vop<reductionSegment>("v_trig_preop_f64"),
};

} // namespace

std::span<const Operation> divideRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
