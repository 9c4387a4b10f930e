// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons and classification.
#include "VectorReference.h"

namespace luthier::test {

namespace {

using C = LaneCase;
using enum Kind;

enum class Order { Less, Equal, Greater, Unordered };

/// The relations that make a predicate true, as a set of orders.
constexpr unsigned L = 1, E = 2, G = 4, U = 8;

template <class T> Order order(T A, T B) {
  return A < B ? Order::Less : A > B ? Order::Greater : Order::Equal;
}
Order order(const Format &F, const FloatRules &R, uint64_t A, uint64_t B) {
  A = flushedSource(F, A, R);
  B = flushedSource(F, B, R);
  if (F.isNan(A) || F.isNan(B))
    return Order::Unordered;
  if (F.isZero(A) && F.isZero(B))
    return Order::Equal;
  auto Key = [&](uint64_t V) {
    auto Size = int64_t(V & (F.signBit() - 1));
    return F.isNegative(V) ? -Size : Size;
  };
  return order(Key(A), Key(B));
}

template <Kind K> Order orderOf(const C &X) {
  if constexpr (K == U16)
    return order(X.u16(0), X.u16(1));
  else if constexpr (K == I16)
    return order(X.i16(0), X.i16(1));
  else if constexpr (K == U32)
    return order(X.u32(0), X.u32(1));
  else if constexpr (K == I32)
    return order(X.i32(0), X.i32(1));
  else if constexpr (K == U64)
    return order(X.S[0], X.S[1]);
  else if constexpr (K == I64)
    return order(X.i64(0), X.i64(1));
  else
    return order(K == F16   ? Half
                 : K == F32 ? Single
                            : Double,
                 K == F32 ? X.Single : X.Double, X.S[0], X.S[1]);
}

template <Kind K, unsigned Set> uint64_t compares(C &X) {
  return Set >> unsigned(orderOf<K>(X)) & 1;
}

/// Bit of the class, from signalling NaN to +infinity.
unsigned classOf(const Format &F, uint64_t V) {
  bool Negative = F.isNegative(V);
  if (F.isNan(V))
    return F.isSignalling(V) ? 0 : 1;
  if (F.isInfinite(V))
    return Negative ? 2 : 9;
  if (F.isZero(V))
    return Negative ? 5 : 6;
  if (F.isDenormal(V))
    return Negative ? 4 : 7;
  return Negative ? 3 : 8;
}
template <Kind K> uint64_t classifies(C &X) {
  const Format &F = K == F16 ? Half : K == F32 ? Single : Double;
  return X.S[1] >> classOf(F, X.S[0]) & 1;
}

#define BOTH(Name, K, Set)                                                     \
  {"v_cmp_" Name, Mask, {K, K}, compares<K, Set>}, {                           \
    "v_cmpx_" Name, Mask, {K, K}, compares<K, Set>, WritesExec                 \
  }
#define INTEGERS(Type, K)                                                      \
  BOTH("f_" Type, K, 0), BOTH("lt_" Type, K, L), BOTH("eq_" Type, K, E),       \
      BOTH("le_" Type, K, (L | E)), BOTH("gt_" Type, K, G),                    \
      BOTH("ne_" Type, K, (L | G)), BOTH("ge_" Type, K, (G | E)),              \
      BOTH("t_" Type, K, (L | E | G))
#define FLOATS(Type, K)                                                        \
  BOTH("f_" Type, K, 0), BOTH("lt_" Type, K, L), BOTH("eq_" Type, K, E),       \
      BOTH("le_" Type, K, (L | E)), BOTH("gt_" Type, K, G),                    \
      BOTH("lg_" Type, K, (L | G)), BOTH("ge_" Type, K, (G | E)),              \
      BOTH("o_" Type, K, (L | E | G)), BOTH("u_" Type, K, U),                  \
      BOTH("nge_" Type, K, (L | U)), BOTH("nlg_" Type, K, (E | U)),            \
      BOTH("ngt_" Type, K, (L | E | U)), BOTH("nle_" Type, K, (G | U)),        \
      BOTH("neq_" Type, K, (L | G | U)), BOTH("nlt_" Type, K, (G | E | U)),    \
      BOTH("tru_" Type, K, (L | E | G | U)),                                   \
      BOTH("t_" Type, K, (L | E | G | U))
#define CLASSES(Type, K, Selector)                                             \
  {"v_cmp_class_" Type, Mask, {K, Selector}, classifies<K>}, {                 \
    "v_cmpx_class_" Type, Mask, {K, Selector}, classifies<K>, WritesExec       \
  }

const VectorRow Rows[] = {
    INTEGERS("u16", U16),     INTEGERS("i16", I16),
    INTEGERS("u32", U32),     INTEGERS("i32", I32),
    INTEGERS("u64", U64),     INTEGERS("i64", I64),
    FLOATS("f16", F16),       FLOATS("f32", F32),
    FLOATS("f64", F64),       CLASSES("f16", F16, U16),
    CLASSES("f32", F32, U32), CLASSES("f64", F64, U32),
};

} // namespace

std::span<const VectorRow> compareRows() { return Rows; }

} // namespace luthier::test
