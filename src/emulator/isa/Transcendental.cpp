// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reciprocals, roots, powers, logarithms and trigonometry. Hardware
// approximates these; here they are as exact as the host computes them, which
// is within the documented error.
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/Operands.h"
#include "emulator/isa/Tables.h"
#include <numbers>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

// These single-precision units neither take nor give denormals.
constexpr uint8_t FlushingMode = 3;
template <auto F> constexpr Operation flushing(const char *Name) {
  Operation Op = vop<F>(Name);
  Op.FloatMode = FlushingMode;
  return Op;
}

/// Angles are in turns.
F64 sineOfTurns(F64 Turns) {
  return std::sin((Turns - __builtin_floor(Turns)) * 2 * std::numbers::pi);
}
F64 cosineOfTurns(F64 Turns) {
  return std::cos((Turns - __builtin_floor(Turns)) * 2 * std::numbers::pi);
}

constexpr Operation Rows[] = {
    flushing<[](F32 A) { return 1.0f / A; }>("v_rcp_f32"),
    flushing<[](F32 A) { return 1.0f / A; }>("v_rcp_iflag_f32"),
    flushing<[](F32 A) { return F32(1.0 / __builtin_sqrt(F64(A))); }>(
        "v_rsq_f32"),
    vop<[](F32 A) { return __builtin_sqrtf(A); }>("v_sqrt_f32"),
    flushing<[](F32 A) { return F32(std::exp2(F64(A))); }>("v_exp_f32"),
    flushing<[](F32 A) { return F32(std::log2(F64(A))); }>("v_log_f32"),
    flushing<[](F32 A) { return F32(std::exp2(F64(A))); }>("v_exp_legacy_f32"),
    flushing<[](F32 A) { return F32(std::log2(F64(A))); }>("v_log_legacy_f32"),
    flushing<[](F32 A) { return F32(sineOfTurns(A)); }>("v_sin_f32"),
    flushing<[](F32 A) { return F32(cosineOfTurns(A)); }>("v_cos_f32"),

    vop<[](F64 A) { return 1.0 / A; }>("v_rcp_f64"),
    vop<[](F64 A) { return 1.0 / __builtin_sqrt(A); }>("v_rsq_f64"),
    vop<[](F64 A) { return __builtin_sqrt(A); }>("v_sqrt_f64"),

    vop<[](F16 A) { return F16(1.0f / F32(A)); }>("v_rcp_f16"),
    vop<[](F16 A) { return F16(1.0f / __builtin_sqrtf(F32(A))); }>("v_rsq_f16"),
    vop<[](F16 A) { return F16(__builtin_sqrtf(F32(A))); }>("v_sqrt_f16"),
    vop<[](F16 A) { return F16(std::exp2(F32(A))); }>("v_exp_f16"),
    vop<[](F16 A) { return F16(std::log2(F32(A))); }>("v_log_f16"),
    vop<[](F16 A) { return F16(F32(sineOfTurns(F64(F32(A))))); }>("v_sin_f16"),
    vop<[](F16 A) { return F16(F32(cosineOfTurns(F64(F32(A))))); }>(
        "v_cos_f16"),
};

} // namespace

std::span<const Operation> transcendentalRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
