// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar floating point (generation 12).
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/Saturate.h"
#include "emulator/isa/Scalar.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

template <class F> F add(F A, F B, Scc) { return A + B; }
template <class F> F sub(F A, F B, Scc) { return A - B; }
template <class F> F mul(F A, F B, Scc) { return A * B; }

template <class F> F fused(F A, F B, F C) {
  if constexpr (sizeof(F) == 2)
    return fmaHalf(A, B, C);
  else
    return __builtin_fmaf(A, B, C);
}
/// The destination is the addend.
template <class F> void multiplyAccumulate(Wave &W, const Inst &I) {
  scalarResult<F>(W, I,
                  fused(scalarSource<F>(W, I, 0), scalarSource<F>(W, I, 1),
                        fromBits<F>(W.S[I.Dst.Reg])));
}

/// Quiets what minimum and maximum take from a NaN, of which \p A is first.
template <class F> F quietNan(F A, F B) {
  if (isSignalling(A))
    return quieted(A);
  if (isSignalling(B))
    return quieted(B);
  return isNan(A) ? A : B;
}
/// Numbers win over NaNs.
template <class F, bool Larger> F pickNumber(F A, F B, Scc) {
  if (isNan(A) && isNan(B))
    return quieted(A);
  if (isNan(A))
    return B;
  return Larger ? maximum(A, B) : minimum(A, B);
}
/// NaNs win over numbers.
template <class F, bool Larger> F pickAny(F A, F B, Scc) {
  if (isNan(A) || isNan(B))
    return quietNan(A, B);
  return Larger ? maximum(A, B) : minimum(A, B);
}

template <class F> F up(F A, Scc) { return F(__builtin_ceilf(F32(A))); }
template <class F> F down(F A, Scc) { return F(__builtin_floorf(F32(A))); }
template <class F> F toZero(F A, Scc) { return F(__builtin_truncf(F32(A))); }
template <class F> F toEven(F A, Scc) {
  return F(__builtin_roundevenf(F32(A)));
}

I32 toSigned(F32 A, Scc) {
  if (A != A)
    return 0;
  if (A >= 0x1p31f)
    return I32(0x7fffffff);
  return A < -0x1p31f ? I32(-0x7fffffff - 1) : I32(A);
}
U32 toUnsigned(F32 A, Scc) {
  if (A >= 0x1p32f)
    return ~U32(0);
  return A > 0 ? U32(A) : 0;
}
/// Toward zero, whatever the mode: undoes a rounding away from it.
U32 halfTowardZero(F32 A) {
  F16 Rounded = F16(A);
  bool Grew = magnitude(F32(Rounded)) > magnitude(A);
  return toBits(Rounded) - U32(Grew);
}

// Ordered comparisons are false with a NaN, the others true.
#define COMPARE(Name, Condition)                                               \
  sop<[](F32 A, F32 B, Scc C) { C = Condition; }>("s_cmp_" Name "_f32"),       \
      sop<[](F16 A, F16 B, Scc C) { C = Condition; }>("s_cmp_" Name "_f16")
#define BOTH(Name, ...)                                                        \
  sop<__VA_ARGS__<F32>>(Name "_f32"), sop<__VA_ARGS__<F16>>(Name "_f16")
#define PICK(Name, Function, Larger)                                           \
  sop<Function<F32, Larger>>(Name "_f32"),                                     \
      sop<Function<F16, Larger>>(Name "_f16")

constexpr ValueType Single = ValueType::F32, Half = ValueType::F16;

constexpr Operation Rows[] = {
    BOTH("s_add", add),
    BOTH("s_sub", sub),
    BOTH("s_mul", mul),
    PICK("s_min_num", pickNumber, false),
    PICK("s_max_num", pickNumber, true),
    PICK("s_minimum", pickAny, false),
    PICK("s_maximum", pickAny, true),
    {"s_fmac_f32", multiplyAccumulate<F32>, Single, {Single, Single}},
    {"s_fmac_f16", multiplyAccumulate<F16>, Half, {Half, Half}},
    sop<[](F32 A, F32 B, F32 C, Scc) { return fused(A, B, C); }>("s_fmaak_f32"),
    sop<[](F32 A, F32 B, F32 C, Scc) { return fused(A, B, C); }>("s_fmamk_f32"),

    BOTH("s_ceil", up),
    BOTH("s_floor", down),
    BOTH("s_trunc", toZero),
    BOTH("s_rndne", toEven),
    sop<[](I32 A, Scc) { return F32(A); }>("s_cvt_f32_i32"),
    sop<[](U32 A, Scc) { return F32(A); }>("s_cvt_f32_u32"),
    sop<toSigned>("s_cvt_i32_f32"),
    sop<toUnsigned>("s_cvt_u32_f32"),
    sop<[](F32 A, Scc) { return F16(A); }>("s_cvt_f16_f32"),
    sop<[](F16 A, Scc) { return F32(A); }>("s_cvt_f32_f16"),
    sop<[](U32 A, Scc) { return F32(fromBits<F16>(A >> 16)); }>(
        "s_cvt_hi_f32_f16"),
    sop<[](F32 A, F32 B, Scc) {
      return halfTowardZero(A) | halfTowardZero(B) << 16;
    }>("s_cvt_pk_rtz_f16_f32"),

    COMPARE("lt", A < B),
    COMPARE("eq", A == B),
    COMPARE("le", A <= B),
    COMPARE("gt", A > B),
    COMPARE("lg", A<B || A> B),
    COMPARE("ge", A >= B),
    COMPARE("o", !isNan(A) && !isNan(B)),
    COMPARE("u", isNan(A) || isNan(B)),
    COMPARE("nge", !(A >= B)),
    COMPARE("nlg", !(A < B || A > B)),
    COMPARE("ngt", !(A > B)),
    COMPARE("nle", !(A <= B)),
    COMPARE("neq", !(A == B)),
    COMPARE("nlt", !(A < B)),
};

} // namespace

std::span<const Operation> scalarFloatRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
