// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves, selects, logic, shifts and bit fields of vector lanes.
#include "emulator/isa/Operands.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

U32 extractUnsigned(U32 A, U32 Offset, U32 Width) {
  Width &= 31;
  return (A >> (Offset & 31)) & ((U32(1) << Width) - 1);
}
U32 extractSigned(U32 A, U32 Offset, U32 Width) {
  Width &= 31;
  U32 Field = U32(I32(A) >> (Offset & 31));
  // A width of zero gives zero, not a shift by 32.
  return Width ? U32(I32(Field << (32 - Width)) >> (32 - Width)) : 0;
}

/// One byte of v_perm: 0-7 pick a byte, 8-11 a sign, 12 is 0, others ff.
U32 permuteByte(U64 Bytes, U32 Select) {
  U32 Picked = U32(Bytes >> (8 * (Select & 7))) & 0xff;
  U32 Sign = (Bytes >> (16 * (Select & 3) + 15) & 1) ? 0xff : 0;
  U32 Constant = Select == 12 ? 0 : 0xff;
  return Select < 8 ? Picked : Select < 12 ? Sign : Constant;
}
U32 permuteBytes(U32 A, U32 B, U32 Select) {
  U64 Bytes = U64(A) << 32 | B;
  U32 Result = 0;
  for (unsigned N = 0; N != 4; ++N)
    Result |= permuteByte(Bytes, Select >> (8 * N) & 0xff) << (8 * N);
  return Result;
}

I32 highestSet(U32 A) { return A ? std::countl_zero(A) : -1; }

/// Bit N of the immediate is the result for source bits that spell N.
template <class T> void truthTable(Wave &W, const Inst &I) {
  if (!W.exec())
    return;
  Lanes<T> A(W, I, 0), B(W, I, 1), C(W, I, 2);
  U32 *Result = W.Thread->Scratch.Result[0];
  std::memset(Result, 0, NumLanes * sizeof(U32));
  for (unsigned N = 0; N != 8; ++N) {
    if (!(I.Immediate >> N & 1))
      continue;
    U32 FlipA = N & 4 ? 0 : ~U32(0), FlipB = N & 2 ? 0 : ~U32(0);
    U32 FlipC = N & 1 ? 0 : ~U32(0);
    LUTHIER_LANE_LOOP
    for (unsigned L = 0; L != NumLanes; ++L)
      Result[L] |= toBits(T((A[L] ^ FlipA) & (B[L] ^ FlipB) & (C[L] ^ FlipC)));
  }
  writeBack(W, I);
}
template <class T> constexpr Operation truthTableRow(const char *Name) {
  constexpr ValueType V = valueType<T>();
  return {Name, truthTable<T>, V, {V, V, V}};
}

constexpr Operation Rows[] = {
    truthTableRow<U32>("v_bitop3_b32"),
    keepsHigh(truthTableRow<U16>("v_bitop3_b16")),
    vop<[](B32 A) { return A; }>("v_mov_b32"),
    vop<[](U64 A) { return A; }>("v_mov_b64"),
    vop<[](U32 A) { return A; }>("v_accvgpr_read_b32"),
    vop<[](U32 A) { return A; }>("v_accvgpr_write_b32"),
    vop<[](U32 A) { return A; }>("v_accvgpr_mov_b32"),
    vop<[](U32 A) { return ~A; }>("v_not_b32"),
    vop<[](U16 A) { return A; }>("v_mov_b16"),
    vop<[](U16 A) { return U16(~A); }>("v_not_b16"),
    vop<[](U32 A) { return __builtin_bitreverse32(A); }>("v_bfrev_b32"),
    vop<highestSet>("v_ffbh_u32"),
    vop<[](U32 A) { return A ? I32(std::countr_zero(A)) : -1; }>("v_ffbl_b32"),
    vop<[](I32 A) { return highestSet(U32(A ^ (A >> 31))); }>("v_ffbh_i32"),
    vop<[](U32 A, U32 B) { return U32(std::popcount(A)) + B; }>(
        "v_bcnt_u32_b32"),

    vop<[](U32 A, U32 B) { return A & B; }>("v_and_b32"),
    vop<[](U32 A, U32 B) { return A | B; }>("v_or_b32"),
    vop<[](U32 A, U32 B) { return A ^ B; }>("v_xor_b32"),
    vop<[](U32 A, U32 B) { return ~(A ^ B); }>("v_xnor_b32"),
    vop<[](U16 A, U16 B) { return U16(A & B); }>("v_and_b16"),
    vop<[](U16 A, U16 B) { return U16(A | B); }>("v_or_b16"),
    vop<[](U16 A, U16 B) { return U16(A ^ B); }>("v_xor_b16"),
    vop<[](U32 A, U32 B, U32 C) { return A ^ B ^ C; }>("v_xor3_b32"),
    // One step of a feedback shift register.
    vop<[](U32 A) { return A << 1 ^ (A >> 31 ? 197u : 0u); }>("v_prng_b32"),
    vop<[](U32 A, U32 B, U32 C) { return A | B | C; }>("v_or3_b32"),
    vop<[](U32 A, U32 B, U32 C) { return (A & B) | C; }>("v_and_or_b32"),
    vop<[](U32 A, U32 B, U32 C) { return A << (B & 31) | C; }>("v_lshl_or_b32"),
    vop<[](U32 A, U32 B, U32 C) { return (A & B) | (~A & C); }>("v_bfi_b32"),
    vop<extractUnsigned>("v_bfe_u32"),
    vop<extractSigned>("v_bfe_i32"),
    vop<[](U32 A, U32 B) { return ((U32(1) << (A & 31)) - 1) << (B & 31); }>(
        "v_bfm_b32"),

    vop<[](U32 A, U32 B) { return B << (A & 31); }>("v_lshlrev_b32"),
    vop<[](U32 A, U32 B) { return B >> (A & 31); }>("v_lshrrev_b32"),
    vop<[](U32 A, I32 B) { return B >> (A & 31); }>("v_ashrrev_i32"),
    vop<[](U32 A, U64 B) { return B << (A & 63); }>("v_lshlrev_b64"),
    vop<[](U32 A, U64 B) { return B >> (A & 63); }>("v_lshrrev_b64"),
    vop<[](U32 A, I64 B) { return B >> (A & 63); }>("v_ashrrev_i64"),
    vop<[](U32 A, U32 B, U32 C) {
      return U32((U64(A) << 32 | B) >> (C & 31));
    }>("v_alignbit_b32"),
    vop<[](U32 A, U32 B, U32 C) {
      return U32((U64(A) << 32 | B) >> (8 * (C & 3)));
    }>("v_alignbyte_b32"),
    vop<permuteBytes>("v_perm_b32"),
};

} // namespace

std::span<const Operation> bitRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
