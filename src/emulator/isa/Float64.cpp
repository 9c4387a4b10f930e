// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double-precision arithmetic.
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/MinMax.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

F64 fused(F64 A, F64 B, F64 C) { return __builtin_fma(A, B, C); }

F64 fraction(F64 A) {
  F64 Result = A - __builtin_floor(A);
  return Result >= 1.0 ? 0x1.fffffffffffffp-1 : Result;
}

F64 scaleByPower(F64 A, I32 Exponent) { return __builtin_ldexp(A, Exponent); }

I32 exponentOfFraction(F64 Source) {
  F64 A = asSource(Source);
  if (isNan(A) || isInfinite(A) || A == 0)
    return 0;
  if (exponentOf(A))
    return exponentOf(A) - 1022;
  return -1021 - (std::countl_zero(bitsOf(magnitude(A))) - 11);
}
F64 mantissaFraction(F64 Source) {
  F64 A = asSource(Source);
  if (isNan(A) || isInfinite(A) || A == 0)
    return isNan(A) ? quieted(A) : A;
  return scaleByPower(A, -exponentOfFraction(A));
}

constexpr Operation Rows[] = {
    vop<[](F64 A, F64 B) { return A + B; }>("v_add_f64"),
    vop<[](F64 A, F64 B) { return A * B; }>("v_mul_f64"),
    vop<fused>("v_fma_f64"),
    vop<fused>("v_fmac_f64"),
    pickRow<F64, Pick::Min>("v_min_f64"),
    pickRow<F64, Pick::Max>("v_max_f64"),
    pickNumberRow<F64, Pick::Min>("v_min_num_f64"),
    pickNumberRow<F64, Pick::Max>("v_max_num_f64"),
    pickRow<F64, Pick::Minimum>("v_minimum_f64"),
    pickRow<F64, Pick::Maximum>("v_maximum_f64"),
    vop<[](F64 A) { return __builtin_trunc(A); }>("v_trunc_f64"),
    vop<[](F64 A) { return __builtin_ceil(A); }>("v_ceil_f64"),
    vop<[](F64 A) { return __builtin_roundeven(A); }>("v_rndne_f64"),
    vop<[](F64 A) { return __builtin_floor(A); }>("v_floor_f64"),
    vop<fraction>("v_fract_f64"),
    vop<scaleByPower>("v_ldexp_f64"),
    vop<exponentOfFraction>("v_frexp_exp_i32_f64"),
    vop<mantissaFraction>("v_frexp_mant_f64"),
};

} // namespace

std::span<const Operation> float64Rows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
