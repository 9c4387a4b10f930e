// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed operations, of which an evaluator sees one part at a time, and those
// that mix halves and floats.
#include "VectorReference.h"
#include <algorithm>

namespace luthier::test {

namespace {

using C = LaneCase;
using enum Kind;

uint64_t cut(const C &L, int64_t Exact, int64_t Low, int64_t High) {
  return uint16_t(L.Clamp ? std::clamp(Exact, Low, High) : Exact);
}
uint64_t unsignedPart(const C &L, int64_t Exact) {
  return cut(L, Exact, 0, 65535);
}
uint64_t signedPart(const C &L, int64_t Exact) {
  return cut(L, Exact, -32768, 32767);
}

/// Less than, with -0 < +0; neither is NaN.
bool isLess(uint64_t A, uint64_t B) {
  auto Key = [](uint64_t V) {
    auto Size = int64_t(V & 0x7fff);
    return V & 0x8000 ? -Size - 1 : Size;
  };
  return Key(A) < Key(B);
}
/// From generation 12 on, where these are called "num", signalling NaNs lose.
template <bool Max> uint64_t number(const C &L, uint64_t A, uint64_t B) {
  if (L.Generation >= 12 && Half.isNan(A) && Half.isNan(B))
    return A | Half.quietBit();
  const bool Ieee = L.Generation < 12 && L.Ieee;
  if (Ieee && Half.isSignalling(A))
    return A | Half.quietBit();
  if (Ieee && Half.isSignalling(B))
    return B | Half.quietBit();
  if (Half.isNan(A))
    return B;
  if (Half.isNan(B))
    return A;
  return isLess(A, B) != Max ? A : B;
}
template <bool Max> uint64_t newer(uint64_t A, uint64_t B) {
  for (bool Signalling : {true, false})
    for (uint64_t V : {A, B})
      if (Half.isNan(V) && (Half.isSignalling(V) || !Signalling))
        return V | Half.quietBit();
  return isLess(A, B) != Max ? A : B;
}
uint64_t flushed(const C &L, uint64_t V) {
  bool Keeps = L.Double.KeepDenormalSources && L.Double.KeepDenormalResults;
  return Half.isDenormal(V) && !Keeps ? V & 0x8000 : V;
}

uint64_t toHalf(const C &L, uint64_t V) {
  // The float result is a source here, but one that was never stored.
  return convert(Single, Half, V, {}, L.Double);
}
uint64_t clampedSingle(const C &L, uint64_t V) {
  if (!L.Clamp)
    return V;
  if (Single.isNan(V))
    return L.NanToZero ? 0 : V;
  return Single.isNegative(V) ? 0 : std::min(V, Single.one());
}
uint64_t fma(const C &L) {
  return fusedMultiplyAdd(Single, L.S[0], L.S[1], L.S[2], L.Single);
}

#define ROW(Name, D, A, B, X, Traits, Expr)                                    \
  {Name, D, {A, B, X}, [](C &L) -> uint64_t { return (Expr); }, Traits}
#define INT2(Name, Expr) ROW(Name, PkU16, PkU16, PkU16, None, 0, Expr)
#define INT2S(Name, Expr) ROW(Name, PkU16, PkU16, PkU16, None, Saturates, Expr)
#define INT3S(Name, Expr) ROW(Name, PkU16, PkU16, PkU16, PkU16, Saturates, Expr)
#define HALF2(Name, Expr) ROW(Name, PkF16, PkF16, PkF16, None, 0, Expr)
#define HALF3(Name, Expr) ROW(Name, PkF16, PkF16, PkF16, PkF16, 0, Expr)

const VectorRow Rows[] = {
    INT2S("v_pk_add_u16", unsignedPart(L, L.u16(0) + L.u16(1))),
    INT2S("v_pk_sub_u16", unsignedPart(L, L.u16(0) - L.u16(1))),
    INT2S("v_pk_add_i16", signedPart(L, L.i16(0) + L.i16(1))),
    INT2S("v_pk_sub_i16", signedPart(L, L.i16(0) - L.i16(1))),
    INT3S("v_pk_mad_u16",
          unsignedPart(L, int64_t(L.u16(0)) * L.u16(1) + L.u16(2))),
    INT3S("v_pk_mad_i16",
          signedPart(L, int64_t(L.i16(0)) * L.i16(1) + L.i16(2))),
    INT2("v_pk_mul_lo_u16", uint32_t(L.u16(0)) * L.u16(1)),
    INT2("v_pk_lshlrev_b16", L.S[1] << (L.S[0] % 16)),
    INT2("v_pk_lshrrev_b16", L.S[1] >> (L.S[0] % 16)),
    INT2("v_pk_ashrrev_i16", uint16_t(L.i16(1) >> (L.S[0] % 16))),
    INT2("v_pk_min_i16", uint16_t(std::min(L.i16(0), L.i16(1)))),
    INT2("v_pk_max_i16", uint16_t(std::max(L.i16(0), L.i16(1)))),
    INT2("v_pk_min_u16", std::min(L.u16(0), L.u16(1))),
    INT2("v_pk_max_u16", std::max(L.u16(0), L.u16(1))),

    HALF2("v_pk_add_f16", add(Half, L.S[0], L.S[1], L.Double)),
    HALF2("v_pk_mul_f16", multiply(Half, L.S[0], L.S[1], L.Double)),
    HALF3("v_pk_fma_f16",
          fusedMultiplyAdd(Half, L.S[0], L.S[1], L.S[2], L.Double)),
    HALF2("v_pk_min_f16", flushed(L, number<false>(L, L.S[0], L.S[1]))),
    HALF2("v_pk_max_f16", flushed(L, number<true>(L, L.S[0], L.S[1]))),
    HALF2("v_pk_min_num_f16", flushed(L, number<false>(L, L.S[0], L.S[1]))),
    HALF2("v_pk_max_num_f16", flushed(L, number<true>(L, L.S[0], L.S[1]))),
    HALF2("v_pk_minimum_f16", flushed(L, newer<false>(L.S[0], L.S[1]))),
    HALF2("v_pk_maximum_f16", flushed(L, newer<true>(L.S[0], L.S[1]))),
    HALF3("v_pk_minimum3_f16",
          flushed(L, newer<false>(newer<false>(L.S[0], L.S[1]), L.S[2]))),
    HALF3("v_pk_maximum3_f16",
          flushed(L, newer<true>(newer<true>(L.S[0], L.S[1]), L.S[2]))),
    // Short form: no selectors, the destination is the addend.
    ROW("v_pk_fmac_f16", PkF16, PkF16, PkF16, None, Accumulates | PlainOnly,
        fusedMultiplyAdd(Half, L.S[0], L.S[1], L.Old, L.Double)),

    ROW("v_pk_add_f32", PkF32, PkF32, PkF32, None, 0,
        add(Single, L.S[0], L.S[1], L.Single)),
    ROW("v_pk_mul_f32", PkF32, PkF32, PkF32, None, 0,
        multiply(Single, L.S[0], L.S[1], L.Single)),
    ROW("v_pk_fma_f32", PkF32, PkF32, PkF32, PkF32, 0, fma(L)),
    ROW("v_pk_mov_b32", U64, U64, U64, None, OwnOpSel | Vop3p,
        (L.S[0] >> (L.OpSel & 1 ? 32 : 0) & 0xffffffff) |
            L.S[1] >> (L.OpSel & 2 ? 32 : 0) << 32),

    ROW("v_fma_mix_f32", F32, Mix, Mix, Mix, OtherNan, fma(L)),
    ROW("v_fma_mixlo_f16", F16, Mix, Mix, Mix, OtherNan | KeepsHigh | OwnClamp,
        toHalf(L, clampedSingle(L, fma(L)))),
    ROW("v_fma_mixhi_f16", F16, Mix, Mix, Mix, OtherNan | WritesHigh | OwnClamp,
        toHalf(L, clampedSingle(L, fma(L)))),
};

} // namespace

std::span<const VectorRow> packedRows() { return Rows; }

} // namespace luthier::test
