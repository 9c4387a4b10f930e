// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar floating-point operations.
#include "Trial.h"

namespace luthier::test {

namespace {

struct FloatCase {
  const TrialState &State;
  uint64_t A, B, C;
  /// The destination before.
  uint64_t D;
  bool Scc;
};

/// \p F is the format of sources.
using Evaluator = uint64_t (*)(const Format &F, FloatCase &C);

struct FloatRow {
  const char *Stem;
  /// Sources; with a format they end in _f32 and _f16, else Stem is the name.
  unsigned NumSources;
  Evaluator Evaluate;
  const Format *Only = nullptr;
  bool IsCompare = false;
};

bool anyNan(const Format &F, const FloatCase &C) {
  return F.isNan(C.A) || F.isNan(C.B);
}
/// Negative, zero or positive; neither is a NaN.
int order(const Format &F, uint64_t A, uint64_t B) {
  auto Key = [&](uint64_t Bits) {
    auto Size = int64_t(Bits & (F.signBit() - 1));
    return F.isNegative(Bits) ? -Size : Size;
  };
  int64_t X = Key(A), Y = Key(B);
  return X < Y ? -1 : X > Y;
}
/// The same with denormal sources as MODE has them.
int compared(const Format &F, const FloatCase &C) {
  FloatRules Rules = C.State.rules(F);
  return order(F, flushedSource(F, C.A, Rules), flushedSource(F, C.B, Rules));
}
uint64_t quiet(const Format &F, uint64_t Bits) { return Bits | F.quietBit(); }

/// -0 is less than +0.
bool less(const Format &F, uint64_t A, uint64_t B) {
  if (F.isZero(A) && F.isZero(B))
    return F.isNegative(A) && !F.isNegative(B);
  return order(F, A, B) < 0;
}
template <bool Larger> uint64_t pickNumber(const Format &F, FloatCase &C) {
  if (F.isNan(C.A) && F.isNan(C.B))
    return quiet(F, C.A);
  if (F.isNan(C.A) || F.isNan(C.B))
    return F.isNan(C.A) ? C.B : C.A;
  bool First = Larger ? less(F, C.B, C.A) : less(F, C.A, C.B);
  return First ? C.A : C.B;
}
template <bool Larger> uint64_t pickAny(const Format &F, FloatCase &C) {
  for (uint64_t Bits : {C.A, C.B})
    if (F.isSignalling(Bits))
      return quiet(F, Bits);
  for (uint64_t Bits : {C.A, C.B})
    if (F.isNan(Bits))
      return Bits;
  return pickNumber<Larger>(F, C);
}

template <Rounding To> uint64_t integralOf(const Format &F, FloatCase &C) {
  uint64_t A = flushedSource(F, C.A, C.State.rules(F));
  if (F.isNan(A))
    return quiet(F, A);
  if (F.isInfinite(A) || F.isZero(A))
    return A;
  Exact Whole = integral(exactOf(F, A), To);
  return Whole.isZero() ? F.zero(F.isNegative(A)) : round(F, Whole);
}
template <int64_t Low, int64_t High>
uint64_t toInteger(const Format &F, FloatCase &C) {
  if (F.isNan(C.A))
    return 0;
  if (F.isInfinite(C.A))
    return uint32_t(F.isNegative(C.A) ? Low : High);
  Exact Exactly = exactOf(F, C.A);
  if (compare(Exactly, exactOf(High)) > 0)
    return uint32_t(High);
  if (compare(Exactly, exactOf(Low)) < 0)
    return uint32_t(Low);
  auto Value = test::toInteger(integral(Exactly, Rounding::Zero));
  return uint32_t(int64_t(Value));
}
uint64_t toHalf(const TrialState &State, uint64_t Bits, Rounding To) {
  FloatRules Result = State.rules(Half);
  Result.Round = To;
  return convert(Single, Half, Bits, State.rules(Single), Result);
}
uint64_t fromHalf(const TrialState &State, uint64_t Bits) {
  return convert(Half, Single, Bits & 0xffff, State.rules(Half),
                 State.rules(Single));
}

#define CONDITION(Name, Expression)                                            \
  {"s_cmp_" Name, 2,                                                           \
   [](const Format &F, FloatCase &C) {                                         \
     bool Nan = anyNan(F, C);                                                  \
     int Order = Nan ? 0 : compared(F, C);                                     \
     C.Scc = Expression;                                                       \
     return uint64_t(0);                                                       \
   },                                                                          \
   nullptr, true}

// clang-format off
const FloatRow Rows[] = {
    {"s_add", 2, [](const Format &F, FloatCase &C) { return add(F, C.A, C.B, C.State.rules(F)); }},
    {"s_sub", 2, [](const Format &F, FloatCase &C) {
       // A NaN keeps its sign.
       return add(F, C.A, F.isNan(C.B) ? C.B : negated(F, C.B), C.State.rules(F)); }},
    {"s_mul", 2, [](const Format &F, FloatCase &C) { return multiply(F, C.A, C.B, C.State.rules(F)); }},
    {"s_fmac", 2, [](const Format &F, FloatCase &C) { return fusedMultiplyAdd(F, C.A, C.B, C.D, C.State.rules(F)); }},
    {"s_min_num", 2, pickNumber<false>},
    {"s_max_num", 2, pickNumber<true>},
    {"s_minimum", 2, pickAny<false>},
    {"s_maximum", 2, pickAny<true>},
    {"s_ceil", 1, integralOf<Rounding::Up>},
    {"s_floor", 1, integralOf<Rounding::Down>},
    {"s_trunc", 1, integralOf<Rounding::Zero>},
    {"s_rndne", 1, integralOf<Rounding::Nearest>},
    {"s_fmaak_f32", 2, [](const Format &F, FloatCase &C) { return fusedMultiplyAdd(F, C.A, C.B, C.C, C.State.rules(F)); }, &Single},
    {"s_fmamk_f32", 2, [](const Format &F, FloatCase &C) { return fusedMultiplyAdd(F, C.A, C.C, C.B, C.State.rules(F)); }, &Single},
    {"s_cvt_f32_i32", 1, [](const Format &F, FloatCase &C) { return round(F, exactOf(int32_t(C.A)), C.State.rules(F)); }, &Single},
    {"s_cvt_f32_u32", 1, [](const Format &F, FloatCase &C) { return round(F, exactOf(uint32_t(C.A)), C.State.rules(F)); }, &Single},
    {"s_cvt_i32_f32", 1, toInteger<-0x80000000ll, 0x7fffffff>, &Single},
    {"s_cvt_u32_f32", 1, toInteger<0, 0xffffffff>, &Single},
    {"s_cvt_f16_f32", 1, [](const Format &, FloatCase &C) { return toHalf(C.State, C.A, C.State.rules(Half).Round); }, &Single},
    {"s_cvt_pk_rtz_f16_f32", 2, [](const Format &, FloatCase &C) {
       return toHalf(C.State, C.A, Rounding::Zero) | toHalf(C.State, C.B, Rounding::Zero) << 16; }, &Single},
    {"s_cvt_f32_f16", 1, [](const Format &, FloatCase &C) { return fromHalf(C.State, C.A); }, &Single},
    {"s_cvt_hi_f32_f16", 1, [](const Format &, FloatCase &C) { return fromHalf(C.State, C.A >> 16); }, &Single},

    CONDITION("lt", !Nan && Order < 0),  CONDITION("eq", !Nan && Order == 0),
    CONDITION("le", !Nan && Order <= 0), CONDITION("gt", !Nan && Order > 0),
    CONDITION("lg", !Nan && Order != 0), CONDITION("ge", !Nan && Order >= 0),
    CONDITION("o", !Nan && Order < 2),   CONDITION("u", Nan || Order > 1),
    CONDITION("nge", Nan || Order < 0),  CONDITION("nlg", Nan || Order == 0),
    CONDITION("ngt", Nan || Order <= 0), CONDITION("nle", Nan || Order > 0),
    CONDITION("neq", Nan || Order != 0), CONDITION("nlt", Nan || Order >= 0),
};
// clang-format on

constexpr unsigned DstReg = 20, Src0Reg = 24, Src1Reg = 28;

Trial make(const FloatRow &Row, const Format &F, const std::string &Name,
           RandomSource &Random) {
  auto Literal = uint32_t(randomValue(Kind::F32, Random));
  // An inline constant would not be a literal.
  Literal |= 0x100;
  Trial Result{Name, Name, {}, {}};
  if (!Row.IsCompare)
    Result.Line += " s" + std::to_string(DstReg) + ",";
  Result.Line += " s" + std::to_string(Src0Reg);
  std::string Text = ", " + std::to_string(Literal);
  if (Name == "s_fmamk_f32")
    Result.Line += Text;
  if (Row.NumSources > 1)
    Result.Line += ", s" + std::to_string(Src1Reg);
  if (Name == "s_fmaak_f32")
    Result.Line += Text;
  bool IsHalf = &F == &Half;
  Result.Prepare = [=](TrialState &State, RandomSource &Random) {
    State.Mode = Random() % 2 ? uint32_t(Random() & 0xf) | 0xf0 : 0xf0;
    for (unsigned Reg : {DstReg, Src0Reg, Src1Reg}) {
      State.S[Reg] =
          uint32_t(randomValue(IsHalf ? Kind::F16 : Kind::F32, Random));
      if (IsHalf)
        State.S[Reg] = (State.S[Reg] & 0xffff) | uint32_t(Random()) << 16;
    }
    if (Random() % 4 == 0)
      State.S[Src1Reg] = State.S[Src0Reg];
  };
  Result.Expect = [=, &Row, &F](TrialState &State) {
    uint64_t Mask = IsHalf ? 0xffff : 0xffffffff;
    FloatCase C{State,   State.S[Src0Reg] & Mask, State.S[Src1Reg] & Mask,
                Literal, State.S[DstReg] & Mask,  State.Scc};
    uint64_t Value = Row.Evaluate(F, C);
    State.Scc = C.Scc;
    State.NanReg = DstReg;
    State.NanFormat = Name.ends_with("f16") == IsHalf ? &F : nullptr;
    if (!Row.IsCompare)
      State.S[DstReg] = uint32_t(Value);
  };
  return Result;
}

} // namespace

std::vector<Trial> scalarFloatTrials(const TargetTraits &,
                                     RandomSource &Random) {
  std::vector<Trial> Trials;
  for (const FloatRow &Row : Rows)
    for (const Format *F : {&Single, &Half}) {
      if (Row.Only && Row.Only != F)
        continue;
      std::string Name = Row.Stem;
      if (!Row.Only)
        Name += F == &Single ? "_f32" : "_f16";
      Trials.push_back(make(Row, *F, Name, Random));
    }
  return Trials;
}

} // namespace luthier::test
