// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AtomicUpdate.h"
#include "VectorVariant.h"

namespace luthier::test {

namespace {

template <class T> uint64_t add(uint64_t O, uint64_t D, uint64_t) {
  return T(O + D);
}
template <class T> uint64_t sub(uint64_t O, uint64_t D, uint64_t) {
  return T(O - D);
}
template <class T> uint64_t rsub(uint64_t O, uint64_t D, uint64_t) {
  return T(D - O);
}
template <class T, bool Larger>
uint64_t pick(uint64_t O, uint64_t D, uint64_t) {
  bool Less = T(D) < T(O);
  return Less == Larger ? O : D;
}
uint64_t bitAnd(uint64_t O, uint64_t D, uint64_t) { return O & D; }
uint64_t bitOr(uint64_t O, uint64_t D, uint64_t) { return O | D; }
uint64_t bitXor(uint64_t O, uint64_t D, uint64_t) { return O ^ D; }
uint64_t swap(uint64_t, uint64_t D, uint64_t) { return D; }
uint64_t increment(uint64_t O, uint64_t D, uint64_t) {
  return O < D ? O + 1 : 0;
}
uint64_t decrement(uint64_t O, uint64_t D, uint64_t) {
  return O != 0 && O <= D ? O - 1 : D;
}
/// Memory forms: new value, then the one that is compared.
uint64_t compareSwap(uint64_t O, uint64_t New, uint64_t Compare) {
  return O == Compare ? New : O;
}
/// LDS forms before generation 11: the other way round.
uint64_t compareStore(uint64_t O, uint64_t Compare, uint64_t New) {
  return O == Compare ? New : O;
}
bool equal(const Format &F, uint64_t A, uint64_t B) {
  if (F.isNan(A) || F.isNan(B))
    return false;
  return A == B || (F.isZero(A) && F.isZero(B));
}
template <const Format &F>
uint64_t floatSwap(uint64_t O, uint64_t New, uint64_t Compare) {
  return equal(F, O, Compare) ? New : O;
}
template <const Format &F>
uint64_t floatStore(uint64_t O, uint64_t Compare, uint64_t New) {
  return equal(F, O, Compare) ? New : O;
}
uint64_t clampedSub(uint64_t O, uint64_t D, uint64_t) {
  return O < D ? 0 : O - D;
}
uint64_t conditionalSub(uint64_t O, uint64_t D, uint64_t) {
  return O < D ? O : O - D;
}
uint64_t maskedOr(uint64_t O, uint64_t Clear, uint64_t Set) {
  return (O & ~Clear) | Set;
}
uint64_t wrap(uint64_t O, uint64_t D, uint64_t E) {
  return uint32_t(O >= D ? O - D : O + E);
}
uint64_t conditionalExchange(uint64_t O, uint64_t D, uint64_t) {
  uint64_t Low = D >> 31 & 1 ? D & 0x7fffffff : O & 0xffffffff;
  uint64_t High = D >> 63 ? D >> 32 & 0x7fffffff : O >> 32;
  return Low | High << 32;
}

template <const Format &F> uint64_t floatAdd(uint64_t O, uint64_t D, uint64_t) {
  return add(F, O, D, {});
}
/// Whether A is less than B; false with a NaN, and zeroes are equal.
bool less(const Format &F, uint64_t A, uint64_t B) {
  if (F.isNan(A) || F.isNan(B) || (F.isZero(A) && F.isZero(B)))
    return false;
  if (F.isNegative(A) != F.isNegative(B))
    return F.isNegative(A);
  return F.isNegative(A) ? A > B : A < B;
}
template <const Format &F, bool Larger>
uint64_t floatPick(uint64_t O, uint64_t D, uint64_t) {
  return (Larger ? less(F, O, D) : less(F, D, O)) ? D : O;
}
/// Numbers win over NaNs, and -0 is less than +0.
template <const Format &F, bool Larger>
uint64_t numberPick(uint64_t O, uint64_t D, uint64_t) {
  if (F.isNan(D))
    return F.isNan(O) ? D | F.quietBit() : O;
  if (F.isNan(O))
    return D;
  if (F.isZero(O) && F.isZero(D))
    return F.isNegative(D) == Larger ? O : D;
  return floatPick<F, Larger>(O, D, 0);
}
template <const Format &F>
uint64_t packedAdd(uint64_t O, uint64_t D, uint64_t) {
  return add(F, O & 0xffff, D & 0xffff, {}) |
         add(F, O >> 16 & 0xffff, D >> 16 & 0xffff, {}) << 16;
}

// clang-format off
const AtomicUpdate Updates[] = {
    {"swap|swap_b32", "wrxchg|storexchg", "b32", 4, 1, swap},
    {"swap_x2|swap_b64", "wrxchg|storexchg", "b64", 8, 1, swap},
    {"add|add_u32", "add", "u32", 4, 1, add<uint32_t>},
    {"add_x2|add_u64", "add", "u64", 8, 1, add<uint64_t>},
    {"sub|sub_u32", "sub", "u32", 4, 1, sub<uint32_t>},
    {"sub_x2|sub_u64", "sub", "u64", 8, 1, sub<uint64_t>},
    {nullptr, "rsub", "u32", 4, 1, rsub<uint32_t>},
    {nullptr, "rsub", "u64", 8, 1, rsub<uint64_t>},
    {"smin|min_i32", "min", "i32", 4, 1, pick<int32_t, false>},
    {"smin_x2|min_i64", "min", "i64", 8, 1, pick<int64_t, false>},
    {"umin|min_u32", "min", "u32", 4, 1, pick<uint32_t, false>},
    {"umin_x2|min_u64", "min", "u64", 8, 1, pick<uint64_t, false>},
    {"smax|max_i32", "max", "i32", 4, 1, pick<int32_t, true>},
    {"smax_x2|max_i64", "max", "i64", 8, 1, pick<int64_t, true>},
    {"umax|max_u32", "max", "u32", 4, 1, pick<uint32_t, true>},
    {"umax_x2|max_u64", "max", "u64", 8, 1, pick<uint64_t, true>},
    {"and|and_b32", "and", "b32", 4, 1, bitAnd},
    {"and_x2|and_b64", "and", "b64", 8, 1, bitAnd},
    {"or|or_b32", "or", "b32", 4, 1, bitOr},
    {"or_x2|or_b64", "or", "b64", 8, 1, bitOr},
    {"xor|xor_b32", "xor", "b32", 4, 1, bitXor},
    {"xor_x2|xor_b64", "xor", "b64", 8, 1, bitXor},
    {"inc|inc_u32", "inc", "u32", 4, 1, increment},
    {"inc_x2|inc_u64", "inc", "u64", 8, 1, increment},
    {"dec|dec_u32", "dec", "u32", 4, 1, decrement},
    {"dec_x2|dec_u64", "dec", "u64", 8, 1, decrement},
    {"cmpswap|cmpswap_b32", "cmpstore", "b32", 4, 2, compareSwap},
    {"cmpswap_x2|cmpswap_b64", "cmpstore", "b64", 8, 2, compareSwap},
    {nullptr, "cmpst", "b32", 4, 2, compareStore},
    {nullptr, "cmpst", "b64", 8, 2, compareStore},
    {"fcmpswap|cmpswap_f32", "cmpstore", "f32", 4, 2, floatSwap<Single>, &Single},
    {"fcmpswap_x2", "cmpstore", "f64", 8, 2, floatSwap<Double>, &Double},
    {nullptr, "cmpst", "f32", 4, 2, floatStore<Single>, &Single},
    {nullptr, "cmpst", "f64", 8, 2, floatStore<Double>, &Double},
    {"csub|csub_u32|sub_clamp_u32", "sub_clamp", "u32", 4, 1, clampedSub},
    {"cond_sub_u32", "cond_sub", "u32", 4, 1, conditionalSub},
    {nullptr, "mskor", "b32", 4, 2, maskedOr},
    {nullptr, "mskor", "b64", 8, 2, maskedOr},
    {nullptr, "wrap", "b32", 4, 2, wrap},
    {nullptr, "condxchg32", "b64", 8, 1, conditionalExchange},
    {"add_f32", "add", "f32", 4, 1, floatAdd<Single>, &Single},
    {"add_f64", "add", "f64", 8, 1, floatAdd<Double>, &Double},
    {"fmin|min_f32", "min", "f32", 4, 1, floatPick<Single, false>, &Single, 11},
    {"fmin_x2|min_f64", "min", "f64", 8, 1, floatPick<Double, false>, &Double, 11},
    {"fmax|max_f32", "max", "f32", 4, 1, floatPick<Single, true>, &Single, 11},
    {"fmax_x2|max_f64", "max", "f64", 8, 1, floatPick<Double, true>, &Double, 11},
    {"min_num_f32", "min_num", "f32", 4, 1, numberPick<Single, false>, &Single},
    {nullptr, "min_num", "f64", 8, 1, numberPick<Double, false>, &Double},
    {"max_num_f32", "max_num", "f32", 4, 1, numberPick<Single, true>, &Single},
    {nullptr, "max_num", "f64", 8, 1, numberPick<Double, true>, &Double},
    {"pk_add_f16", "pk_add", "f16", 4, 1, packedAdd<Half>, &Half},
    {"pk_add_bf16", "pk_add", "bf16", 4, 1, packedAdd<Bfloat>, &Bfloat},
};
// clang-format on

uint64_t randomOf(const AtomicUpdate &Update, std::mt19937_64 &Random) {
  if (Update.F == &Single)
    return randomValue(Kind::F32, Random);
  if (Update.F == &Double)
    return randomValue(Kind::F64, Random);
  if (Update.F == &Half)
    return randomValue(Kind::F16, Random) | randomValue(Kind::F16, Random)
                                                << 16;
  if (Update.F == &Bfloat)
    return (randomValue(Kind::F32, Random) >> 16) |
           (randomValue(Kind::F32, Random) & 0xffff0000);
  return Random();
}

} // namespace

std::span<const AtomicUpdate> atomicUpdates() { return Updates; }

AtomicValues atomicValues(const AtomicUpdate &Update, std::mt19937_64 &Random) {
  AtomicValues V{randomOf(Update, Random), randomOf(Update, Random),
                 randomOf(Update, Random)};
  switch (Random() % 6) {
  case 0:
    V.Data = V.Old;
    break;
  case 1:
    V.Second = V.Old;
    break;
  case 2:
    V.Old = 0;
    break;
  case 3:
    if (!Update.F)
      V.Data = V.Old + Random() % 3 - 1;
    break;
  }
  return V;
}

} // namespace luthier::test
