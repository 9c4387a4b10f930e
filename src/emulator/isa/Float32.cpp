// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single-precision arithmetic.
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/MinMax.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Not fused, and always without denormals.
constexpr uint8_t FlushingMode = 3;
constexpr Operation flushing(Operation Op) {
  Op.FloatMode = FlushingMode;
  return Op;
}

F32 multiplyAdd(F32 A, F32 B, F32 C) { return A * B + C; }
F32 fused(F32 A, F32 B, F32 C) { return __builtin_fmaf(A, B, C); }
/// Zero times anything is zero.
F32 legacyMultiply(F32 A, F32 B) { return A == 0 || B == 0 ? 0.0f : A * B; }
F32 legacyFused(F32 A, F32 B, F32 C) {
  return A == 0 || B == 0 ? 0.0f + C : __builtin_fmaf(A, B, C);
}
/// The power of specular light; a factor that stands for log(0) wins.
F32 litMultiply(F32 A, F32 B, F32 C) {
  constexpr F32 Lowest = -0x1.fffffep127f;
  return B > Lowest && C > 0 ? A * B : Lowest;
}

F32 fraction(F32 A) {
  // Just below zero, rounding would give 1.
  F32 Result = A - __builtin_floorf(A);
  return Result >= 1.0f ? 0x1.fffffep-1f : Result;
}

F32 scaleByPower(F32 A, I32 Exponent) {
  // Any float that is scaled further than this is zero or infinite.
  I32 E = Exponent < -400 ? -400 : Exponent > 400 ? 400 : Exponent;
  return F32(F64(A) * std::bit_cast<F64>(U64(E + 1023) << 52));
}

I32 exponentOfFraction(F32 Source) {
  F32 A = asSource(Source);
  if (isNan(A) || isInfinite(A) || A == 0)
    return 0;
  if (exponentOf(A))
    return exponentOf(A) - 126;
  // A denormal: count how far its first bit is down.
  return -125 - (std::countl_zero(bitsOf(magnitude(A))) - 8);
}
F32 mantissaFraction(F32 Source) {
  F32 A = asSource(Source);
  if (isNan(A) || isInfinite(A) || A == 0)
    return isNan(A) ? quieted(A) : A;
  return scaleByPower(A, -exponentOfFraction(A));
}

// Cube maps: the face is that of the largest coordinate.
struct CubeFace {
  CubeFace(F32 SourceX, F32 SourceY, F32 SourceZ) {
    F32 X = asSource(SourceX), Y = asSource(SourceY), Z = asSource(SourceZ);
    F32 AX = magnitude(X), AY = magnitude(Y), AZ = magnitude(Z);
    if (AZ >= AX && AZ >= AY) {
      Id = Z < 0 ? 5 : 4, Major = Z;
      S = Z < 0 ? -X : X, T = -Y;
    } else if (AY >= AX) {
      Id = Y < 0 ? 3 : 2, Major = Y;
      S = X, T = Y < 0 ? -Z : Z;
    } else {
      Id = X < 0 ? 1 : 0, Major = X;
      S = X < 0 ? Z : -Z, T = -Y;
    }
  }
  F32 Id, Major, S, T;
};

constexpr Operation Rows[] = {
    vop<[](F32 A, F32 B) { return A + B; }>("v_add_f32"),
    vop<[](F32 A, F32 B) { return A - B; }>("v_sub_f32"),
    vop<[](F32 A, F32 B) { return B - A; }>("v_subrev_f32"),
    vop<[](F32 A, F32 B) { return A * B; }>("v_mul_f32"),
    vop<legacyMultiply>("v_mul_legacy_f32"),
    vop<legacyFused>("v_fma_legacy_f32"),
    vop<legacyFused>("v_fmac_legacy_f32"),
    vop<litMultiply>("v_mullit_f32"),
    vop<fused>("v_fma_f32"),
    vop<fused>("v_fmac_f32"),
    vop<fused>("v_fmamk_f32"),
    vop<fused>("v_fmaak_f32"),
    flushing(vop<multiplyAdd>("v_mad_f32")),
    flushing(vop<multiplyAdd>("v_mac_f32")),
    flushing(vop<multiplyAdd>("v_madmk_f32")),
    flushing(vop<multiplyAdd>("v_madak_f32")),
    flushing(vop<[](F32 A, F32 B, F32 C) { return legacyMultiply(A, B) + C; }>(
        "v_mad_legacy_f32")),

    pickRow<F32, Pick::Min>("v_min_f32"),
    pickRow<F32, Pick::Max>("v_max_f32"),
    pickRow<F32, Pick::Min3>("v_min3_f32"),
    pickRow<F32, Pick::Max3>("v_max3_f32"),
    pickRow<F32, Pick::Med3>("v_med3_f32"),
    pickRow<F32, Pick::MinMax>("v_minmax_f32"),
    pickRow<F32, Pick::MaxMin>("v_maxmin_f32"),
    pickNumberRow<F32, Pick::Min>("v_min_num_f32"),
    pickNumberRow<F32, Pick::Max>("v_max_num_f32"),
    pickNumberRow<F32, Pick::Min3>("v_min3_num_f32"),
    pickNumberRow<F32, Pick::Max3>("v_max3_num_f32"),
    pickNumberRow<F32, Pick::Med3>("v_med3_num_f32"),
    pickNumberRow<F32, Pick::MinMax>("v_minmax_num_f32"),
    pickNumberRow<F32, Pick::MaxMin>("v_maxmin_num_f32"),
    pickRow<F32, Pick::Minimum>("v_minimum_f32"),
    pickRow<F32, Pick::Maximum>("v_maximum_f32"),
    pickRow<F32, Pick::Minimum3>("v_minimum3_f32"),
    pickRow<F32, Pick::Maximum3>("v_maximum3_f32"),
    pickRow<F32, Pick::MinimumMaximum>("v_minimummaximum_f32"),
    pickRow<F32, Pick::MaximumMinimum>("v_maximumminimum_f32"),

    vop<[](F32 A) { return __builtin_truncf(A); }>("v_trunc_f32"),
    vop<[](F32 A) { return __builtin_ceilf(A); }>("v_ceil_f32"),
    vop<[](F32 A) { return __builtin_roundevenf(A); }>("v_rndne_f32"),
    vop<[](F32 A) { return __builtin_floorf(A); }>("v_floor_f32"),
    vop<fraction>("v_fract_f32"),
    vop<scaleByPower>("v_ldexp_f32"),
    vop<exponentOfFraction>("v_frexp_exp_i32_f32"),
    vop<mantissaFraction>("v_frexp_mant_f32"),

    vop<[](F32 X, F32 Y, F32 Z) { return CubeFace(X, Y, Z).Id; }>(
        "v_cubeid_f32"),
    vop<[](F32 X, F32 Y, F32 Z) { return CubeFace(X, Y, Z).S; }>(
        "v_cubesc_f32"),
    vop<[](F32 X, F32 Y, F32 Z) { return CubeFace(X, Y, Z).T; }>(
        "v_cubetc_f32"),
    vop<[](F32 X, F32 Y, F32 Z) { return 2 * CubeFace(X, Y, Z).Major; }>(
        "v_cubema_f32"),
};

} // namespace

std::span<const Operation> float32Rows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
