// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of packed elements with a 32-bit accumulator.
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/HalfSelect.h"
#include "emulator/isa/Operands.h"
#include "emulator/isa/Saturate.h"
#include "emulator/isa/SmallFloat.h"
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

/// Of halves, which have selectors.
template <bool Signed, bool Saturating>
void selectedIntegers(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  const U32 *A = source32(W, I, 0), *B = source32(W, I, 1);
  const U32 *C = source32(W, I, 2);
  HalfSelect SelectA(I.Src[0], false), SelectB(I.Src[1], false);
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != NumLanes; ++L) {
    U32 X = SelectA.low(A[L]) | SelectA.high(A[L]) << 16;
    U32 Y = SelectB.low(B[L]) | SelectB.high(B[L]) << 16;
    Result[L] = Saturating ? saturating<16, Signed>(X, Y, C[L])
                           : wrapping<16, Signed>(X, Y, C[L]);
  }
  writeBack(W, I);
}
template <bool Signed>
constexpr Operation selectedIntegersRow(const char *Name) {
  Operation Op{Name,
               selectedIntegers<Signed, false>,
               ValueType::U32,
               {ValueType::Pk16, ValueType::Pk16, ValueType::Pk16}};
  Op.Saturating = selectedIntegers<Signed, true>;
  return Op;
}

/// Each source signed or not as its neg bit says.
template <unsigned Bits, bool Saturating>
void mixedDot(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  const U32 *A = source32(W, I, 0), *B = source32(W, I, 1);
  const U32 *C = source32(W, I, 2);
  bool SignedA = I.Src[0].Modifiers & Negate;
  bool SignedB = I.Src[1].Modifiers & Negate;
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != NumLanes; ++L) {
    I64 Sum = I32(C[L]);
    for (unsigned N = 0; N != 32 / Bits; ++N)
      Sum += (SignedA ? element<Bits, true>(A[L], N)
                      : element<Bits, false>(A[L], N)) *
             (SignedB ? element<Bits, true>(B[L], N)
                      : element<Bits, false>(B[L], N));
    Result[L] = Saturating ? U32(saturate<I32>(Sum)) : U32(Sum);
  }
  writeBack(W, I);
}
template <unsigned Bits> constexpr Operation mixedRow(const char *Name) {
  Operation Op{Name,
               mixedDot<Bits, false>,
               ValueType::U32,
               {ValueType::U32, ValueType::U32, ValueType::U32}};
  Op.Saturating = mixedDot<Bits, true>;
  Op.OwnSelect = true;
  return Op;
}

F32 brain(U32 Bits) { return fromBits<F32>(Bits << 16); }

F32 brainDot(U32 A, U32 B, F32 C) {
  C += brain(A) * brain(B);
  C += brain(A >> 16) * brain(B >> 16);
  return C;
}
/// CDNA 4 adds the accumulator last.
F32 brainDotLate(U32 A, U32 B, F32 C) {
  F32 Sum = brain(A) * brain(B);
  Sum += brain(A >> 16) * brain(B >> 16);
  return Sum + C;
}

/// Products of eight-bit floats are exact.
template <SmallFormat A, SmallFormat B> void byteDot(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  const U32 *X = source32(W, I, 0), *Y = source32(W, I, 1);
  const U32 *C = source32(W, I, 2);
  U32 Keep = I.Src[2].Modifiers & Absolute ? 0x7fffffff : ~U32(0);
  U32 Flip = I.Src[2].Modifiers & Negate ? 0x80000000 : 0;
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != NumLanes; ++L) {
    F32 Sum = fromBits<F32>((C[L] & Keep) ^ Flip);
    for (unsigned N = 0; N != 32; N += 8)
      Sum += F32(decodeSmall(A, X[L] >> N & 0xff)) *
             F32(decodeSmall(B, Y[L] >> N & 0xff));
    Result[L] = toBits(Sum);
  }
  writeBack(W, I);
}
template <SmallFormat A, SmallFormat B>
constexpr Operation byteDotRow(const char *Name) {
  Operation Op{Name,
               byteDot<A, B>,
               ValueType::F32,
               {ValueType::U32, ValueType::U32, ValueType::U32}};
  Op.OwnSelect = true;
  return Op;
}

/// The exact a * b + c of bfloats, cut to odd so that it can be rounded again.
F64 fusedToOdd(F64 A, F64 B, F64 C) {
  F64 Product = A * B; // exact
  F64 Sum = Product + C, Other = Sum - Product;
  F64 Rest = (Product - (Sum - Other)) + (C - Other);
  U64 Bits = bitsOf(Sum);
  if (Rest == Rest && Rest != 0 && !(Bits & 1))
    Bits += (Rest > 0) == (Sum > 0) ? 1 : ~U64(0);
  return fromFloatBits<F64>(Bits);
}
/// Two steps in the accumulator's own precision. The long form's signs apply
/// to both halves of a source.
template <bool IsBrain> void narrowDot(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  const U32 *Sources[] = {source32(W, I, 0), source32(W, I, 1),
                          source32(W, I, 2)};
  U32 Keep[3], Flip[3];
  for (unsigned N = 0; N != 3; ++N) {
    Keep[N] = I.Src[N].Modifiers & Absolute ? 0x7fff7fff : ~U32(0);
    Flip[N] = I.Src[N].Modifiers & Negate ? 0x80008000 : 0;
  }
  unsigned From = I.Src[2].Modifiers & OpSel ? 16 : 0;
  unsigned To = I.Src[0].Modifiers & OpSelHi ? 16 : 0;
  const U32 *Old = W.vgpr(I.Dst.Reg);
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != NumLanes; ++L) {
    U32 V[3];
    for (unsigned N = 0; N != 3; ++N)
      V[N] = (Sources[N][L] & Keep[N]) ^ Flip[N];
    U32 Sum = V[2] >> From & 0xffff;
    for (unsigned N = 0; N != 32; N += 16)
      if constexpr (IsBrain)
        Sum = encodeSmall(
            BrainFloat,
            fusedToOdd(brain(V[0] >> N), brain(V[1] >> N), brain(Sum)), false);
      else
        Sum = toBits(fmaHalf(fromBits<F16>(V[0] >> N), fromBits<F16>(V[1] >> N),
                             fromBits<F16>(Sum)));
    Result[L] = (Old[L] & ~(U32(0xffff) << To)) | Sum << To;
  }
  writeMasked(W.vgpr(I.Dst.Reg), Result, writableLanes(W, I));
}
constexpr Operation narrowDotRow(const char *Name, Handler Fn, uint8_t Mode) {
  Operation Op{Name,
               Fn,
               ValueType::U32,
               {ValueType::U32, ValueType::U32, ValueType::U32}};
  Op.OwnSelect = true;
  Op.FloatMode = Mode;
  return Op;
}

F32 halfDot(U32 A, U32 B, F32 C) {
  C += F32(fromBits<F16>(A)) * F32(fromBits<F16>(B));
  C += F32(fromBits<F16>(A >> 16)) * F32(fromBits<F16>(B >> 16));
  return C;
}

/// The long form has selectors and signs. The accumulator is one float: neg_lo
/// negates it, and it has no upper half for neg_hi (a compiler that negates it
/// sets both bits).
template <auto Dot, auto LateDot = Dot>
void selectedDot(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  const U32 *A = source32(W, I, 0), *B = source32(W, I, 1);
  const U32 *C = source32(W, I, 2);
  HalfSelect SelectA(I.Src[0], true), SelectB(I.Src[1], true);
  U32 Sign = I.Src[2].Modifiers & Negate ? 0x80000000 : 0;
  U32 *Result = W.Thread->Scratch.Result[0];
  bool Late = W.T->DotAddsLate;
  for (unsigned L = 0; L != NumLanes; ++L) {
    U32 X = SelectA.low(A[L]) | SelectA.high(A[L]) << 16;
    U32 Y = SelectB.low(B[L]) | SelectB.high(B[L]) << 16;
    F32 Addend = fromBits<F32>(C[L] ^ Sign);
    Result[L] = toBits(Late ? LateDot(X, Y, Addend) : Dot(X, Y, Addend));
  }
  writeBack(W, I);
}

#define DOT(Name, Bits, Signed)                                                \
  vopSat<wrapping<Bits, Signed>, saturating<Bits, Signed>>(Name)

constexpr Operation Rows[] = {
    selectedIntegersRow<true>("v_dot2_i32_i16"),
    DOT("v_dot2c_i32_i16", 16, true),
    selectedIntegersRow<false>("v_dot2_u32_u16"),
    DOT("v_dot4_i32_i8", 8, true),
    DOT("v_dot4c_i32_i8", 8, true),
    DOT("v_dot4_u32_u8", 8, false),
    DOT("v_dot8_i32_i4", 4, true),
    DOT("v_dot8c_i32_i4", 4, true),
    DOT("v_dot8_u32_u4", 4, false),
    {"v_dot2_f32_f16",
     selectedDot<halfDot>,
     ValueType::F32,
     {ValueType::Pk16, ValueType::Pk16, ValueType::Pk16}},
    {"v_dot2_f32_bf16",
     selectedDot<brainDot, brainDotLate>,
     ValueType::F32,
     {ValueType::Pk16, ValueType::Pk16, ValueType::Pk16}},
    vop<halfDot>("v_dot2c_f32_f16"),
    vop<brainDot>("v_dot2c_f32_bf16"),
    mixedRow<8>("v_dot4_i32_iu8"),
    mixedRow<4>("v_dot8_i32_iu4"),
    byteDotRow<Fp8, Fp8>("v_dot4_f32_fp8_fp8"),
    byteDotRow<Fp8, Bf8>("v_dot4_f32_fp8_bf8"),
    byteDotRow<Bf8, Fp8>("v_dot4_f32_bf8_fp8"),
    byteDotRow<Bf8, Bf8>("v_dot4_f32_bf8_bf8"),
    narrowDotRow("v_dot2_f16_f16", narrowDot<false>, 2),
    narrowDotRow("v_dot2_bf16_bf16", narrowDot<true>, 4),
};

} // namespace

std::span<const Operation> dotRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
