// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic, 16 to 64 bits wide.
#include "VectorReference.h"
#include <algorithm>
#include <cstdlib>

namespace luthier::test {

namespace {

using C = LaneCase;
using enum Kind;

/// The exact result, cut or saturated.
uint64_t unsignedResult(const C &L, __int128 Exact, unsigned Bits) {
  __int128 Top = (__int128(1) << Bits) - 1;
  if (L.Clamp)
    Exact = std::clamp<__int128>(Exact, 0, Top);
  return uint64_t(Exact & Top);
}
uint64_t signedResult(const C &L, __int128 Exact, unsigned Bits) {
  __int128 Top = (__int128(1) << (Bits - 1)) - 1;
  if (L.Clamp)
    Exact = std::clamp<__int128>(Exact, -Top - 1, Top);
  return uint64_t(Exact & (Top * 2 + 1));
}
int32_t low24s(uint64_t V) { return int32_t(uint32_t(V) << 8) / 256; }
int64_t low24u(uint64_t V) { return int64_t(V % (1 << 24)); }
int byteAt(uint64_t V, int N) { return int(V >> (8 * N) & 255); }

template <class T, unsigned N> T sorted(T A, T B, T X) {
  T V[] = {A, B, X};
  std::sort(V, V + 3);
  return V[N];
}

int64_t sumOfDifferences(uint64_t A, uint64_t B, bool SkipZero) {
  int64_t Sum = 0;
  for (int N = 0; N != 4; ++N)
    if (!SkipZero || byteAt(B, N))
      Sum += std::abs(byteAt(A, N) - byteAt(B, N));
  return Sum;
}
uint64_t fourSums(const C &L, bool SkipZero) {
  uint64_t Result = 0;
  for (int N = 0; N != 4; ++N) {
    int64_t Sum = sumOfDifferences(L.S[0] >> (8 * N), L.S[1], SkipZero) +
                  int64_t(L.S[2] >> (16 * N) & 0xffff);
    Sum = L.Clamp ? std::min<int64_t>(Sum, 0xffff) : Sum & 0xffff;
    Result |= uint64_t(Sum) << (16 * N);
  }
  return Result;
}
uint64_t mqsad32(C &L) {
  for (int N = 0; N != 4; ++N) {
    uint64_t Sum = uint64_t(sumOfDifferences(L.S[0] >> (8 * N), L.S[1], true)) +
                   L.Wide[2][N];
    L.WideOut[N] = uint32_t(L.Clamp ? std::min<uint64_t>(Sum, ~0u) : Sum);
  }
  return 0;
}

uint64_t carryOf(C &L, __int128 Exact) {
  L.MaskOut = Exact < 0 || Exact > 0xffffffff;
  return unsignedResult(L, Exact, 32);
}

#define ROW(Name, D, A, B, X, ...)                                             \
  {                                                                            \
    Name, D, {A, B, X}, [](C &L) -> uint64_t { __VA_ARGS__ }                   \
  }
#define ROWT(Name, D, A, B, X, Traits, ...)                                    \
  {Name, D, {A, B, X}, [](C &L) -> uint64_t { __VA_ARGS__ }, Traits}
#define U32_2(Name, Expr) ROW(Name, U32, U32, U32, None, return (Expr);)
#define U32_3(Name, Expr) ROW(Name, U32, U32, U32, U32, return (Expr);)
// Saturating additions and subtractions under both of their names.
#define ADDSUB32(Name, K, Result, Expr)                                        \
  ROWT(Name, K, K, K, None, Saturates, return Result(L, Expr, 32);)
#define ADDSUB16(Name, K, Traits, Result, Expr)                                \
  ROWT(Name, K, K, K, None, Saturates | Traits, return Result(L, Expr, 16);)

constexpr int64_t s(uint64_t V) { return int64_t(V); }

const VectorRow Rows[] = {
    ADDSUB32("v_add_u32", U32, unsignedResult, s(L.S[0]) + s(L.S[1])),
    ADDSUB32("v_add_nc_u32", U32, unsignedResult, s(L.S[0]) + s(L.S[1])),
    ADDSUB32("v_sub_u32", U32, unsignedResult, s(L.S[0]) - s(L.S[1])),
    ADDSUB32("v_sub_nc_u32", U32, unsignedResult, s(L.S[0]) - s(L.S[1])),
    ADDSUB32("v_subrev_u32", U32, unsignedResult, s(L.S[1]) - s(L.S[0])),
    ADDSUB32("v_subrev_nc_u32", U32, unsignedResult, s(L.S[1]) - s(L.S[0])),
    ADDSUB32("v_add_i32", I32, signedResult, s(L.i32(0)) + L.i32(1)),
    ADDSUB32("v_add_nc_i32", I32, signedResult, s(L.i32(0)) + L.i32(1)),
    ADDSUB32("v_sub_i32", I32, signedResult, s(L.i32(0)) - L.i32(1)),
    ADDSUB32("v_sub_nc_i32", I32, signedResult, s(L.i32(0)) - L.i32(1)),
    U32_3("v_add3_u32", L.S[0] + L.S[1] + L.S[2]),
    U32_3("v_lshl_add_u32", (L.S[0] << (L.S[1] % 32)) + L.S[2]),
    U32_3("v_add_lshl_u32", (L.S[0] + L.S[1]) << (L.S[2] % 32)),
    ROW("v_lshl_add_u64", U64, U64, U32, U64,
        return (L.S[0] << (L.S[1] % 8)) + L.S[2];),
    U32_3("v_xad_u32", (L.S[0] ^ L.S[1]) + L.S[2]),

    U32_2("v_mul_lo_u32", L.S[0] * L.S[1]),
    U32_2("v_mul_lo_i32", L.S[0] * L.S[1]),
    U32_2("v_mul_hi_u32", L.S[0] * L.S[1] >> 32),
    ROW("v_mul_hi_i32", I32, I32, I32, None,
        return uint64_t(s(L.i32(0)) * L.i32(1)) >> 32;),
    U32_2("v_mul_i32_i24", uint64_t(s(low24s(L.S[0])) * low24s(L.S[1]))),
    U32_2("v_mul_hi_i32_i24",
          uint64_t(s(low24s(L.S[0])) * low24s(L.S[1])) >> 32),
    U32_2("v_mul_u32_u24", uint64_t(low24u(L.S[0]) * low24u(L.S[1]))),
    U32_2("v_mul_hi_u32_u24", uint64_t(low24u(L.S[0]) * low24u(L.S[1])) >> 32),
    ROWT("v_mad_i32_i24", I32, U32, U32, I32, Saturates,
         return signedResult(L, s(low24s(L.S[0])) * low24s(L.S[1]) + L.i32(2),
                             32);),
    ROWT("v_mad_u32_u24", U32, U32, U32, U32, Saturates,
         return unsignedResult(L, low24u(L.S[0]) * low24u(L.S[1]) + s(L.S[2]),
                               32);),
    ROWT("v_mad_u32_u16", U32, U16, U16, U32, Saturates,
         return unsignedResult(L, s(L.u16(0)) * L.u16(1) + s(L.S[2]), 32);),
    ROWT("v_mad_i32_i16", I32, I16, I16, I32, Saturates,
         return signedResult(L, s(L.i16(0)) * L.i16(1) + L.i32(2), 32);),

    ROW("v_min_i32", I32, I32, I32, None,
        return uint32_t(std::min(L.i32(0), L.i32(1)));),
    ROW("v_max_i32", I32, I32, I32, None,
        return uint32_t(std::max(L.i32(0), L.i32(1)));),
    U32_2("v_min_u32", std::min(L.S[0], L.S[1])),
    U32_2("v_max_u32", std::max(L.S[0], L.S[1])),
#define SORTED(Suffix, K, Get)                                                 \
  ROW("v_min3_" Suffix, K, K, K, K,                                            \
      return uint32_t(                                                         \
          sorted<decltype(L.Get(0)), 0>(L.Get(0), L.Get(1), L.Get(2)));),      \
      ROW("v_med3_" Suffix, K, K, K, K,                                        \
          return uint32_t(                                                     \
              sorted<decltype(L.Get(0)), 1>(L.Get(0), L.Get(1), L.Get(2)));),  \
      ROW("v_max3_" Suffix, K, K, K, K,                                        \
          return uint32_t(                                                     \
              sorted<decltype(L.Get(0)), 2>(L.Get(0), L.Get(1), L.Get(2)));)
    SORTED("i32", I32, i32),
    SORTED("u32", U32, u32),
#define CLAMPS(Suffix, K, Get)                                                 \
  ROW("v_maxmin_" Suffix, K, K, K, K,                                          \
      return uint32_t(std::min(std::max(L.Get(0), L.Get(1)), L.Get(2)));),     \
      ROW("v_minmax_" Suffix, K, K, K, K,                                      \
          return uint32_t(std::max(std::min(L.Get(0), L.Get(1)), L.Get(2)));)
    CLAMPS("i32", I32, i32),
    CLAMPS("u32", U32, u32),

    ROWT("v_sad_u8", U32, U32, U32, U32, Saturates,
         return unsignedResult(
             L, sumOfDifferences(L.S[0], L.S[1], false) + s(L.S[2]), 32);),
    ROWT("v_msad_u8", U32, U32, U32, U32, Saturates,
         return unsignedResult(
             L, sumOfDifferences(L.S[0], L.S[1], true) + s(L.S[2]), 32);),
    ROWT("v_sad_hi_u8", U32, U32, U32, U32, Saturates,
         return unsignedResult(
             L, (sumOfDifferences(L.S[0], L.S[1], false) << 16) + s(L.S[2]),
             32);),
    ROWT("v_sad_u16", U32, U32, U32, U32, Saturates,
         return unsignedResult(L,
                               std::abs(s(L.u16(0)) - L.u16(1)) +
                                   std::abs(s(L.S[0] >> 16) - s(L.S[1] >> 16)) +
                                   s(L.S[2]),
                               32);),
    ROWT("v_sad_u32", U32, U32, U32, U32, Saturates,
         return unsignedResult(L, std::abs(s(L.S[0]) - s(L.S[1])) + s(L.S[2]),
                               32);),
    ROWT("v_qsad_pk_u16_u8", U64, U64, U32, U64, Saturates,
         return fourSums(L, false);),
    ROWT("v_mqsad_pk_u16_u8", U64, U64, U32, U64, Saturates,
         return fourSums(L, true);),
    ROWT("v_mqsad_u32_u8", Wide4, U64, U32, Wide4, Saturates,
         return mqsad32(L);),
    ROW("v_lerp_u8", U32, U32, U32, U32, uint32_t R = 0;
        for (int N = 0; N != 4; ++N) R |=
        uint32_t(
            (byteAt(L.S[0], N) + byteAt(L.S[1], N) + (byteAt(L.S[2], N) & 1)) /
            2)
        << (8 * N);
        return R;),

    // 16 bits.
    ADDSUB16("v_add_u16", U16, 0, unsignedResult, s(L.u16(0)) + L.u16(1)),
    ADDSUB16("v_add_nc_u16", U16, 0, unsignedResult, s(L.u16(0)) + L.u16(1)),
    ADDSUB16("v_sub_u16", U16, 0, unsignedResult, s(L.u16(0)) - L.u16(1)),
    ADDSUB16("v_sub_nc_u16", U16, 0, unsignedResult, s(L.u16(0)) - L.u16(1)),
    ADDSUB16("v_subrev_u16", U16, 0, unsignedResult, s(L.u16(1)) - L.u16(0)),
    ADDSUB16("v_add_i16", I16, KeepsHigh, signedResult, s(L.i16(0)) + L.i16(1)),
    ADDSUB16("v_add_nc_i16", I16, 0, signedResult, s(L.i16(0)) + L.i16(1)),
    ADDSUB16("v_sub_i16", I16, KeepsHigh, signedResult, s(L.i16(0)) - L.i16(1)),
    ADDSUB16("v_sub_nc_i16", I16, 0, signedResult, s(L.i16(0)) - L.i16(1)),
    ROW("v_mul_lo_u16", U16, U16, U16, None, return L.u16(0) * L.u16(1);),
    ROWT("v_mad_u16", U16, U16, U16, U16, Saturates | KeepsHigh,
         return unsignedResult(L, s(L.u16(0)) * L.u16(1) + L.u16(2), 16);),
    ROWT("v_mad_i16", I16, I16, I16, I16, Saturates | KeepsHigh,
         return signedResult(L, s(L.i16(0)) * L.i16(1) + L.i16(2), 16);),
    ROWT("v_mad_legacy_u16", U16, U16, U16, U16, Saturates,
         return unsignedResult(L, s(L.u16(0)) * L.u16(1) + L.u16(2), 16);),
    ROWT("v_mad_legacy_i16", I16, I16, I16, I16, Saturates,
         return signedResult(L, s(L.i16(0)) * L.i16(1) + L.i16(2), 16);),
    ROW("v_min_u16", U16, U16, U16, None, return std::min(L.u16(0), L.u16(1));),
    ROW("v_max_u16", U16, U16, U16, None, return std::max(L.u16(0), L.u16(1));),
    ROW("v_min_i16", I16, I16, I16, None,
        return uint16_t(std::min(L.i16(0), L.i16(1)));),
    ROW("v_max_i16", I16, I16, I16, None,
        return uint16_t(std::max(L.i16(0), L.i16(1)));),
#define SORTED16(Suffix, K, Get)                                               \
  ROWT("v_min3_" Suffix, K, K, K, K, KeepsHigh,                                \
       return uint16_t(                                                        \
           sorted<decltype(L.Get(0)), 0>(L.Get(0), L.Get(1), L.Get(2)));),     \
      ROWT("v_med3_" Suffix, K, K, K, K, KeepsHigh,                            \
           return uint16_t(                                                    \
               sorted<decltype(L.Get(0)), 1>(L.Get(0), L.Get(1), L.Get(2)));), \
      ROWT("v_max3_" Suffix, K, K, K, K, KeepsHigh,                            \
           return uint16_t(                                                    \
               sorted<decltype(L.Get(0)), 2>(L.Get(0), L.Get(1), L.Get(2)));)
    SORTED16("i16", I16, i16),
    SORTED16("u16", U16, u16),

// Carries.
#define CARRY(Name, Expr)                                                      \
  ROWT(Name, U32, U32, U32, None, Saturates | WritesMask,                      \
       return carryOf(L, Expr);)
#define CARRY_IN(Name, Expr)                                                   \
  ROWT(Name, U32, U32, U32, None, Saturates | WritesMask | ReadsMask,          \
       return carryOf(L, Expr);)
    CARRY("v_add_co_u32", s(L.S[0]) + s(L.S[1])),
    CARRY("v_sub_co_u32", s(L.S[0]) - s(L.S[1])),
    CARRY("v_subrev_co_u32", s(L.S[1]) - s(L.S[0])),
    CARRY_IN("v_addc_co_u32", s(L.S[0]) + s(L.S[1]) + L.MaskIn),
    CARRY_IN("v_subb_co_u32", s(L.S[0]) - s(L.S[1]) - L.MaskIn),
    CARRY_IN("v_subbrev_co_u32", s(L.S[1]) - s(L.S[0]) - L.MaskIn),
    CARRY_IN("v_add_co_ci_u32", s(L.S[0]) + s(L.S[1]) + L.MaskIn),
    CARRY_IN("v_sub_co_ci_u32", s(L.S[0]) - s(L.S[1]) - L.MaskIn),
    CARRY_IN("v_subrev_co_ci_u32", s(L.S[1]) - s(L.S[0]) - L.MaskIn),
#define MAD_U64                                                                \
  __int128 Sum = __int128(L.S[0] * L.S[1]) + __int128(L.S[2]);                 \
  L.MaskOut = Sum >> 64 & 1;                                                   \
  return uint64_t(Sum);
#define MAD_I64                                                                \
  __int128 Sum = __int128(s(L.i32(0)) * L.i32(1)) + L.i64(2);                  \
  L.MaskOut = Sum >> 64 & 1;                                                   \
  return uint64_t(Sum);
    ROWT("v_mad_u64_u32", U64, U32, U32, U64, WritesMask, MAD_U64),
    ROWT("v_mad_co_u64_u32", U64, U32, U32, U64, WritesMask, MAD_U64),
    ROWT("v_mad_i64_i32", U64, I32, I32, I64, WritesMask, MAD_I64),
    ROWT("v_mad_co_i64_i32", U64, I32, I32, I64, WritesMask, MAD_I64),
};

} // namespace

std::span<const VectorRow> integerRows() { return Rows; }

} // namespace luthier::test
