// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations with one bit per lane in a scalar register: carries and selects.
#include "emulator/isa/LaneMask.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

enum class Step { Add, Sub, SubRev };

/// Bits of inactive lanes are written as zero.
template <Step S, bool CarryIn> void addWithCarry(Wave &W, const Inst &I) {
  const U32 *A = source32(W, I, 0), *B = source32(W, I, 1);
  if constexpr (S == Step::SubRev)
    std::swap(A, B);
  U32 *Result = resultRow(W, I);
  alignas(64) U32 In[NumLanes], Out[NumLanes];
  if constexpr (CarryIn)
    expandMask(W.laneMask(I.MaskSrc), In);
  LUTHIER_LANE_LOOP
  for (unsigned L = 0; L != NumLanes; ++L) {
    // The result may be one of the sources.
    const U32 Left = A[L], Right = B[L], Carry = CarryIn ? In[L] : 0;
    if constexpr (S == Step::Add) {
      const U32 Sum = Left + Right, Total = Sum + Carry;
      Result[L] = Total;
      Out[L] = U32(Sum < Left) | U32(Total < Sum);
    } else {
      const U32 Difference = Left - Right;
      Result[L] = Difference - Carry;
      Out[L] = U32(Left < Right) | U32(Difference < Carry);
    }
  }
  U64 CarryOut = packMask(Out);
  if (I.Clamp) {
    U32 Limit = S == Step::Add ? ~U32(0) : 0;
    for (unsigned L = 0; L != NumLanes; ++L)
      Result[L] = Out[L] ? Limit : Result[L];
  }
  U64 Written = writableLanes(W, I);
  if (W.exec())
    finishRow(W, I, Result);
  W.setLaneMask(I.ScalarDst, CarryOut & Written);
}

template <Step S, bool CarryIn> constexpr Operation carry(const char *Name) {
  return {Name,
          addWithCarry<S, CarryIn>,
          ValueType::U32,
          {ValueType::U32, ValueType::U32}};
}

/// 64-bit multiply-add with carry-out.
template <class T, class Wide> void multiplyAdd(Wave &W, const Inst &I) {
  const U32 *A = source32(W, I, 0), *B = source32(W, I, 1);
  Pair C = source64(W, I, 2);
  U32 *Low = resultRow(W, I), *High = Low + NumLanes;
  alignas(64) U32 Out[NumLanes];
  LUTHIER_LANE_LOOP
  for (unsigned L = 0; L != NumLanes; ++L) {
    Wide Product = Wide(T(A[L])) * Wide(T(B[L]));
    U64 Addend = C.Low[L] | U64(C.High[L]) << 32;
    U64 Sum = U64(Product) + Addend;
    if constexpr (std::is_signed_v<T>) {
      // Bit 64 of the sum of both sign-extended values.
      U64 Overflow = (U64(Product) ^ Sum) & (Addend ^ Sum);
      Out[L] = U32((Sum ^ Overflow) >> 63);
    } else {
      Out[L] = Sum < Addend;
    }
    Low[L] = U32(Sum);
    High[L] = U32(Sum >> 32);
  }
  U64 Exec = W.exec();
  finishPair(W, I, Low);
  W.setLaneMask(I.ScalarDst, packMask(Out) & Exec);
}

template <class T, class Wide> constexpr Operation mad(const char *Name) {
  return {Name,
          multiplyAdd<T, Wide>,
          ValueType::U64,
          {ValueType::U32, ValueType::U32, ValueType::U64}};
}

void conditionalMask(Wave &W, const Inst &I) {
  U64 Exec = W.exec();
  if (!Exec)
    return;
  const U32 *A = source32(W, I, 0), *B = source32(W, I, 1);
  U32 *Result = resultRow(W, I);
  U64 Mask = W.laneMask(I.MaskSrc);
  for (unsigned Half = 0; Half != 64; Half += 32) {
    U32 Bits = U32(Mask >> Half);
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != 32; ++L) {
      U32 Chosen = laneSelector(Bits, L);
      Result[Half + L] = (B[Half + L] & Chosen) | (A[Half + L] & ~Chosen);
    }
  }
  finishRow(W, I, Result);
}

constexpr Operation Rows[] = {
    carry<Step::Add, false>("v_add_co_u32"),
    carry<Step::Sub, false>("v_sub_co_u32"),
    carry<Step::SubRev, false>("v_subrev_co_u32"),
    carry<Step::Add, true>("v_addc_co_u32"),
    carry<Step::Sub, true>("v_subb_co_u32"),
    carry<Step::SubRev, true>("v_subbrev_co_u32"),
    mad<U32, U64>("v_mad_u64_u32"),
    mad<I32, I64>("v_mad_i64_i32"),
    {"v_cndmask_b32",
     conditionalMask,
     ValueType::B32,
     {ValueType::B32, ValueType::B32}},
    {"v_cndmask_b16",
     conditionalMask,
     ValueType::U16,
     {ValueType::U16, ValueType::U16}},
};

} // namespace

std::span<const Operation> carryRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
