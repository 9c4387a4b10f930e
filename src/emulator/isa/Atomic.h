// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What atomic operations do to a memory value, and how it is done indivisibly.
#ifndef LUTHIER_EMULATOR_ISA_ATOMIC_H
#define LUTHIER_EMULATOR_ISA_ATOMIC_H

#include "emulator/isa/FloatMath.h"
#include "emulator/isa/Types.h"
#include <bit>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD::atomic {

/// \p Update maps (old value, data) to the new value. Returns the old one.
template <class T, class Update> T apply(void *Address, Update F) {
  T *P = static_cast<T *>(Address);
  T Old = __atomic_load_n(P, __ATOMIC_RELAXED), New;
  do
    New = F(Old);
  while (!__atomic_compare_exchange_n(P, &Old, New, true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED));
  return Old;
}

template <class T> T swap(T, T Data) { return Data; }
template <class T> T add(T Old, T Data) { return Old + Data; }
template <class T> T sub(T Old, T Data) { return Old - Data; }
template <class T> T reverseSub(T Old, T Data) { return Data - Old; }
template <class T> T bitAnd(T Old, T Data) { return Old & Data; }
template <class T> T bitOr(T Old, T Data) { return Old | Data; }
template <class T> T bitXor(T Old, T Data) { return Old ^ Data; }
template <class T> T unsignedMin(T Old, T Data) {
  return Data < Old ? Data : Old;
}
template <class T> T unsignedMax(T Old, T Data) {
  return Data > Old ? Data : Old;
}
template <class T> T signedMin(T Old, T Data) {
  using S = std::make_signed_t<T>;
  return S(Data) < S(Old) ? Data : Old;
}
template <class T> T signedMax(T Old, T Data) {
  using S = std::make_signed_t<T>;
  return S(Data) > S(Old) ? Data : Old;
}
template <class T> T increment(T Old, T Data) {
  return Old >= Data ? 0 : Old + 1;
}
template <class T> T decrement(T Old, T Data) {
  return Old == 0 || Old > Data ? Data : Old - 1;
}

/// Stops at zero.
template <class T> T clampedSub(T Old, T Data) {
  return Old < Data ? 0 : Old - Data;
}
/// Happens only where the result is not negative.
template <class T> T conditionalSub(T Old, T Data) {
  return Old < Data ? Old : Old - Data;
}

/// The old value's NaN wins over the data's, and any over a new one, so that
/// results do not depend on how the host adds.
template <class F> F sumOf(F Old, F Data) {
  F Sum = Old + Data;
  if (!isNan(Sum)) [[likely]]
    return Sum;
  if (isNan(Old))
    return quieted(Old);
  return isNan(Data) ? quieted(Data) : quieted(infinity<F>(false));
}
template <class F, class T> T floatAdd(T Old, T Data) {
  return std::bit_cast<T>(sumOf(std::bit_cast<F>(Old), std::bit_cast<F>(Data)));
}
template <class F, class T> T floatMin(T Old, T Data) {
  return std::bit_cast<F>(Data) < std::bit_cast<F>(Old) ? Data : Old;
}
template <class F, class T> T floatMax(T Old, T Data) {
  return std::bit_cast<F>(Data) > std::bit_cast<F>(Old) ? Data : Old;
}
/// Numbers win over NaNs, and -0 is less than +0.
template <class F, class T> T numberMin(T Old, T Data) {
  F A = std::bit_cast<F>(Data), B = std::bit_cast<F>(Old);
  if (isNan(A))
    return isNan(B) ? std::bit_cast<T>(quieted(A)) : Old;
  return std::bit_cast<T>(minimum(A, B));
}
template <class F, class T> T numberMax(T Old, T Data) {
  F A = std::bit_cast<F>(Data), B = std::bit_cast<F>(Old);
  if (isNan(A))
    return isNan(B) ? std::bit_cast<T>(quieted(A)) : Old;
  return std::bit_cast<T>(maximum(A, B));
}
inline U32 packedAddF16(U32 Old, U32 Data) {
  auto Sum = [](U32 A, U32 B) {
    return toBits(sumOf(fromBits<F16>(A), fromBits<F16>(B)));
  };
  return Sum(Old, Data) | Sum(Old >> 16, Data >> 16) << 16;
}
/// bfloat16 is the upper half of a float, rounded to nearest even.
inline U32 packedAddBF16(U32 Old, U32 Data) {
  auto Sum = [](U32 A, U32 B) {
    F32 Result =
        sumOf(std::bit_cast<F32>(A << 16), std::bit_cast<F32>(B << 16));
    U32 Bits = std::bit_cast<U32>(Result);
    if (isNan(Result))
      return Bits >> 16;
    return (Bits + 0x7fff + (Bits >> 16 & 1)) >> 16;
  };
  return Sum(Old & 0xffff, Data & 0xffff) | Sum(Old >> 16, Data >> 16) << 16;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD::atomic

#endif // LUTHIER_EMULATOR_ISA_ATOMIC_H
