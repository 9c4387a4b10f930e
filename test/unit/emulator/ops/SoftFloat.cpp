// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SoftFloat.h"
#include <algorithm>
#include <utility>

namespace luthier::test {

namespace {

using Wide = unsigned __int128;

int bitLength(Wide Value) {
  auto High = uint64_t(Value >> 64), Low = uint64_t(Value);
  return High  ? 128 - __builtin_clzll(High)
         : Low ? 64 - __builtin_clzll(Low)
               : 0;
}

/// Drops \p Count low bits, noting whether any was set.
void shiftRight(Exact &A, int Count) {
  if (Count <= 0)
    return;
  if (Count >= 128) {
    A.Sticky |= A.Significand != 0;
    A.Significand = 0;
  } else {
    A.Sticky |= (A.Significand & ((Wide(1) << Count) - 1)) != 0;
    A.Significand >>= Count;
  }
  A.Exponent += Count;
}

/// Leading one at bit 125: room for a carry and a sign.
void normalise(Exact &A) {
  int Shift = 126 - bitLength(A.Significand);
  if (!A.Significand)
    return;
  if (Shift < 0)
    return shiftRight(A, -Shift);
  A.Significand <<= Shift;
  A.Exponent -= Shift;
}

/// Whether the part below the last place, \p Above or below half of it, makes
/// the magnitude grow.
bool roundsAway(Rounding Round, bool Negative, bool Odd, bool Half, bool Rest) {
  switch (Round) {
  case Rounding::Nearest:
    return Half && (Rest || Odd);
  case Rounding::Up:
    return !Negative && (Half || Rest);
  case Rounding::Down:
    return Negative && (Half || Rest);
  case Rounding::Zero:
    return false;
  }
  __builtin_unreachable();
}

/// Rounds away all bits below 2^Place.
void roundAt(Exact &A, int Place, Rounding Round) {
  if (A.Exponent >= Place)
    return;
  shiftRight(A, Place - 1 - A.Exponent);
  bool Half = A.Significand & 1, Rest = A.Sticky;
  A.Sticky = false;
  A.Significand >>= 1;
  A.Exponent = Place;
  A.Significand += roundsAway(Round, A.Negative, A.Significand & 1, Half, Rest);
}

uint64_t overflow(const Format &F, bool Negative, Rounding Round) {
  bool ToInfinity = Round == Rounding::Nearest ||
                    (Round == Rounding::Up && !Negative) ||
                    (Round == Rounding::Down && Negative);
  return F.infinity(Negative) - (ToInfinity ? 0 : 1);
}

uint64_t firstNan(const Format &F, std::initializer_list<uint64_t> Values) {
  for (uint64_t V : Values)
    if (F.isNan(V))
      return V | F.quietBit();
  return F.quietNan();
}

/// -0 when rounding down.
uint64_t zeroSum(const Format &F, bool NegativeA, bool NegativeB,
                 Rounding Round) {
  return F.zero(NegativeA == NegativeB ? NegativeA : Round == Rounding::Down);
}

} // namespace

Exact exactOf(const Format &F, uint64_t Bits) {
  Exact A;
  A.Negative = F.isNegative(Bits);
  A.Significand = Bits & F.mantissaMask();
  auto Field = int((Bits & F.exponentMask()) >> F.MantissaBits);
  if (Field)
    A.Significand |= uint64_t(1) << F.MantissaBits;
  A.Exponent = std::max(Field, 1) - F.bias() - int(F.MantissaBits);
  return A;
}

Exact exactOf(__int128 Value) {
  return {Value < 0, Value < 0 ? -Wide(Value) : Wide(Value), 0, false};
}

Exact product(const Exact &A, const Exact &B) {
  return {A.Negative != B.Negative, A.Significand * B.Significand,
          A.Exponent + B.Exponent, A.Sticky || B.Sticky};
}

Exact sum(Exact A, Exact B) {
  if (A.isZero())
    return B.isZero() ? Exact{A.Negative && B.Negative} : B;
  if (B.isZero())
    return A;
  normalise(A);
  normalise(B);
  if (A.Exponent < B.Exponent ||
      (A.Exponent == B.Exponent && A.Significand < B.Significand))
    std::swap(A, B);
  shiftRight(B, A.Exponent - B.Exponent);
  if (A.Negative == B.Negative) {
    A.Significand += B.Significand;
    A.Sticky |= B.Sticky;
    return A;
  }
  A.Significand -= B.Significand;
  // Less than a whole unit more is taken away: one unit, less the rest.
  if (B.Sticky)
    --A.Significand, A.Sticky = true;
  if (A.isZero())
    A.Negative = false;
  return A;
}

Exact quotient(const Exact &A, const Exact &B) {
  if (A.isZero())
    return {A.Negative != B.Negative};
  Exact N = A, D = B;
  normalise(N);
  Exact Result{A.Negative != B.Negative, 0, 0, false};
  Wide Divisor = D.Significand, Rest = N.Significand;
  Result.Exponent = N.Exponent - D.Exponent;
  Result.Significand = Rest / Divisor;
  Rest %= Divisor;
  while (bitLength(Result.Significand) < 110 && bitLength(Divisor) < 126) {
    Rest <<= 1;
    Result.Significand <<= 1;
    --Result.Exponent;
    if (Rest >= Divisor)
      Rest -= Divisor, ++Result.Significand;
  }
  Result.Sticky = Rest != 0;
  return Result;
}

Exact squareRoot(const Exact &A) {
  Exact N = A;
  normalise(N);
  if (N.Exponent & 1) {
    N.Significand <<= 1;
    --N.Exponent;
  }
  Wide Root = 0;
  for (int Bit = 63; Bit >= 0; --Bit) {
    Wide Try = Root | Wide(1) << Bit;
    if (Try * Try <= N.Significand)
      Root = Try;
  }
  return {false, Root, N.Exponent / 2, Root * Root != N.Significand};
}

Exact scaled(Exact A, int Power) {
  A.Exponent += Power;
  return A;
}

int compare(const Exact &A, const Exact &B) {
  Exact Minus = B;
  Minus.Negative = !B.Negative;
  Exact Difference = sum(A, Minus);
  return Difference.isZero() ? 0 : Difference.Negative ? -1 : 1;
}

Exact integral(const Exact &A, Rounding Round) {
  Exact Result = A;
  roundAt(Result, 0, Round);
  return Result;
}

__int128 toInteger(const Exact &A) {
  Wide Magnitude = A.Significand << std::clamp(A.Exponent, 0, 127);
  return A.Negative ? -__int128(Magnitude) : __int128(Magnitude);
}

uint64_t round(const Format &F, const Exact &A, const FloatRules &Rules) {
  if (A.isZero())
    return F.zero(A.Negative);
  Exact Value = A;
  normalise(Value);
  if (!Value.Significand) // only a trace is left
    Value.Exponent = -(1 << 20), Value.Significand = 1;
  int Lowest = 1 - F.bias() - int(F.MantissaBits);
  int Length = bitLength(Value.Significand);
  // Tininess is judged after rounding to full precision, as hosts do; of narrow
  // formats, on the result itself. The manuals leave it open.
  bool JudgesResult = F.width() <= 16;
  Exact Unbounded = Value;
  int Precise = Value.Exponent + Length - 1 - int(F.MantissaBits);
  roundAt(Unbounded, Precise, Rules.Round);
  bool Tiny =
      Unbounded.Exponent + bitLength(Unbounded.Significand) - 1 < 1 - F.bias();
  if (Tiny && !Rules.KeepDenormalResults && !JudgesResult)
    return F.zero(A.Negative);
  roundAt(Value, std::max(Precise, Lowest), Rules.Round);
  while (bitLength(Value.Significand) > int(F.MantissaBits) + 1) {
    Value.Significand >>= 1;
    ++Value.Exponent;
  }
  // Exact powers of two may have a short significand.
  while (Value.Exponent > Lowest &&
         bitLength(Value.Significand) <= int(F.MantissaBits)) {
    Value.Significand <<= 1;
    --Value.Exponent;
  }
  auto Mantissa = uint64_t(Value.Significand);
  uint64_t Sign = F.zero(A.Negative);
  bool Normal = Mantissa >> F.MantissaBits & 1;
  auto Field = int64_t(Normal ? Value.Exponent - Lowest + 1 : 0);
  if (!Normal && JudgesResult && !Rules.KeepDenormalResults)
    return Sign;
  if (Field >= (int64_t(1) << F.ExponentBits) - 1)
    return overflow(F, A.Negative, Rules.Round);
  return Sign | uint64_t(Field) << F.MantissaBits |
         (Mantissa & F.mantissaMask());
}

uint64_t flushedSource(const Format &F, uint64_t Bits,
                       const FloatRules &Rules) {
  return F.isDenormal(Bits) && !Rules.KeepDenormalSources ? Bits & F.signBit()
                                                          : Bits;
}

uint64_t add(const Format &F, uint64_t A, uint64_t B, const FloatRules &Rules) {
  A = flushedSource(F, A, Rules);
  B = flushedSource(F, B, Rules);
  if (F.isNan(A) || F.isNan(B))
    return firstNan(F, {A, B});
  if (F.isInfinite(A) || F.isInfinite(B)) {
    if (F.isInfinite(A) && F.isInfinite(B) && A != B)
      return F.quietNan();
    return F.isInfinite(A) ? A : B;
  }
  Exact Sum = sum(exactOf(F, A), exactOf(F, B));
  if (Sum.isZero())
    return zeroSum(F, F.isNegative(A), F.isNegative(B), Rules.Round);
  return round(F, Sum, Rules);
}

uint64_t multiply(const Format &F, uint64_t A, uint64_t B,
                  const FloatRules &Rules) {
  A = flushedSource(F, A, Rules);
  B = flushedSource(F, B, Rules);
  if (F.isNan(A) || F.isNan(B))
    return firstNan(F, {A, B});
  bool Negative = F.isNegative(A) != F.isNegative(B);
  if (F.isInfinite(A) || F.isInfinite(B))
    return F.isZero(A) || F.isZero(B) ? F.quietNan() : F.infinity(Negative);
  return round(F, product(exactOf(F, A), exactOf(F, B)), Rules);
}

uint64_t fusedMultiplyAdd(const Format &F, uint64_t A, uint64_t B, uint64_t C,
                          const FloatRules &Rules) {
  A = flushedSource(F, A, Rules);
  B = flushedSource(F, B, Rules);
  C = flushedSource(F, C, Rules);
  if (F.isNan(A) || F.isNan(B) || F.isNan(C))
    return firstNan(F, {A, B, C});
  bool Negative = F.isNegative(A) != F.isNegative(B);
  if (F.isInfinite(A) || F.isInfinite(B)) {
    if (F.isZero(A) || F.isZero(B) ||
        (F.isInfinite(C) && F.isNegative(C) != Negative))
      return F.quietNan();
    return F.infinity(Negative);
  }
  if (F.isInfinite(C))
    return C;
  Exact Sum = sum(product(exactOf(F, A), exactOf(F, B)), exactOf(F, C));
  if (Sum.isZero())
    return zeroSum(F, Negative, F.isNegative(C), Rules.Round);
  return round(F, Sum, Rules);
}

uint64_t divide(const Format &F, uint64_t A, uint64_t B,
                const FloatRules &Rules) {
  A = flushedSource(F, A, Rules);
  B = flushedSource(F, B, Rules);
  if (F.isNan(A) || F.isNan(B))
    return firstNan(F, {A, B});
  bool Negative = F.isNegative(A) != F.isNegative(B);
  if ((F.isInfinite(A) && F.isInfinite(B)) || (F.isZero(A) && F.isZero(B)))
    return F.quietNan();
  if (F.isInfinite(A) || F.isZero(B))
    return F.infinity(Negative);
  if (F.isInfinite(B) || F.isZero(A))
    return F.zero(Negative);
  return round(F, quotient(exactOf(F, A), exactOf(F, B)), Rules);
}

uint64_t squareRoot(const Format &F, uint64_t A, const FloatRules &Rules) {
  A = flushedSource(F, A, Rules);
  if (F.isNan(A))
    return firstNan(F, {A});
  if (F.isZero(A))
    return A;
  if (F.isNegative(A))
    return F.quietNan();
  if (F.isInfinite(A))
    return A;
  return round(F, squareRoot(exactOf(F, A)), Rules);
}

uint64_t convert(const Format &FromFormat, const Format &ToFormat,
                 uint64_t Bits, const FloatRules &From, const FloatRules &To) {
  Bits = flushedSource(FromFormat, Bits, From);
  bool Negative = FromFormat.isNegative(Bits);
  if (FromFormat.isNan(Bits)) {
    uint64_t Mantissa = Bits & FromFormat.mantissaMask();
    int Grow = int(ToFormat.MantissaBits) - int(FromFormat.MantissaBits);
    Mantissa = Grow > 0 ? Mantissa << Grow : Mantissa >> -Grow;
    return ToFormat.quietNan() | ToFormat.zero(Negative) | Mantissa;
  }
  if (FromFormat.isInfinite(Bits))
    return ToFormat.infinity(Negative);
  return round(ToFormat, exactOf(FromFormat, Bits), To);
}

} // namespace luthier::test
