// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar arithmetic, logic and comparison (SOP1, SOP2, SOPC, SOPK).
#include "emulator/isa/Scalar.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

template <class T> unsigned widthOf() { return sizeof(T) * 8; }

/// Results of logic operations set SCC when they are not zero.
template <class T> T nonZero(T Value, Scc C) {
  C = Value != 0;
  return Value;
}

template <class T> T wholeQuads(T Value) {
  T Any = Value | Value >> 1;
  Any = (Any | Any >> 2) & T(0x1111111111111111);
  return Any * 15;
}

template <class T> T quadMask(T Value) {
  T Result = 0;
  for (unsigned Q = 0; Q != widthOf<T>() / 4; ++Q)
    Result |= T((Value >> (4 * Q) & 15) != 0) << Q;
  return Result;
}

template <class T> T reverseBits(T Value) {
  if constexpr (sizeof(T) == 8)
    return __builtin_bitreverse64(Value);
  else
    return __builtin_bitreverse32(Value);
}

template <class T> I32 firstOne(T Value) {
  return Value ? std::countr_zero(Value) : -1;
}
template <class T> I32 leadingZeros(T Value) {
  return Value ? std::countl_zero(Value) : -1;
}
/// Position, from the top, of the first bit that differs from the sign.
template <class T> I32 leadingSigns(T Value) {
  T Changes = Value ^ (T(0) - (Value >> (widthOf<T>() - 1)));
  return leadingZeros(Changes);
}

/// Offset and width packed in one operand: [5:0] and [22:16].
template <class T, class S> T bitField(T Value, U32 Control) {
  unsigned Offset = Control & (widthOf<T>() - 1);
  unsigned Width = Control >> 16 & 0x7f;
  if (Width == 0)
    return 0;
  T Field = Value >> Offset;
  if constexpr (std::is_signed_v<S>)
    Field = T(S(Value) >> Offset);
  if (Width >= widthOf<T>())
    return Field;
  if constexpr (std::is_signed_v<S>) {
    // The field ends at the top of the register at the latest.
    return T(S(Field << (widthOf<T>() - Width)) >> (widthOf<T>() - Width));
  }
  return Field & ((T(1) << Width) - 1);
}

template <unsigned Shift> U32 shiftAdd(U32 A, U32 B, Scc C) {
  U64 Sum = (U64(A) << Shift) + B;
  C = Sum >> 32;
  return U32(Sum);
}

/// EXEC, or its low half.
template <class T> T execOf(const Wave &W) { return T(W.s64(sreg::Exec)); }
template <class T> void setExec(Wave &W, T Value) {
  if constexpr (sizeof(T) == 8)
    W.setS64(sreg::Exec, Value);
  else
    W.S[sreg::Exec] = Value;
}
/// Saves EXEC, then replaces it by a function of it and the source.
template <class T, auto F> void saveExec(Wave &W, const Inst &I) {
  T Exec = execOf<T>(W), New = F(scalarSource<T>(W, I, 0), Exec);
  scalarResult<T>(W, I, Exec);
  setExec(W, New);
  W.scc() = New != 0;
}
/// Writes the new EXEC to the destination too.
template <class T, auto F> void writeExec(Wave &W, const Inst &I) {
  T New = F(scalarSource<T>(W, I, 0), execOf<T>(W));
  scalarResult<T>(W, I, New);
  setExec(W, New);
  W.scc() = New != 0;
}
#define EXEC(Name, Function, Expression)                                       \
  {"s_" Name "_b32",                                                           \
   Function<U32, [](U32 S, U32 E) { return U32(Expression); }>,                \
   ValueType::U32,                                                             \
   {ValueType::U32}},                                                          \
  {                                                                            \
    "s_" Name "_b64",                                                          \
        Function<U64, [](U64 S, U64 E) { return U64(Expression); }>,           \
        ValueType::U64, {                                                      \
      ValueType::U64                                                           \
    }                                                                          \
  }

/// The destination is also a source: bit set and clear.
template <class T, bool Set> void changeBit(Wave &W, const Inst &I) {
  T Bit = T(1) << (scalar32(W, I.Src[0]) & (widthOf<T>() - 1));
  T Old = sizeof(T) == 8 ? T(W.s64(I.Dst.Reg)) : T(W.S[I.Dst.Reg]);
  scalarResult<T>(W, I, Set ? Old | Bit : Old & ~Bit);
}

template <class T> void conditionalMove(Wave &W, const Inst &I) {
  if (W.scc())
    scalarResult<T>(W, I, scalarSource<T>(W, I, 0));
}

/// False, with a fault, when the register is not the wave's.
template <class T> bool isAllocated(Wave &W, U64 Reg) {
  if (Reg + sizeof(T) / 4 <= (W.Limits >> 32 & 0xffff))
    return true;
  W.fault(ExecutionFault::Kind::InvalidDispatch,
          "relative SGPR is outside the allocation");
  return false;
}
/// Pairs begin with an even register.
template <class T> U64 relative(unsigned Base, U32 Offset) {
  return (U64(Base) + Offset) & ~U64(sizeof(T) / 4 - 1);
}
template <class T> void moveRelativeSource(Wave &W, const Inst &I) {
  U64 Reg = relative<T>(I.Src[0].Reg, W.m0());
  if (isAllocated<T>(W, Reg))
    scalarResult<T>(W, I, sizeof(T) == 8 ? T(W.s64(Reg)) : T(W.S[Reg]));
}
template <class T> void moveRelativeDst(Wave &W, const Inst &I) {
  U64 Reg = relative<T>(I.Dst.Reg, W.m0());
  if (!isAllocated<T>(W, Reg))
    return;
  T Value = scalarSource<T>(W, I, 0);
  std::memcpy(&W.S[Reg], &Value, sizeof(T));
}
/// Both numbers are relative, each to its own field of M0.
void moveRelativeBoth(Wave &W, const Inst &I) {
  U64 From = I.Src[0].Reg + (W.m0() & 0x3ff);
  U64 To = I.Dst.Reg + (W.m0() >> 16 & 0x3ff);
  if (isAllocated<U32>(W, From) && isAllocated<U32>(W, To))
    W.S[To] = W.S[From];
}

/// SOPK operations: the immediate is the second source.
template <auto F> void compareImmediate(Wave &W, const Inst &I) {
  W.scc() = F(W.S[I.Dst.Reg], U32(I.Immediate));
}
template <auto F> constexpr Operation compareK(const char *Name) {
  return {Name, compareImmediate<F>, ValueType::U32};
}
void moveImmediate(Wave &W, const Inst &I) {
  W.S[I.Dst.Reg] = U32(I16(I.Immediate));
}
void conditionalMoveImmediate(Wave &W, const Inst &I) {
  if (W.scc())
    W.S[I.Dst.Reg] = U32(I16(I.Immediate));
}
void addImmediate(Wave &W, const Inst &I) {
  I32 Sum;
  W.scc() =
      __builtin_add_overflow(I32(W.S[I.Dst.Reg]), I32(I16(I.Immediate)), &Sum);
  W.S[I.Dst.Reg] = U32(Sum);
}
void multiplyImmediate(Wave &W, const Inst &I) {
  W.S[I.Dst.Reg] *= U32(I32(I16(I.Immediate)));
}
I32 asSigned(U32 Imm) { return I16(Imm); }
U32 asUnsigned(U32 Imm) { return U16(Imm); }

// Generic forms; the tables below give each its operand width.
template <class T> T andOp(T A, T B, Scc C) { return nonZero<T>(A & B, C); }
template <class T> T orOp(T A, T B, Scc C) { return nonZero<T>(A | B, C); }
template <class T> T xorOp(T A, T B, Scc C) { return nonZero<T>(A ^ B, C); }
template <class T> T andNotOp(T A, T B, Scc C) { return nonZero<T>(A & ~B, C); }
template <class T> T orNotOp(T A, T B, Scc C) { return nonZero<T>(A | ~B, C); }
template <class T> T nandOp(T A, T B, Scc C) { return nonZero<T>(~(A & B), C); }
template <class T> T norOp(T A, T B, Scc C) { return nonZero<T>(~(A | B), C); }
template <class T> T xnorOp(T A, T B, Scc C) { return nonZero<T>(~(A ^ B), C); }
template <class T> T shiftLeft(T A, U32 B, Scc C) {
  return nonZero<T>(A << (B & (widthOf<T>() - 1)), C);
}
/// Arithmetic for signed T.
template <class T> T shiftRight(T A, U32 B, Scc C) {
  return nonZero<T>(A >> (B & (widthOf<T>() - 1)), C);
}
template <class T> T mask(U32 A, U32 B, Scc) {
  constexpr U32 Bits = sizeof(T) * 8 - 1;
  return ((T(1) << (A & Bits)) - 1) << (B & Bits);
}
template <class T> T select(T A, T B, Scc C) { return C ? A : B; }
template <class T, class S> T extract(T A, U32 B, Scc C) {
  return nonZero<T>(bitField<T, S>(A, B), C);
}
template <class T, bool Value> void testBit(T A, U32 B, Scc C) {
  C = (A >> (B & (widthOf<T>() - 1)) & 1) == T(Value);
}
template <class T> T smaller(T A, T B, Scc C) {
  C = A < B;
  return A < B ? A : B;
}
template <class T> T larger(T A, T B, Scc C) {
  C = A > B;
  return A > B ? A : B;
}
template <class T> I32 countZeros(T A, Scc C) {
  return nonZero<I32>(std::popcount(T(~A)), C);
}
template <class T> I32 countOnes(T A, Scc C) {
  return nonZero<I32>(std::popcount(A), C);
}
U64 replicateBits(U32 A, Scc) {
  U64 Result = 0;
  for (unsigned B = 0; B != 32; ++B)
    Result |= U64(A >> B & 1) * (U64(3) << (2 * B));
  return Result;
}

constexpr Operation Rows[] = {
    // Moves and one-operand bit manipulation.
    sop<[](U32 A, Scc) { return A; }>("s_mov_b32"),
    sop<[](U64 A, Scc) { return A; }>("s_mov_b64"),
    {"s_cmov_b32", conditionalMove<U32>, ValueType::U32, {ValueType::U32}},
    {"s_cmov_b64", conditionalMove<U64>, ValueType::U64, {ValueType::U64}},
    sop<[](U32 A, Scc C) { return nonZero<U32>(~A, C); }>("s_not_b32"),
    sop<[](U64 A, Scc C) { return nonZero<U64>(~A, C); }>("s_not_b64"),
    sop<[](U32 A, Scc C) { return nonZero(wholeQuads(A), C); }>("s_wqm_b32"),
    sop<[](U64 A, Scc C) { return nonZero(wholeQuads(A), C); }>("s_wqm_b64"),
    sop<[](U32 A, Scc) { return reverseBits(A); }>("s_brev_b32"),
    sop<[](U64 A, Scc) { return reverseBits(A); }>("s_brev_b64"),
    sop<countZeros<U32>>("s_bcnt0_i32_b32"),
    sop<countZeros<U64>>("s_bcnt0_i32_b64"),
    sop<countOnes<U32>>("s_bcnt1_i32_b32"),
    sop<countOnes<U64>>("s_bcnt1_i32_b64"),
    sop<[](U32 A, Scc) { return firstOne<U32>(~A); }>("s_ff0_i32_b32"),
    sop<[](U64 A, Scc) { return firstOne<U64>(~A); }>("s_ff0_i32_b64"),
    sop<[](U32 A, Scc) { return firstOne(A); }>("s_ff1_i32_b32"),
    sop<[](U64 A, Scc) { return firstOne(A); }>("s_ff1_i32_b64"),
    sop<[](U32 A, Scc) { return leadingZeros(A); }>("s_flbit_i32_b32"),
    sop<[](U64 A, Scc) { return leadingZeros(A); }>("s_flbit_i32_b64"),
    sop<[](U32 A, Scc) { return leadingSigns(A); }>("s_flbit_i32"),
    sop<[](I64 A, Scc) { return leadingSigns(U64(A)); }>("s_flbit_i32_i64"),
    sop<[](U32 A, Scc) { return I32(int8_t(A)); }>("s_sext_i32_i8"),
    sop<[](U32 A, Scc) { return I32(I16(A)); }>("s_sext_i32_i16"),
    {"s_bitset0_b32", changeBit<U32, false>, ValueType::U32, {ValueType::U32}},
    {"s_bitset0_b64", changeBit<U64, false>, ValueType::U64, {ValueType::U32}},
    {"s_bitset1_b32", changeBit<U32, true>, ValueType::U32, {ValueType::U32}},
    {"s_bitset1_b64", changeBit<U64, true>, ValueType::U64, {ValueType::U32}},
    sop<[](U32 A, Scc C) { return nonZero(quadMask(A), C); }>("s_quadmask_b32"),
    sop<[](U64 A, Scc C) { return nonZero(quadMask(A), C); }>("s_quadmask_b64"),
    {"s_movrels_b32",
     moveRelativeSource<U32>,
     ValueType::U32,
     {ValueType::U32}},
    {"s_movrels_b64",
     moveRelativeSource<U64>,
     ValueType::U64,
     {ValueType::U64}},
    {"s_movreld_b32", moveRelativeDst<U32>, ValueType::U32, {ValueType::U32}},
    {"s_movreld_b64", moveRelativeDst<U64>, ValueType::U64, {ValueType::U64}},
    {"s_movrelsd_2_b32", moveRelativeBoth, ValueType::U32, {ValueType::U32}},
    sop<[](U32 A, Scc C) { return nonZero<U32>(I32(A) < 0 ? 0 - A : A, C); }>(
        "s_abs_i32"),
    sop<replicateBits>("s_bitreplicate_b64_b32"),

    // EXEC updates.
    EXEC("and_saveexec", saveExec, S &E),
    EXEC("or_saveexec", saveExec, S | E),
    EXEC("xor_saveexec", saveExec, S ^ E),
    EXEC("andn2_saveexec", saveExec, S & ~E),
    EXEC("orn2_saveexec", saveExec, S | ~E),
    EXEC("nand_saveexec", saveExec, ~(S &E)),
    EXEC("nor_saveexec", saveExec, ~(S | E)),
    EXEC("xnor_saveexec", saveExec, ~(S ^ E)),
    EXEC("andn1_saveexec", saveExec, ~S &E),
    EXEC("orn1_saveexec", saveExec, ~S | E),
    EXEC("andn1_wrexec", writeExec, ~S &E),
    EXEC("andn2_wrexec", writeExec, S & ~E),

    // Arithmetic.
    sop<[](U32 A, U32 B, Scc C) {
      C = A + B < A;
      return A + B;
    }>("s_add_u32"),
    sop<[](U32 A, U32 B, Scc C) {
      C = A < B;
      return A - B;
    }>("s_sub_u32"),
    sop<[](I32 A, I32 B, Scc C) {
      I32 R;
      C = __builtin_add_overflow(A, B, &R);
      return R;
    }>("s_add_i32"),
    sop<[](I32 A, I32 B, Scc C) {
      I32 R;
      C = __builtin_sub_overflow(A, B, &R);
      return R;
    }>("s_sub_i32"),
    sop<[](U32 A, U32 B, Scc C) {
      U64 R = U64(A) + B + C.Bit;
      C = R >> 32;
      return U32(R);
    }>("s_addc_u32"),
    sop<[](U32 A, U32 B, Scc C) {
      U64 R = U64(A) - B - C.Bit;
      C = R >> 63;
      return U32(R);
    }>("s_subb_u32"),
    sop<[](U64 A, U64 B, Scc) { return A + B; }>("s_add_nc_u64"),
    sop<[](U64 A, U64 B, Scc) { return A - B; }>("s_sub_nc_u64"),
    sop<[](U64 A, U64 B, Scc) { return A * B; }>("s_mul_u64"),
    sop<smaller<I32>>("s_min_i32"),
    sop<smaller<U32>>("s_min_u32"),
    sop<larger<I32>>("s_max_i32"),
    sop<larger<U32>>("s_max_u32"),
    sop<select<U32>>("s_cselect_b32"),
    sop<select<U64>>("s_cselect_b64"),
    sop<[](U32 A, U32 B, Scc) { return A * B; }>("s_mul_i32"),
    sop<[](U32 A, U32 B, Scc) { return U32(U64(A) * B >> 32); }>(
        "s_mul_hi_u32"),
    sop<[](I32 A, I32 B, Scc) { return U32(U64(I64(A) * B) >> 32); }>(
        "s_mul_hi_i32"),
    sop<[](I32 A, I32 B, Scc C) {
      U32 R = U32(A) - U32(B);
      return nonZero<U32>(I32(R) < 0 ? 0 - R : R, C);
    }>("s_absdiff_i32"),
    sop<shiftAdd<1>>("s_lshl1_add_u32"),
    sop<shiftAdd<2>>("s_lshl2_add_u32"),
    sop<shiftAdd<3>>("s_lshl3_add_u32"),
    sop<shiftAdd<4>>("s_lshl4_add_u32"),
    sop<[](U32 A, U32 B, Scc) { return (A & 0xffff) | B << 16; }>(
        "s_pack_ll_b32_b16"),
    sop<[](U32 A, U32 B, Scc) { return (A & 0xffff) | (B & 0xffff0000); }>(
        "s_pack_lh_b32_b16"),
    sop<[](U32 A, U32 B, Scc) { return A >> 16 | (B & 0xffff0000); }>(
        "s_pack_hh_b32_b16"),
    sop<[](U32 A, U32 B, Scc) { return A >> 16 | B << 16; }>(
        "s_pack_hl_b32_b16"),

    // Logic and shifts.
    sop<andOp<U32>>("s_and_b32"),
    sop<andOp<U64>>("s_and_b64"),
    sop<orOp<U32>>("s_or_b32"),
    sop<orOp<U64>>("s_or_b64"),
    sop<xorOp<U32>>("s_xor_b32"),
    sop<xorOp<U64>>("s_xor_b64"),
    sop<andNotOp<U32>>("s_andn2_b32"),
    sop<andNotOp<U64>>("s_andn2_b64"),
    sop<orNotOp<U32>>("s_orn2_b32"),
    sop<orNotOp<U64>>("s_orn2_b64"),
    sop<nandOp<U32>>("s_nand_b32"),
    sop<nandOp<U64>>("s_nand_b64"),
    sop<norOp<U32>>("s_nor_b32"),
    sop<norOp<U64>>("s_nor_b64"),
    sop<xnorOp<U32>>("s_xnor_b32"),
    sop<xnorOp<U64>>("s_xnor_b64"),
    sop<shiftLeft<U32>>("s_lshl_b32"),
    sop<shiftLeft<U64>>("s_lshl_b64"),
    sop<shiftRight<U32>>("s_lshr_b32"),
    sop<shiftRight<U64>>("s_lshr_b64"),
    sop<shiftRight<I32>>("s_ashr_i32"),
    sop<shiftRight<I64>>("s_ashr_i64"),
    sop<mask<U32>>("s_bfm_b32"),
    sop<mask<U64>>("s_bfm_b64"),
    sop<extract<U32, U32>>("s_bfe_u32"),
    sop<extract<U32, I32>>("s_bfe_i32"),
    sop<extract<U64, U64>>("s_bfe_u64"),
    sop<extract<U64, I64>>("s_bfe_i64"),

    // Comparisons.
    sop<[](U32 A, U32 B, Scc C) { C = A == B; }>("s_cmp_eq_i32"),
    sop<[](U32 A, U32 B, Scc C) { C = A != B; }>("s_cmp_lg_i32"),
    sop<[](I32 A, I32 B, Scc C) { C = A > B; }>("s_cmp_gt_i32"),
    sop<[](I32 A, I32 B, Scc C) { C = A >= B; }>("s_cmp_ge_i32"),
    sop<[](I32 A, I32 B, Scc C) { C = A < B; }>("s_cmp_lt_i32"),
    sop<[](I32 A, I32 B, Scc C) { C = A <= B; }>("s_cmp_le_i32"),
    sop<[](U32 A, U32 B, Scc C) { C = A == B; }>("s_cmp_eq_u32"),
    sop<[](U32 A, U32 B, Scc C) { C = A != B; }>("s_cmp_lg_u32"),
    sop<[](U32 A, U32 B, Scc C) { C = A > B; }>("s_cmp_gt_u32"),
    sop<[](U32 A, U32 B, Scc C) { C = A >= B; }>("s_cmp_ge_u32"),
    sop<[](U32 A, U32 B, Scc C) { C = A < B; }>("s_cmp_lt_u32"),
    sop<[](U32 A, U32 B, Scc C) { C = A <= B; }>("s_cmp_le_u32"),
    sop<[](U64 A, U64 B, Scc C) { C = A == B; }>("s_cmp_eq_u64"),
    sop<[](U64 A, U64 B, Scc C) { C = A != B; }>("s_cmp_lg_u64"),
    sop<testBit<U32, false>>("s_bitcmp0_b32"),
    sop<testBit<U32, true>>("s_bitcmp1_b32"),
    sop<testBit<U64, false>>("s_bitcmp0_b64"),
    sop<testBit<U64, true>>("s_bitcmp1_b64"),

    // With a 16-bit immediate.
    {"s_movk_i32", moveImmediate, ValueType::U32},
    {"s_cmovk_i32", conditionalMoveImmediate, ValueType::U32},
    {"s_addk_i32", addImmediate, ValueType::U32},
    {"s_mulk_i32", multiplyImmediate, ValueType::U32},
    compareK<[](U32 A, U32 K) { return I32(A) == asSigned(K); }>(
        "s_cmpk_eq_i32"),
    compareK<[](U32 A, U32 K) { return I32(A) != asSigned(K); }>(
        "s_cmpk_lg_i32"),
    compareK<[](U32 A, U32 K) { return I32(A) > asSigned(K); }>(
        "s_cmpk_gt_i32"),
    compareK<[](U32 A, U32 K) { return I32(A) >= asSigned(K); }>(
        "s_cmpk_ge_i32"),
    compareK<[](U32 A, U32 K) { return I32(A) < asSigned(K); }>(
        "s_cmpk_lt_i32"),
    compareK<[](U32 A, U32 K) { return I32(A) <= asSigned(K); }>(
        "s_cmpk_le_i32"),
    compareK<[](U32 A, U32 K) { return A == asUnsigned(K); }>("s_cmpk_eq_u32"),
    compareK<[](U32 A, U32 K) { return A != asUnsigned(K); }>("s_cmpk_lg_u32"),
    compareK<[](U32 A, U32 K) { return A > asUnsigned(K); }>("s_cmpk_gt_u32"),
    compareK<[](U32 A, U32 K) { return A >= asUnsigned(K); }>("s_cmpk_ge_u32"),
    compareK<[](U32 A, U32 K) { return A < asUnsigned(K); }>("s_cmpk_lt_u32"),
    compareK<[](U32 A, U32 K) { return A <= asUnsigned(K); }>("s_cmpk_le_u32"),
};

} // namespace

std::span<const Operation> scalarAluRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
