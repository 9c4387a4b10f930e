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

/// Angles are in turns, and have a limit.
constexpr F64 MaxTurns = 256;
/// \p Turns less whole ones, so that multiples of a quarter stay exact.
F64 partOfTurn(F64 Turns) { return Turns - __builtin_roundeven(Turns); }

F64 sineOfTurns(F64 Turns) {
  if (!(magnitude(Turns) <= MaxTurns))
    return isNan(Turns) || isInfinite(Turns) ? Turns - Turns : 0;
  F64 Part = partOfTurn(Turns);
  if (Part == 0)
    return withSign(F64(0), isNegative(Turns));
  if (magnitude(Part) > 0.25) {
    Part = withSign(F64(0.5), isNegative(Part)) - Part;
    if (Part == 0)
      return 0;
  }
  return std::sin(Part * 2 * std::numbers::pi);
}
F64 cosineOfTurns(F64 Turns) {
  if (!(magnitude(Turns) <= MaxTurns))
    return isNan(Turns) || isInfinite(Turns) ? Turns - Turns : 1;
  F64 Rest = 0.25 - magnitude(partOfTurn(Turns));
  return Rest == 0 ? 0 : std::sin(Rest * 2 * std::numbers::pi);
}

F32 reciprocal(F32 A) { return 1.0f / A; }
F32 reciprocalRoot(F32 A) { return F32(1.0 / __builtin_sqrt(F64(A))); }
F32 root(F32 A) { return __builtin_sqrtf(A); }
F32 power(F32 A) { return F32(std::exp2(F64(A))); }
F32 logarithm(F32 A) { return F32(std::log2(F64(A))); }
F16 reciprocalHalf(F16 A) { return toHalf(1.0f / F32(A)); }
F16 reciprocalRootHalf(F16 A) { return toHalf(1.0f / __builtin_sqrtf(F32(A))); }
F16 rootHalf(F16 A) { return toHalf(__builtin_sqrtf(F32(A))); }
F16 powerHalf(F16 A) { return toHalf(std::exp2(F32(A))); }
F16 logarithmHalf(F16 A) { return toHalf(std::log2(F32(A))); }

/// One value in scalar registers; EXEC does not matter.
template <auto F, class T> void scalarResult(Wave &W, const Inst &I) {
  bool In = !(W.Mode >> mode::DenormDouble & 1);
  bool Out = !(W.Mode >> mode::DenormDouble & 2);
  T Source = flushedHalf(fromBits<T>(source32(W, I, 0)[0]), In);
  U32 *Result = W.Thread->Scratch.Result[0];
  broadcast(Result, toBits(flushedHalf(F(Source), Out)));
  modifyResults(W, I);
  W.S[I.Dst.Reg] = Result[0];
}
template <auto F, class T>
constexpr Operation scalarRow(const char *Name, uint8_t Mode = 0) {
  Operation Op{Name, scalarResult<F, T>, valueType<T>(), {valueType<T>()}};
  Op.FloatMode = Mode;
  Op.LaneAccess = true;
  return Op;
}

constexpr Operation Rows[] = {
    flushing<reciprocal>("v_rcp_f32"),
    flushing<reciprocal>("v_rcp_iflag_f32"),
    flushing<reciprocalRoot>("v_rsq_f32"),
    vop<root>("v_sqrt_f32"),
    flushing<power>("v_exp_f32"),
    flushing<logarithm>("v_log_f32"),
    flushing<power>("v_exp_legacy_f32"),
    flushing<logarithm>("v_log_legacy_f32"),
    flushing<[](F32 A) { return F32(sineOfTurns(A)); }>("v_sin_f32"),
    flushing<[](F32 A) { return F32(cosineOfTurns(A)); }>("v_cos_f32"),

    vop<[](F64 A) { return 1.0 / A; }>("v_rcp_f64"),
    vop<[](F64 A) { return 1.0 / __builtin_sqrt(A); }>("v_rsq_f64"),
    vop<[](F64 A) { return __builtin_sqrt(A); }>("v_sqrt_f64"),

    vop<reciprocalHalf>("v_rcp_f16"),
    vop<reciprocalRootHalf>("v_rsq_f16"),
    vop<rootHalf>("v_sqrt_f16"),
    vop<powerHalf>("v_exp_f16"),
    vop<logarithmHalf>("v_log_f16"),
    vop<[](F16 A) { return toHalf(F32(sineOfTurns(F64(F32(A))))); }>(
        "v_sin_f16"),
    vop<[](F16 A) { return toHalf(F32(cosineOfTurns(F64(F32(A))))); }>(
        "v_cos_f16"),

    scalarRow<reciprocal, F32>("v_s_rcp_f32", FlushingMode),
    scalarRow<reciprocalRoot, F32>("v_s_rsq_f32", FlushingMode),
    scalarRow<root, F32>("v_s_sqrt_f32"),
    scalarRow<power, F32>("v_s_exp_f32", FlushingMode),
    scalarRow<logarithm, F32>("v_s_log_f32", FlushingMode),
    scalarRow<reciprocalHalf, F16>("v_s_rcp_f16"),
    scalarRow<reciprocalRootHalf, F16>("v_s_rsq_f16"),
    scalarRow<rootHalf, F16>("v_s_sqrt_f16"),
    scalarRow<powerHalf, F16>("v_s_exp_f16"),
    scalarRow<logarithmHalf, F16>("v_s_log_f16"),
};

} // namespace

std::span<const Operation> transcendentalRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
