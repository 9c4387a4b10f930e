// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products with an accumulator.
#include "VectorReference.h"
#include <algorithm>

namespace luthier::test {

namespace {

using C = LaneCase;
using enum Kind;

int64_t element(uint64_t Packed, int N, int Bits, bool Signed) {
  int64_t Value = int64_t(Packed >> (N * Bits)) & ((int64_t(1) << Bits) - 1);
  return Signed && Value >> (Bits - 1) ? Value - (int64_t(1) << Bits) : Value;
}
int64_t sumOfProducts(const C &L, int Bits, bool SignedA, bool SignedB) {
  int64_t Sum = 0;
  for (int N = 0; N != 32 / Bits; ++N)
    Sum +=
        element(L.S[0], N, Bits, SignedA) * element(L.S[1], N, Bits, SignedB);
  return Sum;
}
template <int Bits> uint64_t signedDot(C &L) {
  int64_t Sum = sumOfProducts(L, Bits, true, true) + L.i32(2);
  return uint32_t(L.Clamp ? std::clamp<int64_t>(Sum, INT32_MIN, INT32_MAX)
                          : Sum);
}
template <int Bits> uint64_t unsignedDot(C &L) {
  int64_t Sum = sumOfProducts(L, Bits, false, false) + int64_t(L.S[2]);
  return uint32_t(L.Clamp ? std::min<int64_t>(Sum, 0xffffffff) : Sum);
}
template <int Bits> uint64_t mixedDot(C &L) {
  int64_t Sum = sumOfProducts(L, Bits, L.OpSel & 1, L.OpSel & 2) + L.i32(2);
  return uint32_t(L.Clamp ? std::clamp<int64_t>(Sum, INT32_MIN, INT32_MAX)
                          : Sum);
}
template <auto Dot> uint64_t intoOld(C &L) {
  L.S[2] = L.Old;
  return Dot(L);
}

/// Products are exact in a float, unless they are out of its range.
uint64_t productOf(const C &L, const Format &F, int N) {
  auto Part = [&](int Source) {
    uint64_t Bits = L.S[Source] >> (16 * N) & 0xffff;
    return convert(F, Single, Bits, {}, {});
  };
  return multiply(Single, Part(0), Part(1), L.Single);
}
template <bool IsBrain> uint64_t floatDot(C &L) {
  const Format &F = IsBrain ? Bfloat : Half;
  uint64_t Sum = L.S[2];
  for (int N = 0; N != 2; ++N)
    Sum = add(Single, Sum, productOf(L, F, N), L.Single);
  return Sum;
}
/// In the CDNA 4 manual, bfloat products come first.
uint64_t brainDot(C &L) {
  if (L.Generation >= 10)
    return floatDot<true>(L);
  uint64_t Sum =
      add(Single, productOf(L, Bfloat, 0), productOf(L, Bfloat, 1), L.Single);
  return add(Single, Sum, L.S[2], L.Single);
}
/// Each step rounds to the narrow accumulator once.
template <bool IsBrain> uint64_t narrowDot(C &L) {
  const Format &F = IsBrain ? Bfloat : Half;
  FloatRules R = IsBrain ? FloatRules{} : L.Double;
  if (!IsBrain) // see the note in the accuracy document
    R.KeepDenormalSources = R.KeepDenormalResults = true;
  uint64_t Sum = L.S[2] >> (L.OpSel & 4 ? 16 : 0) & 0xffff;
  for (int N = 0; N != 2; ++N)
    Sum = fusedMultiplyAdd(F, L.S[0] >> (16 * N) & 0xffff,
                           L.S[1] >> (16 * N) & 0xffff, Sum, R);
  unsigned To = L.OpSel & 8 ? 16 : 0;
  return (L.Old & ~(uint64_t(0xffff) << To)) | Sum << To;
}

/// A byte as a float: four or five bits of exponent. The first has no
/// infinities, and all ones is NaN.
uint64_t byteToSingle(uint64_t Byte, bool FiveBits) {
  const Format F = FiveBits ? Format{5, 2} : Format{4, 3};
  if (!FiveBits && (Byte & 0x7f) == 0x7f)
    return Single.quietNan();
  if (FiveBits)
    return convert(F, Single, Byte, {}, {});
  return round(Single, exactOf(F, Byte));
}
template <bool FiveA, bool FiveB> uint64_t byteDot(C &L) {
  uint64_t Sum = L.S[2];
  for (int N = 0; N != 32; N += 8)
    Sum = add(Single, Sum,
              multiply(Single, byteToSingle(L.S[0] >> N & 255, FiveA),
                       byteToSingle(L.S[1] >> N & 255, FiveB), L.Single),
              L.Single);
  return Sum;
}

const VectorRow Rows[] = {
    {"v_dot2_i32_i16", I32, {PkU16, PkU16, I32}, signedDot<16>, Saturates},
    {"v_dot2_u32_u16", U32, {PkU16, PkU16, U32}, unsignedDot<16>, Saturates},
    {"v_dot4_i32_i8",
     I32,
     {U32, U32, I32},
     signedDot<8>,
     Saturates | Vop3p | UpToGfx10},
    {"v_dot4_u32_u8", U32, {U32, U32, U32}, unsignedDot<8>, Saturates | Vop3p},
    {"v_dot8_i32_i4",
     I32,
     {U32, U32, I32},
     signedDot<4>,
     Saturates | Vop3p | UpToGfx10},
    {"v_dot8_u32_u4", U32, {U32, U32, U32}, unsignedDot<4>, Saturates | Vop3p},
    {"v_dot4_i32_iu8",
     I32,
     {U32, U32, I32},
     mixedDot<8>,
     Saturates | Vop3p | SignSelect},
    {"v_dot8_i32_iu4",
     I32,
     {U32, U32, I32},
     mixedDot<4>,
     Saturates | Vop3p | SignSelect},
    {"v_dot2c_i32_i16", I32, {U32, U32}, intoOld<signedDot<16>>, Accumulates},
    {"v_dot4c_i32_i8", I32, {U32, U32}, intoOld<signedDot<8>>, Accumulates},
    {"v_dot8c_i32_i4", I32, {U32, U32}, intoOld<signedDot<4>>, Accumulates},

    {"v_dot2_f32_f16", F32, {PkF16, PkF16, F32}, floatDot<false>, OtherNan},
    {"v_dot2_f32_bf16", F32, {PkBf16, PkBf16, F32}, brainDot, OtherNan},
    {"v_dot2c_f32_f16",
     F32,
     {U32, U32},
     intoOld<floatDot<false>>,
     Accumulates | OtherNan | NoModifiers},
    {"v_dot2acc_f32_f16",
     F32,
     {U32, U32},
     intoOld<floatDot<false>>,
     Accumulates | OtherNan | NoModifiers},
    {"v_dot2c_f32_bf16",
     F32,
     {U32, U32},
     intoOld<floatDot<true>>,
     Accumulates | OtherNan | NoModifiers},
    {"v_dot2_f16_f16",
     U32,
     {U32, U32, U32},
     narrowDot<false>,
     OwnOpSel | NarrowNans | NoModifiers},
    {"v_dot2_bf16_bf16",
     U32,
     {U32, U32, U32},
     narrowDot<true>,
     OwnOpSel | NarrowNans | NoModifiers},
    {"v_dot4_f32_fp8_fp8",
     F32,
     {U32, U32, F32},
     byteDot<false, false>,
     Vop3p | OtherNan | NoModifiers},
    {"v_dot4_f32_fp8_bf8",
     F32,
     {U32, U32, F32},
     byteDot<false, true>,
     Vop3p | OtherNan | NoModifiers},
    {"v_dot4_f32_bf8_fp8",
     F32,
     {U32, U32, F32},
     byteDot<true, false>,
     Vop3p | OtherNan | NoModifiers},
    {"v_dot4_f32_bf8_bf8",
     F32,
     {U32, U32, F32},
     byteDot<true, true>,
     Vop3p | OtherNan | NoModifiers},
};

} // namespace

std::span<const VectorRow> dotRows() { return Rows; }

} // namespace luthier::test
