// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of halves, floats and doubles that is exact but for one rounding.
#include "VectorReference.h"
#include <algorithm>
#include <initializer_list>

namespace luthier::test {

namespace {

using C = LaneCase;
using enum Kind;

/// MODE's rules for the format of \p K.
template <Kind K> const Format &format() {
  return K == F16 ? Half : K == F64 ? Double : Single;
}
template <Kind K> FloatRules rules(const C &L) {
  return K == F32 ? L.Single : L.Double;
}
/// Operations that never had denormals.
FloatRules flushing(const C &L) { return {L.Single.Round, false, false}; }

template <Kind K> uint64_t sumOf(C &L, uint64_t A, uint64_t B) {
  return add(format<K>(), A, B, rules<K>(L));
}
template <Kind K> uint64_t adds(C &L) { return sumOf<K>(L, L.S[0], L.S[1]); }
template <Kind K> uint64_t subtracts(C &L) {
  return sumOf<K>(L, L.S[0], negated(format<K>(), L.S[1]));
}
template <Kind K> uint64_t subtractsReversed(C &L) {
  return sumOf<K>(L, L.S[1], negated(format<K>(), L.S[0]));
}
template <Kind K> uint64_t multiplies(C &L) {
  return multiply(format<K>(), L.S[0], L.S[1], rules<K>(L));
}
template <Kind K> uint64_t fuses(C &L) {
  return fusedMultiplyAdd(format<K>(), L.S[0], L.S[1], L.S[2], rules<K>(L));
}
/// d = a * b + d
template <Kind K> uint64_t fusesInto(C &L) {
  return fusedMultiplyAdd(format<K>(), L.S[0], L.S[1], L.Old, rules<K>(L));
}
/// d = a * k + b
template <Kind K, bool Into> uint64_t multipliesAdds(C &L) {
  const Format &F = format<K>();
  FloatRules R = K == F32 ? flushing(L) : rules<K>(L);
  uint64_t Addend = Into ? L.Old & (F.signBit() * 2 - 1) : L.S[2];
  Addend = flushedSource(F, Addend, R);
  // The product is neither a source nor a result: denormals stay in it.
  FloatRules ToProduct = R, FromProduct = R;
  if (K == F16)
    ToProduct.KeepDenormalResults = FromProduct.KeepDenormalSources = true;
  return add(F, multiply(F, L.S[0], L.S[1], ToProduct), Addend, FromProduct);
}

bool isZeroOrFlushed(const C &L, uint64_t Bits, const FloatRules &R) {
  return Single.isZero(flushedSource(Single, Bits, R));
}
uint64_t legacyMultiply(const C &L, const FloatRules &R) {
  if (isZeroOrFlushed(L, L.S[0], R) || isZeroOrFlushed(L, L.S[1], R))
    return 0;
  return multiply(Single, L.S[0], L.S[1], R);
}
uint64_t legacyFused(const C &L, uint64_t Addend) {
  const FloatRules &R = L.Single;
  if (isZeroOrFlushed(L, L.S[0], R) || isZeroOrFlushed(L, L.S[1], R))
    return add(Single, 0, Addend, R);
  return fusedMultiplyAdd(Single, L.S[0], L.S[1], Addend, R);
}
uint64_t lit(C &L) {
  uint64_t Lowest = Single.infinity(true) - 1;
  auto Source = [&](int N) { return flushedSource(Single, L.S[N], L.Single); };
  bool Takes = !Single.isNan(L.S[1]) && L.S[1] != Single.infinity(true) &&
               L.S[1] != Lowest && !Single.isNan(L.S[2]) &&
               !Single.isNegative(L.S[2]) && !Single.isZero(Source(2));
  return Takes ? multiply(Single, L.S[0], L.S[1], L.Single) : Lowest;
}

/// Less than, with -0 < +0; neither is NaN.
bool isLess(const Format &F, uint64_t A, uint64_t B) {
  auto Key = [&](uint64_t V) {
    auto Size = int64_t(V & (F.signBit() - 1));
    return F.isNegative(V) ? -Size - 1 : Size;
  };
  return Key(A) < Key(B);
}
uint64_t quiet(const Format &F, uint64_t V) { return V | F.quietBit(); }

/// As minNum of IEEE 754-2008 where MODE says so; else NaNs just lose. From
/// generation 12 on, where these are called "num", they do whatever MODE says.
template <bool Max>
uint64_t number(const Format &F, uint64_t A, uint64_t B, const C &L) {
  if (L.Generation >= 12 && F.isNan(A) && F.isNan(B))
    return quiet(F, A);
  const bool Ieee = L.Generation < 12 && L.Ieee;
  if (Ieee && F.isSignalling(A))
    return quiet(F, A);
  if (Ieee && F.isSignalling(B))
    return quiet(F, B);
  if (F.isNan(A))
    return B;
  if (F.isNan(B))
    return A;
  return isLess(F, A, B) != Max ? A : B;
}
/// As minimum of IEEE 754-2019.
template <bool Max>
uint64_t newer(const Format &F, uint64_t A, uint64_t B, const C &) {
  for (bool Signalling : {true, false})
    for (uint64_t V : {A, B})
      if (F.isNan(V) && (F.isSignalling(V) || !Signalling))
        return quiet(F, V);
  return isLess(F, A, B) != Max ? A : B;
}
using Chooser = uint64_t (*)(const Format &, uint64_t, uint64_t, const C &);

uint64_t flushedResult(const Format &F, uint64_t V, const FloatRules &R) {
  bool Keeps = R.KeepDenormalSources && R.KeepDenormalResults;
  return F.isDenormal(V) && !Keeps ? V & F.signBit() : V;
}
template <Kind K, Chooser First> uint64_t picks(C &L) {
  const Format &F = format<K>();
  return flushedResult(F, First(F, L.S[0], L.S[1], L), rules<K>(L));
}
template <Kind K, Chooser First, Chooser Second> uint64_t picks3(C &L) {
  const Format &F = format<K>();
  uint64_t Both = First(F, L.S[0], L.S[1], L);
  return flushedResult(F, Second(F, Both, L.S[2], L), rules<K>(L));
}
template <Kind K> uint64_t median(C &L) {
  const Format &F = format<K>();
  if (F.isNan(L.S[0]) || F.isNan(L.S[1]) || F.isNan(L.S[2]))
    return picks3<K, number<false>, number<false>>(L);
  uint64_t V[] = {L.S[0], L.S[1], L.S[2]};
  std::sort(V, V + 3, [&](uint64_t A, uint64_t B) { return isLess(F, A, B); });
  return flushedResult(F, V[1], rules<K>(L));
}

/// NaN and infinity as they are, other values as an integral one.
template <Kind K, Rounding R> uint64_t rounds(C &L) {
  const Format &F = format<K>();
  uint64_t A = flushedSource(F, L.S[0], rules<K>(L));
  if (F.isNan(A))
    return quiet(F, A);
  if (F.isInfinite(A))
    return A;
  Exact Value = integral(exactOf(F, A), R);
  return Value.isZero() ? F.zero(F.isNegative(A)) : round(F, Value);
}
template <Kind K> uint64_t fraction(C &L) {
  const Format &F = format<K>();
  uint64_t Floor = rounds<K, Rounding::Down>(L);
  uint64_t Result = add(F, L.S[0], negated(F, Floor), rules<K>(L));
  return !F.isNan(Result) && Result == F.one() ? F.one() - 1 : Result;
}
template <Kind K> uint64_t scales(C &L) {
  const Format &F = format<K>();
  int64_t Power = K == F16 ? L.i16(1) : L.i32(1);
  uint64_t A = flushedSource(F, L.S[0], rules<K>(L));
  if (F.isNan(A))
    return quiet(F, A);
  if (F.isInfinite(A) || F.isZero(A))
    return A;
  int Limited = int(std::clamp<int64_t>(Power, -100000, 100000));
  return round(F, scaled(exactOf(F, A), Limited), rules<K>(L));
}
/// Exponent for a mantissa in [0.5, 1).
int exponentOf(const Format &F, uint64_t A) {
  int Exponent = int((A & F.exponentMask()) >> F.MantissaBits);
  if (Exponent)
    return Exponent - F.bias() + 1;
  uint64_t Mantissa = A & F.mantissaMask();
  Exponent = 2 - F.bias();
  while (!(Mantissa >> F.MantissaBits & 1))
    Mantissa <<= 1, --Exponent;
  return Exponent;
}
template <Kind K> uint64_t exponents(C &L) {
  const Format &F = format<K>();
  uint64_t A = flushedSource(F, L.S[0], rules<K>(L));
  if (F.isNan(A) || F.isInfinite(A) || F.isZero(A))
    return 0;
  return uint64_t(int64_t(exponentOf(F, A)));
}
template <Kind K> uint64_t mantissas(C &L) {
  const Format &F = format<K>();
  uint64_t A = flushedSource(F, L.S[0], rules<K>(L));
  if (F.isNan(A))
    return quiet(F, A);
  if (F.isInfinite(A) || F.isZero(A))
    return A;
  return round(F, scaled(exactOf(F, A), -exponentOf(F, A)));
}

// Cube maps: face 2n looks along +axis n, face 2n + 1 along -axis n.
struct Cube {
  uint64_t Face, S, T, Major;
};
Cube cube(const C &L) {
  const uint64_t X = flushedSource(Single, L.S[0], L.Single);
  const uint64_t Y = flushedSource(Single, L.S[1], L.Single);
  const uint64_t Z = flushedSource(Single, L.S[2], L.Single);
  auto Size = [](uint64_t V) { return V & (Single.signBit() - 1); };
  auto AtLeast = [&](uint64_t A, uint64_t B) {
    return !Single.isNan(A) && !Single.isNan(B) && Size(A) >= Size(B);
  };
  auto Minus = [](uint64_t V) { return negated(Single, V); };
  auto Below = [](uint64_t V) {
    return Single.isNegative(V) && !Single.isZero(V) && !Single.isNan(V);
  };
  if (AtLeast(Z, X) && AtLeast(Z, Y))
    return {4u + Below(Z), Below(Z) ? Minus(X) : X, Minus(Y), Z};
  if (AtLeast(Y, X))
    return {2u + Below(Y), X, Below(Y) ? Minus(Z) : Z, Y};
  return {0u + Below(X), Below(X) ? Z : Minus(Z), Minus(Y), X};
}
uint64_t smallInteger(const Format &F, uint64_t Value) {
  return round(F, exactOf(__int128(Value)));
}

#define FLOATS(Suffix, K)                                                      \
  {"v_trunc_" Suffix, K, {K}, rounds<K, Rounding::Zero>},                      \
      {"v_ceil_" Suffix, K, {K}, rounds<K, Rounding::Up>},                     \
      {"v_floor_" Suffix, K, {K}, rounds<K, Rounding::Down>},                  \
      {"v_rndne_" Suffix, K, {K}, rounds<K, Rounding::Nearest>},               \
      {"v_fract_" Suffix, K, {K}, fraction<K>},                                \
      {"v_frexp_mant_" Suffix, K, {K}, mantissas<K>},                          \
      {"v_add_" Suffix, K, {K, K}, adds<K>},                                   \
      {"v_mul_" Suffix, K, {K, K}, multiplies<K>},                             \
      {"v_min_" Suffix, K, {K, K}, picks<K, number<false>>},                   \
      {"v_max_" Suffix, K, {K, K}, picks<K, number<true>>},                    \
      {"v_min_num_" Suffix, K, {K, K}, picks<K, number<false>>},               \
      {"v_max_num_" Suffix, K, {K, K}, picks<K, number<true>>},                \
      {"v_minimum_" Suffix, K, {K, K}, picks<K, newer<false>>}, {              \
    "v_maximum_" Suffix, K, {K, K}, picks<K, newer<true>>                      \
  }
#define NARROW_FLOATS(Suffix, K, High)                                         \
  {"v_sub_" Suffix, K, {K, K}, subtracts<K>},                                  \
      {"v_subrev_" Suffix, K, {K, K}, subtractsReversed<K>},                   \
      {"v_min3_" Suffix,                                                       \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, number<false>, number<false>>,                                \
       High},                                                                  \
      {"v_max3_" Suffix,                                                       \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, number<true>, number<true>>,                                  \
       High},                                                                  \
      {"v_med3_" Suffix, K, {K, K, K}, median<K>, High},                       \
      {"v_min3_num_" Suffix,                                                   \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, number<false>, number<false>>},                               \
      {"v_max3_num_" Suffix,                                                   \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, number<true>, number<true>>},                                 \
      {"v_med3_num_" Suffix, K, {K, K, K}, median<K>},                         \
      {"v_minmax_" Suffix,                                                     \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, number<false>, number<true>>},                                \
      {"v_maxmin_" Suffix,                                                     \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, number<true>, number<false>>},                                \
      {"v_minmax_num_" Suffix,                                                 \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, number<false>, number<true>>},                                \
      {"v_maxmin_num_" Suffix,                                                 \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, number<true>, number<false>>},                                \
      {"v_minimum3_" Suffix,                                                   \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, newer<false>, newer<false>>},                                 \
      {"v_maximum3_" Suffix,                                                   \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, newer<true>, newer<true>>},                                   \
      {"v_minimummaximum_" Suffix,                                             \
       K,                                                                      \
       {K, K, K},                                                              \
       picks3<K, newer<false>, newer<true>>},                                  \
  {                                                                            \
    "v_maximumminimum_" Suffix, K, {K, K, K},                                  \
        picks3<K, newer<true>, newer<false>>                                   \
  }

const VectorRow Rows[] = {
    FLOATS("f16", F16),
    FLOATS("f32", F32),
    FLOATS("f64", F64),
    NARROW_FLOATS("f16", F16, KeepsHigh),
    NARROW_FLOATS("f32", F32, 0),

    {"v_fma_f16", F16, {F16, F16, F16}, fuses<F16>, KeepsHigh},
    {"v_fma_legacy_f16", F16, {F16, F16, F16}, fuses<F16>},
    {"v_fma_f32", F32, {F32, F32, F32}, fuses<F32>},
    {"v_fma_f64", F64, {F64, F64, F64}, fuses<F64>},
    {"v_fmac_f16", F16, {F16, F16}, fusesInto<F16>, Accumulates | KeepsHigh},
    {"v_fmac_f32", F32, {F32, F32}, fusesInto<F32>, Accumulates},
    {"v_fmac_f64", F64, {F64, F64}, fusesInto<F64>, Accumulates},
    {"v_fmamk_f16",
     F16,
     {F16, F16, F16},
     fuses<F16>,
     LiteralSecond | PlainOnly},
    {"v_fmaak_f16", F16, {F16, F16, F16}, fuses<F16>, LiteralThird | PlainOnly},
    {"v_fmamk_f32",
     F32,
     {F32, F32, F32},
     fuses<F32>,
     LiteralSecond | PlainOnly},
    {"v_fmaak_f32", F32, {F32, F32, F32}, fuses<F32>, LiteralThird | PlainOnly},
    {"v_mad_f16",
     F16,
     {F16, F16, F16},
     multipliesAdds<F16, false>,
     OtherNan | KeepsHigh},
    {"v_mad_legacy_f16",
     F16,
     {F16, F16, F16},
     multipliesAdds<F16, false>,
     OtherNan},
    {"v_mad_f32", F32, {F32, F32, F32}, multipliesAdds<F32, false>, OtherNan},
    {"v_mac_f16",
     F16,
     {F16, F16},
     multipliesAdds<F16, true>,
     OtherNan | Accumulates | KeepsHigh},
    {"v_mac_f32",
     F32,
     {F32, F32},
     multipliesAdds<F32, true>,
     OtherNan | Accumulates},
    {"v_madmk_f16",
     F16,
     {F16, F16, F16},
     multipliesAdds<F16, false>,
     OtherNan | LiteralSecond | PlainOnly | KeepsHigh},
    {"v_madak_f16",
     F16,
     {F16, F16, F16},
     multipliesAdds<F16, false>,
     OtherNan | LiteralThird | PlainOnly | KeepsHigh},
    {"v_madmk_f32",
     F32,
     {F32, F32, F32},
     multipliesAdds<F32, false>,
     OtherNan | LiteralSecond | PlainOnly},
    {"v_madak_f32",
     F32,
     {F32, F32, F32},
     multipliesAdds<F32, false>,
     OtherNan | LiteralThird | PlainOnly},

    {"v_mul_legacy_f32",
     F32,
     {F32, F32},
     [](C &L) { return legacyMultiply(L, L.Single); }},
    {"v_mul_dx9_zero_f32",
     F32,
     {F32, F32},
     [](C &L) { return legacyMultiply(L, L.Single); }},
    {"v_mad_legacy_f32",
     F32,
     {F32, F32, F32},
     [](C &L) {
       FloatRules R = flushing(L);
       return add(Single, legacyMultiply(L, R), L.S[2], R);
     },
     OtherNan},
    {"v_fma_legacy_f32",
     F32,
     {F32, F32, F32},
     [](C &L) { return legacyFused(L, L.S[2]); }},
    {"v_fma_dx9_zero_f32",
     F32,
     {F32, F32, F32},
     [](C &L) { return legacyFused(L, L.S[2]); }},
    {"v_fmac_legacy_f32",
     F32,
     {F32, F32},
     [](C &L) { return legacyFused(L, L.Old); },
     Accumulates},
    {"v_fmac_dx9_zero_f32",
     F32,
     {F32, F32},
     [](C &L) { return legacyFused(L, L.Old); },
     Accumulates},
    {"v_mullit_f32", F32, {F32, F32, F32}, lit},

    {"v_ldexp_f16", F16, {F16, I16}, scales<F16>},
    {"v_ldexp_f32", F32, {F32, I32}, scales<F32>},
    {"v_ldexp_f64", F64, {F64, I32}, scales<F64>},
    {"v_frexp_exp_i16_f16", I16, {F16}, exponents<F16>},
    {"v_frexp_exp_i32_f32", I32, {F32}, exponents<F32>},
    {"v_frexp_exp_i32_f64", I32, {F64}, exponents<F64>},

    {"v_cubeid_f32",
     F32,
     {F32, F32, F32},
     [](C &L) { return smallInteger(Single, cube(L).Face); }},
    {"v_cubesc_f32",
     F32,
     {F32, F32, F32},
     [](C &L) { return cube(L).S; },
     OtherNan},
    {"v_cubetc_f32",
     F32,
     {F32, F32, F32},
     [](C &L) { return cube(L).T; },
     OtherNan},
    {"v_cubema_f32",
     F32,
     {F32, F32, F32},
     [](C &L) {
       uint64_t Major = cube(L).Major;
       return add(Single, Major, Major, L.Single);
     }},
};

} // namespace

std::span<const VectorRow> floatRows() { return Rows; }

} // namespace luthier::test
