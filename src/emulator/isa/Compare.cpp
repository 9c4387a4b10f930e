// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector comparisons. The result has a bit per lane; those of inactive lanes
// are zero. The v_cmpx forms write it to EXEC as well.
#include "emulator/isa/LaneMask.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

template <class T, class S, auto F, bool ToExec, bool Flushes>
void compare(Wave &W, const Inst &I) {
  Lanes<T> A(W, I, 0);
  Lanes<S> B(W, I, 1);
  alignas(64) U32 Result[NumLanes];
  constexpr bool FlushesHalves = std::is_same_v<T, F16> && Flushes;
  if (FlushesHalves && !(W.Mode >> mode::DenormDouble & 1)) [[unlikely]] {
    for (unsigned L = 0; L != NumLanes; ++L)
      Result[L] = F(flushedHalf<T>(A[L], true), flushedHalf<S>(B[L], true));
  } else {
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != NumLanes; ++L)
      Result[L] = F(A[L], B[L]);
  }
  U64 Mask = packMask(Result) & writableLanes(W, I);
  W.setLaneMask(I.ScalarDst, Mask);
  if constexpr (ToExec)
    W.setLaneMask(sreg::Exec, Mask);
}

template <class T, class S, auto F, bool ToExec>
constexpr Operation row(const char *Name) {
  return {Name,
          // A class has denormals of its own.
          compare<T, S, F, ToExec, std::is_same_v<T, S>>,
          ValueType::U64,
          {valueType<T>(), valueType<S>(), ValueType::None}};
}

// The N forms are true for unordered operands.
template <class T> bool never(T, T) { return false; }
template <class T> bool always(T, T) { return true; }
template <class T> bool lt(T A, T B) { return A < B; }
template <class T> bool eq(T A, T B) { return A == B; }
template <class T> bool le(T A, T B) { return A <= B; }
template <class T> bool gt(T A, T B) { return A > B; }
template <class T> bool ne(T A, T B) { return A != B; }
template <class T> bool ge(T A, T B) { return A >= B; }
template <class T> bool lg(T A, T B) { return A < B || A > B; }
template <class T> bool ordered(T A, T B) { return A == A && B == B; }
template <class T> bool unordered(T A, T B) { return A != A || B != B; }
template <class T> bool nge(T A, T B) { return !(A >= B); }
template <class T> bool nlg(T A, T B) { return !lg(A, B); }
template <class T> bool ngt(T A, T B) { return !(A > B); }
template <class T> bool nle(T A, T B) { return !(A <= B); }
template <class T> bool nlt(T A, T B) { return !(A < B); }

#define BOTH(Name, Type, T, F)                                                 \
  row<T, T, F<T>, false>("v_cmp_" Name "_" Type),                              \
      row<T, T, F<T>, true>("v_cmpx_" Name "_" Type)
#define INTEGERS(Type, T)                                                      \
  BOTH("f", Type, T, never), BOTH("lt", Type, T, lt), BOTH("eq", Type, T, eq), \
      BOTH("le", Type, T, le), BOTH("gt", Type, T, gt),                        \
      BOTH("ne", Type, T, ne), BOTH("ge", Type, T, ge),                        \
      BOTH("t", Type, T, always)
#define FLOATS(Type, T)                                                        \
  BOTH("f", Type, T, never), BOTH("lt", Type, T, lt), BOTH("eq", Type, T, eq), \
      BOTH("le", Type, T, le), BOTH("gt", Type, T, gt),                        \
      BOTH("lg", Type, T, lg), BOTH("ge", Type, T, ge),                        \
      BOTH("o", Type, T, ordered), BOTH("u", Type, T, unordered),              \
      BOTH("nge", Type, T, nge), BOTH("nlg", Type, T, nlg),                    \
      BOTH("ngt", Type, T, ngt), BOTH("nle", Type, T, nle),                    \
      BOTH("neq", Type, T, ne), BOTH("nlt", Type, T, nlt),                     \
      BOTH("tru", Type, T, always)

constexpr Operation Rows[] = {
    INTEGERS("i16", I16), INTEGERS("u16", U16), INTEGERS("i32", I32),
    INTEGERS("u32", U32), INTEGERS("i64", I64), INTEGERS("u64", U64),
    FLOATS("f16", F16),   FLOATS("f32", F32),   FLOATS("f64", F64),
};

/// Bits of the class mask, from signaling NaN to +infinity.
template <class Bits, unsigned MantissaBits> U32 classOf(Bits Value) {
  constexpr unsigned Width = sizeof(Bits) * 8;
  constexpr Bits Mantissa = (Bits(1) << MantissaBits) - 1;
  constexpr Bits Exponent = ((Bits(1) << (Width - 1 - MantissaBits)) - 1)
                            << MantissaBits;
  bool Negative = Value >> (Width - 1) & 1;
  bool HasMantissa = Value & Mantissa;
  if ((Value & Exponent) == Exponent) {
    if (HasMantissa)
      return Value >> (MantissaBits - 1) & 1 ? 1 << 1 : 1 << 0;
    return Negative ? 1 << 2 : 1 << 9;
  }
  if (Value & Exponent)
    return Negative ? 1 << 3 : 1 << 8;
  if (HasMantissa)
    return Negative ? 1 << 4 : 1 << 7;
  return Negative ? 1 << 5 : 1 << 6;
}
bool classF16(F16 A, U32 Mask) {
  return classOf<U16, 10>(std::bit_cast<U16>(A)) & Mask;
}
bool classF32(F32 A, U32 Mask) {
  return classOf<U32, 23>(std::bit_cast<U32>(A)) & Mask;
}
bool classF64(F64 A, U32 Mask) {
  return classOf<U64, 52>(std::bit_cast<U64>(A)) & Mask;
}

constexpr Operation ClassRows[] = {
    row<F16, U32, classF16, false>("v_cmp_class_f16"),
    row<F16, U32, classF16, true>("v_cmpx_class_f16"),
    row<F32, U32, classF32, false>("v_cmp_class_f32"),
    row<F32, U32, classF32, true>("v_cmpx_class_f32"),
    row<F64, U32, classF64, false>("v_cmp_class_f64"),
    row<F64, U32, classF64, true>("v_cmpx_class_f64"),
};

} // namespace

std::span<const Operation> compareRows() { return Rows; }
std::span<const Operation> classRows() { return ClassRows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
