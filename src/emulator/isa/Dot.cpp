// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of packed elements with a 32-bit accumulator.
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/HalfSelect.h"
#include "emulator/isa/Operands.h"
#include "emulator/isa/Saturate.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Element \p N of \p Bits bits.
template <unsigned Bits, bool Signed> I64 element(U32 Packed, unsigned N) {
  U32 Top = Packed << (32 - Bits - N * Bits);
  return Signed ? I64(I32(Top) >> (32 - Bits)) : I64(Top >> (32 - Bits));
}

template <unsigned Bits, bool Signed> I64 dot(U32 A, U32 B) {
  I64 Sum = 0;
  for (unsigned N = 0; N != 32 / Bits; ++N)
    Sum += element<Bits, Signed>(A, N) * element<Bits, Signed>(B, N);
  return Sum;
}

template <unsigned Bits, bool Signed> U32 wrapping(U32 A, U32 B, U32 C) {
  return U32(dot<Bits, Signed>(A, B)) + C;
}
template <unsigned Bits, bool Signed> U32 saturating(U32 A, U32 B, U32 C) {
  if constexpr (Signed)
    return U32(saturate<I32>(dot<Bits, true>(A, B) + I32(C)));
  else
    return saturate<U32>(dot<Bits, false>(A, B) + I64(C));
}

F32 halfDot(U32 A, U32 B, F32 C) {
  C += F32(fromBits<F16>(A)) * F32(fromBits<F16>(B));
  C += F32(fromBits<F16>(A >> 16)) * F32(fromBits<F16>(B >> 16));
  return C;
}

/// The long form has selectors and signs; those of the accumulator are a
/// float's.
void selectedHalfDot(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  const U32 *A = source32(W, I, 0), *B = source32(W, I, 1);
  const U32 *C = source32(W, I, 2);
  HalfSelect SelectA(I.Src[0], true), SelectB(I.Src[1], true);
  U32 Sign = I.Src[2].Modifiers & Negate ? 0x80000000 : 0;
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != NumLanes; ++L)
    Result[L] = toBits(halfDot(SelectA.low(A[L]) | SelectA.high(A[L]) << 16,
                               SelectB.low(B[L]) | SelectB.high(B[L]) << 16,
                               fromBits<F32>(C[L] ^ Sign)));
  writeBack(W, I);
}

#define DOT(Name, Bits, Signed)                                                \
  vopSat<wrapping<Bits, Signed>, saturating<Bits, Signed>>(Name)

constexpr Operation Rows[] = {
    DOT("v_dot2_i32_i16", 16, true),
    DOT("v_dot2c_i32_i16", 16, true),
    DOT("v_dot2_u32_u16", 16, false),
    DOT("v_dot4_i32_i8", 8, true),
    DOT("v_dot4c_i32_i8", 8, true),
    DOT("v_dot4_u32_u8", 8, false),
    DOT("v_dot8_i32_i4", 4, true),
    DOT("v_dot8c_i32_i4", 4, true),
    DOT("v_dot8_u32_u4", 4, false),
    {"v_dot2_f32_f16",
     selectedHalfDot,
     ValueType::F32,
     {ValueType::Pk16, ValueType::Pk16, ValueType::Pk16}},
    vop<halfDot>("v_dot2c_f32_f16"),
};

} // namespace

std::span<const Operation> dotRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
