// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimum, maximum and median of floats, which alone among the selecting
// operations look at MODE: IEEE decides about signalling NaNs (not for those
// called "num", of generation 12), and denormal results are flushed like
// computed ones.
#ifndef LUTHIER_EMULATOR_ISA_MINMAX_H
#define LUTHIER_EMULATOR_ISA_MINMAX_H

#include "emulator/isa/FloatMath.h"
#include "emulator/isa/Operands.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// What becomes of NaNs where numbers win over them.
enum class NanRule {
  /// Of two, the second; it stays as it is.
  Plain,
  /// The same, but a signalling one wins over all and becomes quiet.
  Ieee,
  /// Of two, the first, made quiet. Signalling ones lose, too.
  Number,
};

template <class F, NanRule Rule> F withNanRule(F A, F B, F Result) {
  if constexpr (Rule == NanRule::Ieee) {
    Result = isSignalling(B) ? quieted(B) : Result;
    Result = isSignalling(A) ? quieted(A) : Result;
  } else if constexpr (Rule == NanRule::Number) {
    Result = isNan(Result) ? quieted(A) : Result;
  }
  return Result;
}
template <class F, NanRule Rule> F minimumOf(F A, F B) {
  return withNanRule<F, Rule>(A, B, minimum(A, B));
}
template <class F, NanRule Rule> F maximumOf(F A, F B) {
  return withNanRule<F, Rule>(A, B, maximum(A, B));
}

/// IEEE 754-2019 minimum and maximum: NaNs win, signalling ones first.
template <class F> F firstNan(F A, F B, F Other) {
  F Result = isNan(B) ? quieted(B) : Other;
  Result = isNan(A) ? quieted(A) : Result;
  Result = isSignalling(B) ? quieted(B) : Result;
  return isSignalling(A) ? quieted(A) : Result;
}
template <class F> F minimum2019(F A, F B) {
  return firstNan(A, B, minimum(A, B));
}
template <class F> F maximum2019(F A, F B) {
  return firstNan(A, B, maximum(A, B));
}

enum class Pick {
  // Two sources.
  Min,
  Max,
  Minimum,
  Maximum,
  // Three.
  Min3,
  Max3,
  Med3,
  MinMax,
  MaxMin,
  Minimum3,
  Maximum3,
  MinimumMaximum,
  MaximumMinimum,
};

template <class F, Pick P, NanRule Rule> F pick(F A, F B, F C) {
  if constexpr (P == Pick::Min)
    return minimumOf<F, Rule>(A, B);
  else if constexpr (P == Pick::Max)
    return maximumOf<F, Rule>(A, B);
  else if constexpr (P == Pick::Minimum)
    return minimum2019(A, B);
  else if constexpr (P == Pick::Maximum)
    return maximum2019(A, B);
  else if constexpr (P == Pick::Minimum3)
    return minimum2019(minimum2019(A, B), C);
  else if constexpr (P == Pick::Maximum3)
    return maximum2019(maximum2019(A, B), C);
  else if constexpr (P == Pick::MinimumMaximum)
    return maximum2019(minimum2019(A, B), C);
  else if constexpr (P == Pick::MaximumMinimum)
    return minimum2019(maximum2019(A, B), C);
  else if constexpr (P == Pick::MinMax)
    return maximumOf<F, Rule>(minimumOf<F, Rule>(A, B), C);
  else if constexpr (P == Pick::MaxMin)
    return minimumOf<F, Rule>(maximumOf<F, Rule>(A, B), C);
  else if constexpr (P == Pick::Min3)
    return minimumOf<F, Rule>(minimumOf<F, Rule>(A, B), C);
  else if constexpr (P == Pick::Max3)
    return maximumOf<F, Rule>(maximumOf<F, Rule>(A, B), C);
  else {
    // With a NaN among them, the median is the minimum of the others.
    F Low = minimum(A, B), High = maximum(A, B);
    F Median = maximum(Low, minimum(High, C));
    F Least = pick<F, Pick::Min3, Rule>(A, B, C);
    bool HasNan = isNan(A) || isNan(B) || isNan(C);
    return HasNan ? Least : Median;
  }
}

template <class F> F flushed(F Value, bool Flush) {
  return Flush ? withoutDenormal(Value) : Value;
}

template <class F, Pick P, NanRule Rule>
void pickLanes(Wave &W, const Inst &I) {
  constexpr bool HasThird = P >= Pick::Min3;
  unsigned Denorm = sizeof(F) == 4 ? mode::DenormSingle : mode::DenormDouble;
  bool Flush = (W.Mode >> Denorm & 3) != 3;
  Lanes<F> A(W, I, 0), B(W, I, 1), C(W, I, HasThird ? 2 : 1);
  U32 *Low = W.Thread->Scratch.Result[0], *High = W.Thread->Scratch.Result[1];
  LUTHIER_LANE_LOOP
  for (unsigned L = 0; L != NumLanes; ++L)
    storeLane<F>(Low, High, L,
                 flushed(pick<F, P, Rule>(A[L], B[L], C[L]), Flush));
  if constexpr (sizeof(F) == 8)
    writeBackPair(W, I);
  else
    writeBack(W, I);
}

template <class F, Pick P> void pickHandler(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  if (W.Mode & mode::Ieee)
    pickLanes<F, P, NanRule::Ieee>(W, I);
  else
    pickLanes<F, P, NanRule::Plain>(W, I);
}
template <class F, Pick P> void pickNumberHandler(Wave &W, const Inst &I) {
  if (W.exec())
    pickLanes<F, P, NanRule::Number>(W, I);
}

template <class F, Pick P> constexpr Operation pickRow(const char *Name) {
  constexpr ValueType T = valueType<F>();
  return {Name,
          pickHandler<F, P>,
          T,
          {T, T, P >= Pick::Min3 ? T : ValueType::None}};
}
/// Of those that the manuals call "num".
template <class F, Pick P> constexpr Operation pickNumberRow(const char *Name) {
  Operation Op = pickRow<F, P>(Name);
  Op.Fn = pickNumberHandler<F, P>;
  return Op;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_MINMAX_H
