// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between integers, floats and fixed-point numbers.
#include "VectorReference.h"
#include <algorithm>

namespace luthier::test {

namespace {

using C = LaneCase;
using enum Kind;

/// Saturates; NaN becomes zero.
template <class T>
int64_t toInteger(const Format &F, uint64_t A, Rounding Round, T Low, T High) {
  if (F.isNan(A))
    return 0;
  if (F.isInfinite(A))
    return F.isNegative(A) ? int64_t(Low) : int64_t(High);
  Exact Value = integral(exactOf(F, A), Round);
  if (Value.Exponent > 60 || compare(Value, exactOf(__int128(High))) > 0)
    return Value.Negative ? int64_t(Low) : int64_t(High);
  return int64_t(std::max<__int128>(toInteger(Value), Low));
}
int64_t toSigned(const Format &F, uint64_t A, unsigned Bits,
                 Rounding Round = Rounding::Zero) {
  int64_t High = (int64_t(1) << (Bits - 1)) - 1;
  return toInteger(F, A, Round, -High - 1, High);
}
int64_t toUnsigned(const Format &F, uint64_t A, unsigned Bits) {
  return toInteger<int64_t>(F, A, Rounding::Zero, 0, (int64_t(1) << Bits) - 1);
}
uint64_t fromInteger(const Format &F, const FloatRules &R, int64_t Value) {
  return round(F, exactOf(__int128(Value)), R);
}

/// 1.0 is all ones but the sign.
uint64_t normalised(const Format &F, const FloatRules &R, uint64_t A,
                    bool Signed) {
  A = flushedSource(F, A, R);
  if (F.isNan(A))
    return 0;
  int64_t Scale = Signed ? 32767 : 65535;
  if (F.isInfinite(A))
    return uint16_t(F.isNegative(A) ? (Signed ? -Scale : 0) : Scale);
  Exact Value = integral(product(exactOf(F, A), exactOf(__int128(Scale))),
                         Rounding::Nearest);
  if (compare(Value, exactOf(__int128(Scale))) > 0)
    return uint16_t(Scale);
  int64_t Low = Signed ? -Scale : 0;
  if (compare(Value, exactOf(__int128(Low))) < 0)
    return uint16_t(Low);
  return uint16_t(toInteger(Value));
}
template <bool Signed, Kind K> uint64_t normalisesPair(C &L) {
  const Format &F = K == F16 ? Half : Single;
  const FloatRules &R = K == F16 ? L.Double : L.Single;
  return normalised(F, R, L.S[0], Signed) | normalised(F, R, L.S[1], Signed)
                                                << 16;
}

uint64_t toHalf(const C &L, uint64_t A, Rounding Round) {
  FloatRules To = L.Double;
  To.Round = Round;
  return convert(Single, Half, A, L.Single, To);
}
uint64_t halves(const C &L, Rounding Round) {
  return toHalf(L, L.S[0], Round) | toHalf(L, L.S[1], Round) << 16;
}
uint64_t insertedByte(C &L) {
  uint64_t Byte = Single.isNan(L.S[0])
                      ? 0
                      : uint64_t(toInteger<int64_t>(Single, L.S[0],
                                                    Rounding::Nearest, 0, 255));
  unsigned Shift = 8 * (L.S[1] % 4);
  return (L.S[2] & ~(uint64_t(255) << Shift)) | Byte << Shift;
}
uint64_t byteToFloat(const C &L, unsigned N) {
  return fromInteger(Single, L.Single, int64_t(L.S[0] >> (8 * N) & 255));
}
int64_t limited(int64_t V, int64_t Low, int64_t High) {
  return std::clamp(V, Low, High);
}
template <bool Signed> uint64_t shiftedBytes(C &L) {
  int64_t Low = Signed ? -128 : 0, High = Signed ? 127 : 255;
  uint64_t Result = 0;
  for (int N = 0; N != 2; ++N)
    Result |= uint64_t(limited(L.i32(N) >> (L.S[2] % 32), Low, High) & 255)
              << (8 * N);
  return Result;
}

#define ROW(Name, D, A, B, X, Expr)                                            \
  {Name, D, {A, B, X}, [](C &L) -> uint64_t { return uint64_t(Expr); }}
#define ROWT(Name, D, A, B, X, Traits, Expr)                                   \
  {Name, D, {A, B, X}, [](C &L) -> uint64_t { return uint64_t(Expr); }, Traits}

const VectorRow Rows[] = {
    ROW("v_cvt_i32_f32", I32, F32, None, None, toSigned(Single, L.S[0], 32)),
    ROW("v_cvt_u32_f32", U32, F32, None, None, toUnsigned(Single, L.S[0], 32)),
    ROW("v_cvt_i32_f64", I32, F64, None, None, toSigned(Double, L.S[0], 32)),
    ROW("v_cvt_u32_f64", U32, F64, None, None, toUnsigned(Double, L.S[0], 32)),
    ROW("v_cvt_i16_f16", I16, F16, None, None, toSigned(Half, L.S[0], 16)),
    ROW("v_cvt_u16_f16", U16, F16, None, None, toUnsigned(Half, L.S[0], 16)),
#define NEAREST                                                                \
  Single.isNan(L.S[0]) || Single.isInfinite(L.S[0])                            \
      ? toSigned(Single, L.S[0], 32)                                           \
      : toSigned(                                                              \
            Double,                                                            \
            round(Double,                                                      \
                  integral(sum(exactOf(Single, flushedSource(Single, L.S[0],   \
                                                             L.Single)),       \
                               exactOf(Half, 0x3800)),                         \
                           Rounding::Down)),                                   \
            32)
    ROW("v_cvt_rpi_i32_f32", I32, F32, None, None, NEAREST),
    ROW("v_cvt_nearest_i32_f32", I32, F32, None, None, NEAREST),
    ROW("v_cvt_flr_i32_f32", I32, F32, None, None,
        toSigned(Single, flushedSource(Single, L.S[0], L.Single), 32,
                 Rounding::Down)),
    ROW("v_cvt_floor_i32_f32", I32, F32, None, None,
        toSigned(Single, flushedSource(Single, L.S[0], L.Single), 32,
                 Rounding::Down)),

    ROW("v_cvt_f32_i32", F32, I32, None, None,
        fromInteger(Single, L.Single, L.i32(0))),
    ROW("v_cvt_f32_u32", F32, U32, None, None,
        fromInteger(Single, L.Single, int64_t(L.S[0]))),
    ROW("v_cvt_f64_i32", F64, I32, None, None,
        fromInteger(Double, L.Double, L.i32(0))),
    ROW("v_cvt_f64_u32", F64, U32, None, None,
        fromInteger(Double, L.Double, int64_t(L.S[0]))),
    ROW("v_cvt_f16_i16", F16, I16, None, None,
        fromInteger(Half, L.Double, L.i16(0))),
    ROW("v_cvt_f16_u16", F16, U16, None, None,
        fromInteger(Half, L.Double, L.u16(0))),
    ROW("v_cvt_u32_u16", U32, U16, None, None, L.u16(0)),
    ROW("v_cvt_i32_i16", I32, I16, None, None, uint32_t(L.i16(0))),
    ROW("v_cvt_f32_ubyte0", F32, U32, None, None, byteToFloat(L, 0)),
    ROW("v_cvt_f32_ubyte1", F32, U32, None, None, byteToFloat(L, 1)),
    ROW("v_cvt_f32_ubyte2", F32, U32, None, None, byteToFloat(L, 2)),
    ROW("v_cvt_f32_ubyte3", F32, U32, None, None, byteToFloat(L, 3)),
    // Sixteenths of a signed nibble.
    ROW("v_cvt_off_f32_i4", F32, U32, None, None,
        round(Single, scaled(exactOf(__int128(L.i32(0) & 7) - (L.i32(0) & 8)),
                             -4))),

    ROWT("v_cvt_f32_f64", F32, F64, None, None, OtherNan,
         convert(Double, Single, L.S[0], L.Double, L.Single)),
    ROWT("v_cvt_f64_f32", F64, F32, None, None, OtherNan,
         convert(Single, Double, L.S[0], L.Single, L.Double)),
    ROWT("v_cvt_f16_f32", F16, F32, None, None, OtherNan,
         toHalf(L, L.S[0], L.Double.Round)),
    ROWT("v_cvt_f32_f16", F32, F16, None, None, OtherNan,
         convert(Half, Single, L.S[0], L.Double, L.Single)),
    ROW("v_cvt_pkrtz_f16_f32", U32, F32, F32, None,
        halves(L, Rounding::Zero)),
    ROW("v_cvt_pk_rtz_f16_f32", U32, F32, F32, None,
        halves(L, Rounding::Zero)),
    ROW("v_cvt_pk_f16_f32", U32, F32, F32, None,
        halves(L, Rounding::Nearest)),

    {"v_cvt_pknorm_i16_f32", U32, {F32, F32}, normalisesPair<true, F32>},
    {"v_cvt_pknorm_u16_f32", U32, {F32, F32}, normalisesPair<false, F32>},
    {"v_cvt_pknorm_i16_f16", U32, {F16, F16}, normalisesPair<true, F16>},
    {"v_cvt_pknorm_u16_f16", U32, {F16, F16}, normalisesPair<false, F16>},
    {"v_cvt_pk_norm_i16_f32", U32, {F32, F32}, normalisesPair<true, F32>},
    {"v_cvt_pk_norm_u16_f32", U32, {F32, F32}, normalisesPair<false, F32>},
    {"v_cvt_pk_norm_i16_f16", U32, {F16, F16}, normalisesPair<true, F16>},
    {"v_cvt_pk_norm_u16_f16", U32, {F16, F16}, normalisesPair<false, F16>},
    ROWT("v_cvt_norm_i16_f16", I16, F16, None, None, KeepsHigh,
         normalised(Half, L.Double, L.S[0], true)),
    ROWT("v_cvt_norm_u16_f16", U16, F16, None, None, KeepsHigh,
         normalised(Half, L.Double, L.S[0], false)),
    ROW("v_cvt_pk_u16_u32", U32, U32, U32, None,
        std::min<uint64_t>(L.S[0], 65535) |
            std::min<uint64_t>(L.S[1], 65535) << 16),
    ROW("v_cvt_pk_i16_i32", U32, I32, I32, None,
        uint16_t(limited(L.i32(0), -32768, 32767)) |
            uint64_t(uint16_t(limited(L.i32(1), -32768, 32767))) << 16),
    ROW("v_cvt_pk_i16_f32", U32, F32, F32, None,
        uint16_t(toSigned(Single, L.S[0], 16)) |
            uint64_t(uint16_t(toSigned(Single, L.S[1], 16))) << 16),
    ROW("v_cvt_pk_u16_f32", U32, F32, F32, None,
        toUnsigned(Single, L.S[0], 16) | toUnsigned(Single, L.S[1], 16) << 16),
    {"v_cvt_pk_u8_f32", U32, {F32, U32, U32}, insertedByte},
    {"v_cvt_pkaccum_u8_f32",
     U32,
     {F32, U32},
     [](C &L) {
       L.S[2] = L.Old;
       return insertedByte(L);
     },
     Accumulates},
    ROW("v_sat_pk_u8_i16", U16, U32, None, None,
        uint64_t(limited(L.i16(0), 0, 255)) |
            uint64_t(limited(int16_t(L.S[0] >> 16), 0, 255)) << 8),
    {"v_ashr_pk_i8_i32", U16, {I32, I32, U32}, shiftedBytes<true>, KeepsHigh},
    {"v_ashr_pk_u8_i32", U16, {I32, I32, U32}, shiftedBytes<false>, KeepsHigh},
    ROW("v_prng_b32", U32, U32, None, None,
        L.u32(0) * 2u ^ (L.i32(0) < 0 ? 197u : 0u)),
};

} // namespace

std::span<const VectorRow> convertRows() { return Rows; }

} // namespace luthier::test
