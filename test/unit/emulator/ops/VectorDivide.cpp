// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The helpers of exact division and of argument reduction.
#include "VectorReference.h"
#include <algorithm>
#include <array>
#include <cstdlib>

namespace luthier::test {

namespace {

using C = LaneCase;
using enum Kind;

template <Kind K> const Format &format() {
  return K == F16 ? Half : K == F64 ? Double : Single;
}
template <Kind K> FloatRules rules(const C &L) {
  return K == F32 ? L.Single : L.Double;
}
int field(const Format &F, uint64_t V) {
  return int((V & F.exponentMask()) >> F.MantissaBits);
}
uint64_t size(const Format &F, uint64_t V) { return V & (F.signBit() - 1); }

/// Below the normal numbers, or rounded to zero.
bool isTiny(const Format &F, const Exact &Value) {
  return field(F, round(F, Value)) == 0;
}

template <Kind K> uint64_t scales(C &L) {
  const Format &F = format<K>();
  const FloatRules R = rules<K>(L);
  constexpr int Shift = K == F32 ? 64 : 128, Far = K == F32 ? 96 : 768;
  constexpr int TinyNumerator = K == F32 ? 23 : 53;
  auto Source = [&](int N) { return flushedSource(F, L.S[N], R); };
  auto Shifted = [&](int Power) {
    uint64_t A = Source(0);
    if (F.isNan(A))
      return A | F.quietBit();
    if (F.isInfinite(A) || F.isZero(A))
      return A;
    return round(F, scaled(exactOf(F, A), Power), R);
  };
  uint64_t D = Source(1), N = Source(2);
  bool IsDenominator = L.S[0] == L.S[1], IsNumerator = L.S[0] == L.S[2];
  // Hardware decides by the exponents, those of zeroes included.
  const int Distance = field(F, L.S[2]) - field(F, L.S[1]);
  const bool IsFar = Distance >= Far, IsDeep = Distance <= 1 - F.bias();
  if (F.isZero(D) || F.isZero(N)) {
    L.MaskOut = IsFar || IsDeep;
    return F.quietNan();
  }
  bool DFinite = !F.isNan(D) && !F.isInfinite(D);
  bool NFinite = !F.isNan(N) && !F.isInfinite(N);
  if (IsFar) {
    L.MaskOut = true;
    return IsDenominator ? Shifted(Shift) : L.S[0];
  }
  if (F.isDenormal(D))
    return Shifted(Shift);
  Exact One = exactOf(__int128(1));
  bool TinyReciprocal =
      DFinite && isTiny(F, quotient(One, exactOf(F, size(F, D))));
  bool TinyQuotient =
      IsDeep ||
      (DFinite && NFinite &&
       isTiny(F, quotient(exactOf(F, size(F, N)), exactOf(F, size(F, D)))));
  if (TinyReciprocal && TinyQuotient) {
    L.MaskOut = true;
    return IsDenominator ? Shifted(-Shift) : L.S[0];
  }
  if (TinyReciprocal)
    return Shifted(-Shift);
  if (TinyQuotient) {
    L.MaskOut = true;
    return IsNumerator ? Shifted(Shift) : L.S[0];
  }
  return field(F, L.S[2]) <= TinyNumerator ? Shifted(Shift) : L.S[0];
}

/// The manuals give one factor, which does not undo what v_div_scale did. It is
/// the scale of the denominator or, for a small estimate, of the numerator.
template <Kind K> uint64_t unscales(C &L) {
  const Format &F = format<K>();
  const FloatRules R = rules<K>(L);
  if (!L.MaskIn)
    return fusedMultiplyAdd(F, L.S[0], L.S[1], L.S[2], R);
  uint64_t V[3];
  for (int N = 0; N != 3; ++N) {
    V[N] = flushedSource(F, L.S[N], R);
    if (F.isNan(V[N]) || F.isInfinite(V[N])) // no scale changes these
      return fusedMultiplyAdd(F, L.S[0], L.S[1], L.S[2], R);
  }
  constexpr int Shift = K == F32 ? 64 : 128;
  Exact Sum =
      sum(product(exactOf(F, V[0]), exactOf(F, V[1])), exactOf(F, V[2]));
  if (Sum.isZero())
    return fusedMultiplyAdd(F, L.S[0], L.S[1], L.S[2], R);
  return round(F, scaled(Sum, field(F, L.S[2]) > F.bias() ? Shift : -Shift), R);
}

template <Kind K> uint64_t fixes(C &L) {
  const Format &F = format<K>();
  const FloatRules R = rules<K>(L);
  uint64_t Q = flushedSource(F, L.S[0], R), D = flushedSource(F, L.S[1], R),
           N = flushedSource(F, L.S[2], R);
  uint64_t Sign = (L.S[1] ^ L.S[2]) & F.signBit();
  for (uint64_t V : {N, D})
    if (F.isNan(V))
      return V | F.quietBit();
  if ((F.isZero(D) && F.isZero(N)) || (F.isInfinite(D) && F.isInfinite(N)))
    return F.signBit() | F.quietNan();
  if (F.isZero(D) || F.isInfinite(N))
    return Sign | F.exponentMask();
  if (F.isInfinite(D) || F.isZero(N))
    return Sign;
  // The refinement of a quotient that is too large ends in NaN or infinity.
  if (F.isInfinite(Q) || F.isNan(Q))
    return Sign | F.exponentMask();
  int Lowest = K == F32 ? -150 : -1075;
  if (K != F16 && field(F, L.S[2]) - field(F, L.S[1]) < Lowest)
    return Sign;
  bool Flushes = F.isDenormal(Q) && !R.KeepDenormalResults;
  return Sign | (Flushes ? 0 : size(F, Q));
}

/// The first 1201 bits of 2/pi after the point, by long division of integers:
/// pi from Machin's formula with 1300 bits.
class TwoOverPi {
public:
  static constexpr int Bits = 1201;
  TwoOverPi() {
    Number Pi =
        subtracted(shifted(arctangent(5), 4), shifted(arctangent(239), 2));
    // Bits of 2 / pi = 2^1 * 1 / pi, one subtraction each.
    Number Rest{};
    Rest[Words - 1] = 2;
    for (int N = 0; N != Bits; ++N) {
      Rest = shifted(Rest, 1);
      Digits[size_t(N)] = !isLess(Rest, Pi);
      if (Digits[size_t(N)])
        Rest = subtracted(Rest, Pi);
    }
  }
  bool bit(int N) const { return N >= 0 && N < Bits && Digits[size_t(N)]; }

private:
  // Fixed point: the last word is the integer part.
  static constexpr int Words = 44;
  using Number = std::array<uint32_t, Words>;

  static Number divided(const Number &A, uint32_t By) {
    Number R{};
    uint64_t Rest = 0;
    for (int N = Words - 1; N >= 0; --N) {
      Rest = Rest << 32 | A[size_t(N)];
      R[size_t(N)] = uint32_t(Rest / By);
      Rest %= By;
    }
    return R;
  }
  static Number subtracted(const Number &A, const Number &B) {
    Number R{};
    int64_t Borrow = 0;
    for (size_t N = 0; N != Words; ++N) {
      int64_t V = int64_t(A[N]) - B[N] - Borrow;
      Borrow = V < 0;
      R[N] = uint32_t(V);
    }
    return R;
  }
  static Number added(const Number &A, const Number &B) {
    Number R{};
    uint64_t Carry = 0;
    for (size_t N = 0; N != Words; ++N) {
      Carry += uint64_t(A[N]) + B[N];
      R[N] = uint32_t(Carry);
      Carry >>= 32;
    }
    return R;
  }
  static Number shifted(const Number &A, int Count) {
    Number R = A;
    while (Count--)
      R = added(R, R);
    return R;
  }
  static bool isLess(const Number &A, const Number &B) {
    for (int N = Words - 1; N >= 0; --N)
      if (A[size_t(N)] != B[size_t(N)])
        return A[size_t(N)] < B[size_t(N)];
    return false;
  }
  /// Of 1 / \p X.
  static Number arctangent(uint32_t X) {
    Number Power{};
    Power[Words - 1] = 1;
    Power = divided(Power, X);
    Number Sum = Power;
    for (uint32_t K = 3; K < 1400; K += 2) {
      Power = divided(divided(Power, X), X);
      Number Term = divided(Power, K);
      Sum = K % 4 == 3 ? subtracted(Sum, Term) : added(Sum, Term);
    }
    return Sum;
  }

  std::array<bool, Bits> Digits{};
};

uint64_t reduces(C &L) {
  static const TwoOverPi Digits;
  int Exponent = field(Double, L.S[0]);
  int Shift = int(L.S[1] % 32) * 53 + std::max(0, Exponent - 1077);
  uint64_t Window = 0;
  for (int N = 0; N != 53; ++N)
    Window = Window << 1 | Digits.bit(Shift + N);
  int Scale = -53 - Shift + (Exponent >= 1968 ? 128 : 0);
  return round(Double, scaled(exactOf(__int128(Window)), Scale), L.Double);
}

const VectorRow Rows[] = {
    {"v_div_scale_f32",
     F32,
     {F32, F32, F32},
     scales<F32>,
     WritesMask | Vop3Only | OtherNan | SharedSources},
    {"v_div_scale_f64",
     F64,
     {F64, F64, F64},
     scales<F64>,
     WritesMask | Vop3Only | OtherNan | SharedSources},
    {"v_div_fmas_f32",
     F32,
     {F32, F32, F32},
     unscales<F32>,
     Vop3Only | OtherNan | ImpliedVcc},
    {"v_div_fmas_f64",
     F64,
     {F64, F64, F64},
     unscales<F64>,
     Vop3Only | OtherNan | ImpliedVcc},
    {"v_div_fixup_f32", F32, {F32, F32, F32}, fixes<F32>, OtherNan},
    {"v_div_fixup_f64", F64, {F64, F64, F64}, fixes<F64>, OtherNan},
    {"v_div_fixup_f16", F16, {F16, F16, F16}, fixes<F16>, OtherNan | KeepsHigh},
    {"v_div_fixup_legacy_f16", F16, {F16, F16, F16}, fixes<F16>, OtherNan},
    {"v_trig_preop_f64", F64, {F64, U32}, reduces},
};

} // namespace

std::span<const VectorRow> divideRows() { return Rows; }

} // namespace luthier::test
