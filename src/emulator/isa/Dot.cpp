// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of packed elements with a 32-bit accumulator.
#include "emulator/isa/FloatMath.h"
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

/// Halves selected by op_sel are taken in their plain order: compilers leave
/// the selectors at their default for dot products.
F32 halfDot(U32 A, U32 B, F32 C) {
  F32 Low = F32(fromBits<F16>(A)) * F32(fromBits<F16>(B));
  F32 High = F32(fromBits<F16>(A >> 16)) * F32(fromBits<F16>(B >> 16));
  return High + (Low + C);
}

/// The accumulating forms have the same arithmetic.
#define DOT(Name, Accumulating, Bits, Signed)                                  \
  vopSat<wrapping<Bits, Signed>, saturating<Bits, Signed>>(Name),              \
      vopSat<wrapping<Bits, Signed>, saturating<Bits, Signed>>(Accumulating)

constexpr Operation Rows[] = {
    DOT("v_dot2_i32_i16", "v_dot2c_i32_i16", 16, true),
    DOT("v_dot2_u32_u16", "v_dot2c_u32_u16", 16, false),
    DOT("v_dot4_i32_i8", "v_dot4c_i32_i8", 8, true),
    DOT("v_dot4_u32_u8", "v_dot4c_u32_u8", 8, false),
    DOT("v_dot8_i32_i4", "v_dot8c_i32_i4", 4, true),
    DOT("v_dot8_u32_u4", "v_dot8c_u32_u4", 4, false),
    vop<halfDot>("v_dot2_f32_f16"),
    vop<halfDot>("v_dot2c_f32_f16"),
};

} // namespace

std::span<const Operation> dotRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
