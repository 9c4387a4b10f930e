// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half-precision arithmetic. A float holds any sum or product of halves
// closely enough that rounding twice is as good as once.
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/MinMax.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

F16 product(F16 A, F16 B) { return toHalf(F32(A) * F32(B)); }
F16 multiplyAdd(F16 A, F16 B, F16 C) {
  return toHalf(F32(product(A, B)) + F32(C));
}

F16 fraction(F16 A) {
  F32 Value = F32(A);
  F16 Result = toHalf(Value - __builtin_floorf(Value));
  return bitsOf(Result) == 0x3c00 ? fromFloatBits<F16>(0x3bff) : Result;
}

F16 scaleByPower(F16 A, I16 Exponent) {
  I32 E = Exponent < -60 ? -60 : Exponent > 60 ? 60 : Exponent;
  return toHalf(F32(A) * std::bit_cast<F32>(U32(E + 127) << 23));
}

I16 exponentOfFraction(F16 A) {
  if (isNan(A) || isInfinite(A) || F32(A) == 0)
    return 0;
  // Every half is a normal float.
  return I16(exponentOf(F32(A)) - 126);
}
F16 mantissaFraction(F16 A) {
  if (isNan(A) || isInfinite(A) || F32(A) == 0)
    return isNan(A) ? quieted(A) : A;
  return scaleByPower(A, I16(-exponentOfFraction(A)));
}

constexpr Operation Rows[] = {
    vop<[](F16 A, F16 B) { return toHalf(F32(A) + F32(B)); }>("v_add_f16"),
    vop<[](F16 A, F16 B) { return toHalf(F32(A) - F32(B)); }>("v_sub_f16"),
    vop<[](F16 A, F16 B) { return toHalf(F32(B) - F32(A)); }>("v_subrev_f16"),
    vop<product>("v_mul_f16"),
    keepsHigh(vop<multiplyAdd>("v_mac_f16")),
    keepsHigh(vop<multiplyAdd>("v_madmk_f16")),
    keepsHigh(vop<multiplyAdd>("v_madak_f16")),
    keepsHigh(vop<multiplyAdd>("v_mad_f16")),
    vop<multiplyAdd>("v_mad_legacy_f16"),
    keepsHigh(vop<fmaHalf>("v_fma_f16")),
    vop<fmaHalf>("v_fma_legacy_f16"),
    vop<fmaHalf>("v_fmac_f16"),
    vop<fmaHalf>("v_fmamk_f16"),
    vop<fmaHalf>("v_fmaak_f16"),
    pickRow<F16, Pick::Min>("v_min_f16"),
    pickRow<F16, Pick::Max>("v_max_f16"),
    keepsHigh(pickRow<F16, Pick::Min3>("v_min3_f16")),
    keepsHigh(pickRow<F16, Pick::Max3>("v_max3_f16")),
    keepsHigh(pickRow<F16, Pick::Med3>("v_med3_f16")),
    pickRow<F16, Pick::MinMax>("v_minmax_f16"),
    pickRow<F16, Pick::MaxMin>("v_maxmin_f16"),
    pickNumberRow<F16, Pick::Min>("v_min_num_f16"),
    pickNumberRow<F16, Pick::Max>("v_max_num_f16"),
    pickNumberRow<F16, Pick::Min3>("v_min3_num_f16"),
    pickNumberRow<F16, Pick::Max3>("v_max3_num_f16"),
    pickNumberRow<F16, Pick::Med3>("v_med3_num_f16"),
    pickNumberRow<F16, Pick::MinMax>("v_minmax_num_f16"),
    pickNumberRow<F16, Pick::MaxMin>("v_maxmin_num_f16"),
    pickRow<F16, Pick::Minimum>("v_minimum_f16"),
    pickRow<F16, Pick::Maximum>("v_maximum_f16"),
    pickRow<F16, Pick::Minimum3>("v_minimum3_f16"),
    pickRow<F16, Pick::Maximum3>("v_maximum3_f16"),
    pickRow<F16, Pick::MinimumMaximum>("v_minimummaximum_f16"),
    pickRow<F16, Pick::MaximumMinimum>("v_maximumminimum_f16"),
    vop<[](F16 A) { return toHalf(__builtin_truncf(F32(A))); }>("v_trunc_f16"),
    vop<[](F16 A) { return toHalf(__builtin_ceilf(F32(A))); }>("v_ceil_f16"),
    vop<[](F16 A) { return toHalf(__builtin_roundevenf(F32(A))); }>(
        "v_rndne_f16"),
    vop<[](F16 A) { return toHalf(__builtin_floorf(F32(A))); }>("v_floor_f16"),
    vop<fraction>("v_fract_f16"),
    vop<scaleByPower>("v_ldexp_f16"),
    vop<exponentOfFraction>("v_frexp_exp_i16_f16"),
    vop<mantissaFraction>("v_frexp_mant_f16"),
    vop<[](F16 A, F16 B) { return toBits(A) | toBits(B) << 16; }>(
        "v_pack_b32_f16"),
};

} // namespace

std::span<const Operation> float16Rows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
