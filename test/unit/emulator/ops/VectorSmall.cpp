// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions to and from floats of 4 to 16 bits. A format is the list of the
// values that its codes have; rounding looks for the neighbours in that list.
#include "VectorReference.h"
#include <array>
#include <bit>

namespace luthier::test {

namespace {

using C = LaneCase;
using enum Kind;

enum class Special { Ieee, Nan, NegativeZero, None };
struct Small {
  unsigned ExponentBits, MantissaBits;
  int Bias;
  Special Kind;
  unsigned width() const { return 1 + ExponentBits + MantissaBits; }
  uint32_t sign() const { return 1u << (width() - 1); }
};
constexpr Small Fp8{4, 3, 7, Special::Nan}, Bf8{5, 2, 15, Special::Ieee},
    Fp8Old{4, 3, 8, Special::NegativeZero},
    Bf8Old{5, 2, 16, Special::NegativeZero}, Fp6{2, 3, 1, Special::None},
    Bf6{3, 2, 3, Special::None}, Fp4{2, 1, 1, Special::None},
    Half16{5, 10, 15, Special::Ieee}, Brain16{8, 7, 127, Special::Ieee};

enum class F { Single, Half, Brain, Fp8, Bf8, Fp6, Bf6, Fp4 };
constexpr unsigned bitsOf(F K) {
  constexpr unsigned Bits[] = {32, 16, 16, 8, 8, 6, 6, 4};
  return Bits[int(K)];
}
const Small &formatOf(const C &L, F K) {
  switch (K) {
  case F::Fp8:
    return L.HasOldFp8 ? Fp8Old : Fp8;
  case F::Bf8:
    return L.HasOldFp8 ? Bf8Old : Bf8;
  case F::Fp6:
    return Fp6;
  case F::Bf6:
    return Bf6;
  case F::Fp4:
    return Fp4;
  case F::Half:
    return Half16;
  default:
    return Brain16;
  }
}

/// The value of a code without sign; one beyond the largest is welcome.
Exact valueOf(const Small &S, uint32_t Code) {
  uint32_t Field = Code >> S.MantissaBits;
  uint32_t Mantissa = Code & ((1u << S.MantissaBits) - 1);
  if (Field)
    Mantissa |= 1u << S.MantissaBits;
  int Exponent = int(Field ? Field : 1) - S.Bias - int(S.MantissaBits);
  return {false, Mantissa, Exponent, false};
}
uint32_t largestOf(const Small &S) {
  uint32_t All = S.sign() - 1;
  if (S.Kind == Special::Ieee)
    return (((1u << S.ExponentBits) - 1) << S.MantissaBits) - 1;
  return S.Kind == Special::Nan ? All - 1 : All;
}

/// A number, an infinity or a NaN.
struct Value {
  enum { Number, Infinity, Nan } Is = Number;
  bool Negative = false;
  Exact Size;
};

Value decode(const C &L, F K, uint32_t Bits) {
  if (K == F::Single) {
    bool Negative = Single.isNegative(Bits);
    if (Single.isNan(Bits))
      return {Value::Nan, Negative, {}};
    if (Single.isInfinite(Bits))
      return {Value::Infinity, Negative, {}};
    return {Value::Number, Negative, exactOf(Single, Bits & 0x7fffffff)};
  }
  const Small &S = formatOf(L, K);
  Bits &= S.sign() * 2 - 1;
  bool Negative = Bits & S.sign();
  uint32_t Code = Bits & (S.sign() - 1);
  if (S.Kind == Special::NegativeZero && Bits == S.sign())
    return {Value::Nan, false, {}};
  if (Code > largestOf(S)) {
    bool IsInfinity = S.Kind == Special::Ieee && Code == largestOf(S) + 1;
    return {IsInfinity ? Value::Infinity : Value::Nan, Negative, {}};
  }
  return {Value::Number, Negative, valueOf(S, Code)};
}

/// The code of the largest value that is not above \p Size.
uint32_t codeBelow(const Small &S, const Exact &Size) {
  uint32_t Low = 0, High = largestOf(S) + 1;
  while (High - Low > 1) {
    uint32_t Middle = (Low + High) / 2;
    (compare(valueOf(S, Middle), Size) <= 0 ? Low : High) = Middle;
  }
  return Low;
}

bool roundsUp(const Small &S, uint32_t Code, const Exact &Size,
              const uint32_t *Random) {
  Exact Low = valueOf(S, Code), High = valueOf(S, Code + 1);
  Low.Negative = true;
  Exact Rest = sum(Size, Low), Step = sum(High, Low);
  if (!Random) {
    int Order = compare(scaled(Rest, 1), Step);
    return Order > 0 || (Order == 0 && Code & 1);
  }
  // The dropped bits of a float, and as many random ones from the top.
  int Bits = 23 - int(S.MantissaBits);
  Exact Part = scaled(quotient(Rest, Step), Bits);
  __int128 Fraction =
      Rest.isZero() ? 0 : toInteger(integral(Part, Rounding::Zero));
  return Fraction + __int128(*Random >> (32 - Bits)) >= __int128(1) << Bits;
}

uint32_t nanOf(const Small &S, bool Negative) {
  uint32_t Sign = Negative ? S.sign() : 0;
  switch (S.Kind) {
  case Special::Ieee:
    return Sign | (largestOf(S) + 1) | 1u << (S.MantissaBits - 1);
  case Special::Nan:
    return Sign | (S.sign() - 1);
  case Special::NegativeZero:
    return S.sign();
  case Special::None:
    return Sign | largestOf(S);
  }
  return 0;
}

uint32_t encode(const C &L, F K, const Value &V,
                const uint32_t *Random = nullptr) {
  if (K == F::Single) {
    uint32_t Sign = V.Negative ? 0x80000000 : 0;
    if (V.Is == Value::Nan)
      return Sign | 0x7fc00000;
    if (V.Is == Value::Infinity)
      return Sign | 0x7f800000;
    return Sign | uint32_t(round(Single, V.Size));
  }
  const Small &S = formatOf(L, K);
  uint32_t Sign = V.Negative ? S.sign() : 0;
  if (V.Is == Value::Nan)
    return nanOf(S, V.Negative);
  uint32_t Largest = largestOf(S), Code = Largest + 1;
  if (V.Is == Value::Number) {
    bool Above = compare(V.Size, valueOf(S, Largest + 1)) >= 0;
    if (!Above) {
      Code = codeBelow(S, V.Size);
      Code += roundsUp(S, Code, V.Size, Random);
    }
  }
  if (Code > Largest) {
    bool Stops = L.StopsAtLargest && V.Is == Value::Number && K != F::Brain;
    if (S.Kind == Special::None || Stops)
      Code = Largest;
    else if (S.Kind != Special::Ieee)
      return nanOf(S, V.Negative);
  }
  return Code == 0 && S.Kind == Special::NegativeZero ? 0 : Sign | Code;
}

/// Times the scale, a power of two, or divided by it.
Value scaledBy(const Value &V, uint32_t Scale, bool Up) {
  int Exponent = int(Scale >> 23 & 255) - 127;
  if (V.Is == Value::Nan)
    return V;
  if (Exponent == 128)
    return {Value::Nan, false, {}};
  Value Result = V;
  Result.Size = scaled(V.Size, Up ? Exponent : -Exponent);
  return Result;
}

uint32_t bitsAt(const uint32_t *Words, unsigned At, unsigned Count) {
  uint32_t Result = 0;
  for (unsigned N = 0; N != Count; ++N)
    Result |= (Words[(At + N) / 32] >> ((At + N) % 32) & 1) << N;
  return Result;
}
void setBits(uint32_t *Words, unsigned At, unsigned Count, uint32_t Value) {
  for (unsigned N = 0; N != Count; ++N) {
    uint32_t Bit = 1u << ((At + N) % 32);
    uint32_t &Word = Words[(At + N) / 32];
    Word = Value >> N & 1 ? Word | Bit : Word & ~Bit;
  }
}
uint64_t replaced(uint64_t Old, unsigned At, unsigned Count, uint32_t Value) {
  auto Word = uint32_t(Old);
  setBits(&Word, At, Count, Value);
  return Word;
}
uint32_t nextRandom(uint32_t Seed) {
  return Seed * 2 ^ (int32_t(Seed) < 0 ? 0xc5 : 0);
}

template <F K> uint64_t byteToSingle(C &L) {
  return encode(L, F::Single, decode(L, K, L.u32(0) >> (8 * L.Byte)));
}
template <F K> uint64_t bytesToPair(C &L) {
  uint64_t Low = encode(L, F::Single, decode(L, K, L.u32(0)));
  return Low | uint64_t(encode(L, F::Single, decode(L, K, L.u32(0) >> 8)))
                   << 32;
}
template <F K> uint64_t singlesToPair(C &L) {
  return encode(L, K, decode(L, F::Single, L.u32(0))) |
         encode(L, K, decode(L, F::Single, L.u32(1))) << bitsOf(K);
}
template <F K> uint64_t singleToRandom(C &L) {
  uint32_t Random = L.u32(1);
  unsigned Part = L.OpSel >> 2 | L.Byte;
  unsigned At = bitsOf(K) == 16 ? 16 * (L.OpSel >> 2 & 1) : 8 * Part;
  return replaced(L.Old, At, bitsOf(K),
                  encode(L, K, decode(L, F::Single, L.u32(0)), &Random));
}

/// \p Count elements multiplied by the scale.
template <F From, F To, unsigned Count> uint64_t up(C &L) {
  constexpr unsigned Width = bitsOf(From) * Count;
  unsigned At = Width == 8    ? 8 * (L.OpSel & 3)
                : Width == 16 ? 16 * (L.OpSel & 1)
                              : 0;
  uint32_t Source = L.u32(0);
  const uint32_t *Words = Width > 64 ? L.Wide[0] : &Source;
  for (unsigned N = 0; N != Count; ++N) {
    uint32_t Bits = bitsAt(Words, At + N * bitsOf(From), bitsOf(From));
    setBits(L.WideOut, N * bitsOf(To), bitsOf(To),
            encode(L, To, scaledBy(decode(L, From, Bits), L.u32(1), true)));
  }
  if (Count == 1 && bitsOf(To) == 16)
    return replaced(L.Old, L.OpSel & 4 ? 16 : 0, 16, L.WideOut[0]);
  return L.WideOut[0] | uint64_t(L.WideOut[1]) << 32;
}

enum class Shape { Singles, Packed, Random, Halves };
template <F From, F To, unsigned Count, Shape S> uint64_t down(C &L) {
  uint32_t Scale = L.u32(S == Shape::Packed ? 1 : 2), Seed = L.u32(1);
  uint32_t First[2] = {uint32_t(L.S[0]), uint32_t(L.S[0] >> 32)};
  constexpr unsigned SourceBits =
      bitsOf(From) * (S == Shape::Halves ? Count / 2 : Count);
  const uint32_t *Words =
      S != Shape::Singles && SourceBits > 64 ? L.Wide[0] : First;
  uint32_t Result[32] = {};
  for (unsigned N = 0; N != Count; ++N) {
    uint32_t Bits;
    if (S == Shape::Singles)
      Bits = L.u32(N);
    else if (S == Shape::Halves)
      Bits = bitsAt(L.Wide[N % 2], N / 2 * bitsOf(From), bitsOf(From));
    else
      Bits = bitsAt(Words, N * bitsOf(From), bitsOf(From));
    Value V = scaledBy(decode(L, From, Bits), Scale, false);
    setBits(Result, N * bitsOf(To), bitsOf(To),
            encode(L, To, V, S == Shape::Random ? &Seed : nullptr));
    Seed = nextRandom(Seed);
  }
  constexpr unsigned Width = bitsOf(To) * Count;
  if (Width <= 16) {
    // The manual's OPSEL[3] is the last bit that is written.
    unsigned High = L.OpSel >> (S == Shape::Packed && Width == 16 ? 2 : 3) & 1;
    unsigned At = Width == 8 ? 8 * (L.OpSel >> 2 & 3) : 16 * High;
    return replaced(L.Old, At, Width, Result[0]);
  }
  std::copy(Result, Result + 32, L.WideOut);
  return 0;
}

constexpr uint32_t Scaled = OwnOpSel | NarrowNans | Vop3Only | RandomScale;

#define FROM_BYTES(Name, K)                                                    \
  {"v_cvt_scalef32_f32_" Name,                                                 \
   F32,                                                                        \
   {U32, B32},                                                                 \
   up<K, F::Single, 1>,                                                        \
   Scaled | OtherNan},                                                         \
      {"v_cvt_scalef32_f16_" Name,                                             \
       U32,                                                                    \
       {U32, B32},                                                             \
       up<K, F::Half, 1>,                                                      \
       Scaled},                                                                \
      {"v_cvt_scalef32_pk_f32_" Name,                                          \
       PkF32Result,                                                            \
       {U32, B32},                                                             \
       up<K, F::Single, 2>,                                                    \
       Scaled},                                                                \
      {"v_cvt_scalef32_pk_f16_" Name,                                          \
       U32,                                                                    \
       {U32, B32},                                                             \
       up<K, F::Half, 2>,                                                      \
       Scaled},                                                                \
  {                                                                            \
    "v_cvt_scalef32_pk_bf16_" Name, U32, {U32, B32}, up<K, F::Brain, 2>,       \
        Scaled                                                                 \
  }
#define TO_PAIR(Name, K, Selects)                                              \
  {"v_cvt_scalef32_pk_" Name "_f32",                                           \
   U32,                                                                        \
   {F32, F32, B32},                                                            \
   down<F::Single, K, 2, Shape::Singles>,                                      \
   Scaled},                                                                    \
      {"v_cvt_scalef32_pk_" Name "_f16",                                       \
       U32,                                                                    \
       {U32, B32},                                                             \
       down<F::Half, K, 2, Shape::Packed>,                                     \
       Scaled | NoModifiers | Selects},                                        \
  {                                                                            \
    "v_cvt_scalef32_pk_" Name "_bf16", U32, {U32, B32},                        \
        down<F::Brain, K, 2, Shape::Packed>, Scaled | NoModifiers | Selects    \
  }
#define TO_RANDOM(Prefix, Name, K, Count, Wide)                                \
  {"v_cvt_scalef32_sr_" Prefix Name "_f32",                                    \
   U32,                                                                        \
   {Wide, U32, B32},                                                           \
   down<F::Single, K, Count, Shape::Random>,                                   \
   Scaled | NoModifiers},                                                      \
      {"v_cvt_scalef32_sr_" Prefix Name "_f16",                                \
       U32,                                                                    \
       {U32, U32, B32},                                                        \
       down<F::Half, K, Count, Shape::Random>,                                 \
       Scaled | NoModifiers},                                                  \
  {                                                                            \
    "v_cvt_scalef32_sr_" Prefix Name "_bf16", U32, {U32, U32, B32},            \
        down<F::Brain, K, Count, Shape::Random>, Scaled | NoModifiers          \
  }
#define SIX_BITS(Name, K)                                                      \
  {"v_cvt_scalef32_pk32_f32_" Name,                                            \
   Wide32,                                                                     \
   {Wide6, B32},                                                               \
   up<K, F::Single, 32>,                                                       \
   Tuples},                                                                    \
      {"v_cvt_scalef32_pk32_f16_" Name,                                        \
       Wide16,                                                                 \
       {Wide6, B32},                                                           \
       up<K, F::Half, 32>,                                                     \
       Tuples},                                                                \
      {"v_cvt_scalef32_pk32_bf16_" Name,                                       \
       Wide16,                                                                 \
       {Wide6, B32},                                                           \
       up<K, F::Brain, 32>,                                                    \
       Tuples},                                                                \
      {"v_cvt_scalef32_pk32_" Name "_f16",                                     \
       Wide6,                                                                  \
       {Wide16, B32},                                                          \
       down<F::Half, K, 32, Shape::Packed>,                                    \
       Tuples},                                                                \
      {"v_cvt_scalef32_pk32_" Name "_bf16",                                    \
       Wide6,                                                                  \
       {Wide16, B32},                                                          \
       down<F::Brain, K, 32, Shape::Packed>,                                   \
       Tuples},                                                                \
      {"v_cvt_scalef32_2xpk16_" Name "_f32",                                   \
       Wide6,                                                                  \
       {Wide16, Wide16, B32},                                                  \
       down<F::Single, K, 32, Shape::Halves>,                                  \
       Tuples},                                                                \
      {"v_cvt_scalef32_sr_pk32_" Name "_f32",                                  \
       Wide6,                                                                  \
       {Wide32, U32, B32},                                                     \
       down<F::Single, K, 32, Shape::Random>,                                  \
       Tuples},                                                                \
      {"v_cvt_scalef32_sr_pk32_" Name "_f16",                                  \
       Wide6,                                                                  \
       {Wide16, U32, B32},                                                     \
       down<F::Half, K, 32, Shape::Random>,                                    \
       Tuples},                                                                \
  {                                                                            \
    "v_cvt_scalef32_sr_pk32_" Name "_bf16", Wide6, {Wide16, U32, B32},         \
        down<F::Brain, K, 32, Shape::Random>, Tuples                           \
  }
constexpr Kind PkF32Result = U64;
constexpr uint32_t Tuples = PlainOnly | NoModifiers | NarrowNans | RandomScale;

const VectorRow Rows[] = {
    {"v_cvt_f32_fp8",
     F32,
     {U32},
     byteToSingle<F::Fp8>,
     OtherNan | ByteSelect | NoModifiers},
    {"v_cvt_f32_bf8",
     F32,
     {U32},
     byteToSingle<F::Bf8>,
     OtherNan | ByteSelect | NoModifiers},
    {"v_cvt_pk_f32_fp8",
     PkF32Result,
     {U16},
     bytesToPair<F::Fp8>,
     NarrowNans | NoModifiers},
    {"v_cvt_pk_f32_bf8",
     PkF32Result,
     {U16},
     bytesToPair<F::Bf8>,
     NarrowNans | NoModifiers},
    // LLVM 22 loses a bit of their DPP control when it decodes them.
    {"v_cvt_pk_fp8_f32",
     U16,
     {F32, F32},
     singlesToPair<F::Fp8>,
     KeepsHigh | RandomScale | Vop3Only},
    {"v_cvt_pk_bf8_f32",
     U16,
     {F32, F32},
     singlesToPair<F::Bf8>,
     KeepsHigh | RandomScale | NarrowNans | Vop3Only},
    {"v_cvt_pk_bf16_f32", U32, {F32, F32}, singlesToPair<F::Brain>, NarrowNans},
    {"v_cvt_sr_fp8_f32",
     U32,
     {F32, U32},
     singleToRandom<F::Fp8>,
     ByteSelect | OwnOpSel | FourSelects | Vop3Only | RandomScale},
    {"v_cvt_sr_bf8_f32",
     U32,
     {F32, U32},
     singleToRandom<F::Bf8>,
     ByteSelect | OwnOpSel | FourSelects | Vop3Only | RandomScale | NarrowNans},
    {"v_cvt_sr_f16_f32",
     U32,
     {F32, U32},
     singleToRandom<F::Half>,
     OwnOpSel | Vop3Only | RandomScale | NarrowNans},
    {"v_cvt_sr_bf16_f32",
     U32,
     {F32, U32},
     singleToRandom<F::Brain>,
     OwnOpSel | Vop3Only | NarrowNans},
    {"v_cvt_f32_bf16",
     F32,
     {Bf16},
     [](C &L) -> uint64_t { return L.S[0] << 16; },
     NoModifiers},

    FROM_BYTES("fp8", F::Fp8),
    FROM_BYTES("bf8", F::Bf8),
    {"v_cvt_scalef32_pk_f32_fp4",
     PkF32Result,
     {U32, B32},
     up<F::Fp4, F::Single, 2>,
     Scaled},
    {"v_cvt_scalef32_pk_f16_fp4",
     U32,
     {U32, B32},
     up<F::Fp4, F::Half, 2>,
     Scaled},
    {"v_cvt_scalef32_pk_bf16_fp4",
     U32,
     {U32, B32},
     up<F::Fp4, F::Brain, 2>,
     Scaled},
    TO_PAIR("fp8", F::Fp8, 0),
    TO_PAIR("bf8", F::Bf8, 0),
    TO_PAIR("fp4", F::Fp4, FourSelects),
    TO_RANDOM("", "fp8", F::Fp8, 1, F32),
    TO_RANDOM("", "bf8", F::Bf8, 1, F32),
    TO_RANDOM("pk_", "fp4", F::Fp4, 2, U64),
    SIX_BITS("fp6", F::Fp6),
    SIX_BITS("bf6", F::Bf6),
};

} // namespace

std::span<const VectorRow> smallFloatRows() { return Rows; }

} // namespace luthier::test
