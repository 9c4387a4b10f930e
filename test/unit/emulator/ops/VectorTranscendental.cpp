// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reciprocals, roots, powers, logarithms and trigonometry. Evaluators give the
// value rounded to nearest; a row says how many units away a result may be.
#include "VectorReference.h"
#include <cmath>
#include <cstring>
#include <numbers>

namespace luthier::test {

namespace {

using C = LaneCase;
using enum Kind;

template <Kind K> const Format &format() {
  return K == F16 ? Half : K == F64 ? Double : Single;
}
/// The single-precision units know no denormals, whatever MODE says.
template <Kind K, bool Flushes> FloatRules rules(const C &L) {
  FloatRules R = K == F32 ? L.Single : L.Double;
  R.Round = Rounding::Nearest;
  if (Flushes)
    R.KeepDenormalSources = R.KeepDenormalResults = false;
  return R;
}
template <Kind K> constexpr bool Flushing = K == F32;

template <Kind K> uint64_t reciprocal(C &L) {
  const Format &F = format<K>();
  return divide(F, F.one(), L.S[0], rules<K, Flushing<K>>(L));
}
template <Kind K> uint64_t root(C &L) {
  return squareRoot(format<K>(), L.S[0], rules<K, false>(L));
}
template <Kind K> uint64_t reciprocalRoot(C &L) {
  const Format &F = format<K>();
  FloatRules R = rules<K, Flushing<K>>(L);
  uint64_t A = flushedSource(F, L.S[0], R);
  if (F.isNan(A) || F.isZero(A) || F.isInfinite(A) || F.isNegative(A))
    return divide(F, F.one(), squareRoot(F, A, R), R);
  Exact Value = quotient(exactOf(__int128(1)), exactOf(F, A));
  return round(F, squareRoot(Value), R);
}

/// A finite number as the host's widest type, which holds all of them.
long double hostValue(const Format &F, uint64_t Bits) {
  Exact A = exactOf(F, Bits);
  long double V =
      std::ldexp((long double)(uint64_t(A.Significand)), A.Exponent);
  return A.Negative ? -V : V;
}
uint64_t fromHost(const Format &F, long double V, const FloatRules &R) {
  if (std::isnan(V))
    return F.quietNan();
  if (std::isinf(V))
    return F.infinity(V < 0);
  int Exponent;
  long double Mantissa = std::frexp(std::fabs(V), &Exponent);
  Exact A{std::signbit(V), uint64_t(std::ldexp(Mantissa, 64)), Exponent - 64,
          false};
  return round(F, A, R);
}

template <Kind K, long double (*Function)(long double)> uint64_t through(C &L) {
  const Format &F = format<K>();
  FloatRules R = rules<K, Flushing<K>>(L);
  uint64_t A = flushedSource(F, L.S[0], R);
  if (F.isNan(A))
    return A | F.quietBit();
  long double V = F.isInfinite(A) ? (F.isNegative(A) ? -HUGE_VALL : HUGE_VALL)
                                  : hostValue(F, A);
  return fromHost(F, Function(V), R);
}
long double power(long double V) { return std::exp2(V); }
long double logarithm(long double V) { return std::log2(V); }

constexpr long double TwoPi = 2 * std::numbers::pi_v<long double>;
/// Angles are in turns; beyond 256 of them there is no result.
long double sine(long double V) {
  if (std::isinf(V))
    return NAN;
  if (std::fabs(V) > 256)
    return 0;
  // Exact at multiples of a quarter.
  long double Turns = V - std::nearbyint(V);
  if (Turns == 0)
    return Turns * V; // zero
  if (std::fabs(Turns) == 0.5L)
    return 0;
  return std::sin(Turns * TwoPi);
}
long double cosine(long double V) {
  if (std::isinf(V))
    return NAN;
  if (std::fabs(V) > 256)
    return 1;
  long double Turns = std::fabs(V - std::nearbyint(V));
  return Turns == 0.25L ? 0 : std::cos(Turns * TwoPi);
}

#define ROW(Name, K, Fn, Units) {Name, K, {K}, Fn, 0, Units}
#define SCALAR(Name, K, Fn)                                                    \
  {"v_s_" Name, K, {K}, Fn, ScalarResult | Vop3Only | OtherNan, 1}

// The last column is what AMD's manuals allow, in units of the last place, or
// an absolute error for angles; see docs/emulator-accuracy.md.
const VectorRow Rows[] = {
    ROW("v_rcp_f32", F32, reciprocal<F32>, 1),
    ROW("v_rcp_iflag_f32", F32, reciprocal<F32>, 1),
    ROW("v_rsq_f32", F32, reciprocalRoot<F32>, 1),
    ROW("v_sqrt_f32", F32, root<F32>, 1),
    ROW("v_exp_f32", F32, (through<F32, power>), 1),
    ROW("v_log_f32", F32, (through<F32, logarithm>), 1),
    ROW("v_exp_legacy_f32", F32, (through<F32, power>), 1),
    ROW("v_log_legacy_f32", F32, (through<F32, logarithm>), 1),
    ROW("v_sin_f32", F32, (through<F32, sine>), 1),
    ROW("v_cos_f32", F32, (through<F32, cosine>), 1),
    ROW("v_rcp_f64", F64, reciprocal<F64>, 1),
    ROW("v_rsq_f64", F64, reciprocalRoot<F64>, 2),
    ROW("v_sqrt_f64", F64, root<F64>, 1),
    ROW("v_rcp_f16", F16, reciprocal<F16>, 1),
    ROW("v_rsq_f16", F16, reciprocalRoot<F16>, 1),
    ROW("v_sqrt_f16", F16, root<F16>, 1),
    ROW("v_exp_f16", F16, (through<F16, power>), 1),
    ROW("v_log_f16", F16, (through<F16, logarithm>), 1),
    ROW("v_sin_f16", F16, (through<F16, sine>), 1),
    ROW("v_cos_f16", F16, (through<F16, cosine>), 1),
    SCALAR("rcp_f32", F32, reciprocal<F32>),
    SCALAR("rsq_f32", F32, reciprocalRoot<F32>),
    SCALAR("sqrt_f32", F32, root<F32>),
    SCALAR("exp_f32", F32, (through<F32, power>)),
    SCALAR("log_f32", F32, (through<F32, logarithm>)),
    SCALAR("rcp_f16", F16, reciprocal<F16>),
    SCALAR("rsq_f16", F16, reciprocalRoot<F16>),
    SCALAR("sqrt_f16", F16, root<F16>),
    SCALAR("exp_f16", F16, (through<F16, power>)),
    SCALAR("log_f16", F16, (through<F16, logarithm>)),
};

} // namespace

std::span<const VectorRow> transcendentalRows() { return Rows; }

} // namespace luthier::test
