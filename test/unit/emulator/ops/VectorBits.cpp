// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves, selects, logic, shifts and bit fields.
#include "VectorReference.h"

namespace luthier::test {

namespace {

using C = LaneCase;
using enum Kind;

#define ROW(Name, D, A, B, X, Expr)                                            \
  {Name, D, {A, B, X}, [](C &L) -> uint64_t { return (Expr); }}
#define ROWT(Name, D, A, B, X, Traits, Expr)                                   \
  {Name, D, {A, B, X}, [](C &L) -> uint64_t { return (Expr); }, Traits}

/// Position of the first bit that equals \p Bit, counted from the top.
uint32_t fromTop(uint32_t V, bool Bit) {
  for (uint32_t N = 0; N != 32; ++N)
    if ((V >> (31 - N) & 1) == Bit)
      return N;
  return ~0u;
}
uint32_t fromBottom(uint32_t V) {
  for (uint32_t N = 0; N != 32; ++N)
    if (V >> N & 1)
      return N;
  return ~0u;
}
uint32_t reversed(uint32_t V) {
  uint32_t R = 0;
  for (int N = 0; N != 32; ++N)
    R |= (V >> N & 1) << (31 - N);
  return R;
}
uint32_t ones(uint32_t V) {
  uint32_t R = 0;
  for (; V; V &= V - 1)
    ++R;
  return R;
}
uint64_t field(uint64_t V, uint64_t Offset, uint64_t Width, bool Signed) {
  Offset %= 32, Width %= 32;
  int64_t Wide = Signed ? int64_t(int32_t(V)) : int64_t(uint32_t(V));
  uint64_t Mask = (uint64_t(1) << Width) - 1;
  uint64_t R = uint64_t(Wide >> Offset) & Mask;
  if (Signed && Width && R >> (Width - 1) & 1)
    R |= ~Mask;
  return R;
}
uint32_t permutedByte(const C &L, uint32_t Select) {
  uint64_t All = L.S[0] << 32 | L.S[1];
  if (Select >= 13)
    return 0xff;
  if (Select == 12)
    return 0;
  if (Select >= 8)
    return All >> (16 * (Select - 8) + 15) & 1 ? 0xff : 0;
  return All >> (8 * Select) & 0xff;
}
uint32_t permuted(const C &L) {
  uint32_t R = 0;
  for (int N = 0; N != 4; ++N)
    R |= permutedByte(L, L.S[2] >> (8 * N) & 255) << (8 * N);
  return R;
}
/// Bit N of the table is the result for source bits that spell N.
uint64_t truthTable(const C &L) {
  uint64_t R = 0;
  for (int Bit = 0; Bit != 32; ++Bit) {
    auto Index = (L.S[0] >> Bit & 1) << 2 | (L.S[1] >> Bit & 1) << 1 |
                 (L.S[2] >> Bit & 1);
    R |= uint64_t(L.Immediate >> Index & 1) << Bit;
  }
  return R;
}

const VectorRow Rows[] = {
    ROW("v_mov_b32", B32, B32, None, None, L.S[0]),
    ROWT("v_mov_b64", U64, U64, None, None, PlainOnly, L.S[0]),
    ROWT("v_mov_b16", U16, U16, None, None, HalfRegisters, L.S[0]),
    // Sources are flushed as those of arithmetic are.
    ROW("v_pack_b32_f16", U32, F16, F16, None,
        flushedSource(Half, L.S[0], L.Double) |
            flushedSource(Half, L.S[1], L.Double) << 16),
    ROW("v_not_b32", U32, U32, None, None, ~L.S[0]),
    ROW("v_not_b16", U16, U16, None, None, ~L.S[0]),
    ROW("v_bfrev_b32", U32, U32, None, None, reversed(L.u32(0))),
    ROW("v_ffbh_u32", U32, U32, None, None, fromTop(L.u32(0), true)),
    ROW("v_clz_i32_u32", U32, U32, None, None, fromTop(L.u32(0), true)),
    ROW("v_ffbl_b32", U32, U32, None, None, fromBottom(L.u32(0))),
    ROW("v_ctz_i32_b32", U32, U32, None, None, fromBottom(L.u32(0))),
    ROW("v_ffbh_i32", U32, I32, None, None, fromTop(L.u32(0), L.i32(0) >= 0)),
    ROW("v_cls_i32", U32, I32, None, None, fromTop(L.u32(0), L.i32(0) >= 0)),
    ROW("v_bcnt_u32_b32", U32, U32, U32, None, ones(L.u32(0)) + L.S[1]),

    ROW("v_and_b32", U32, U32, U32, None, L.S[0] & L.S[1]),
    ROW("v_or_b32", U32, U32, U32, None, L.S[0] | L.S[1]),
    ROW("v_xor_b32", U32, U32, U32, None, L.S[0] ^ L.S[1]),
    ROW("v_xnor_b32", U32, U32, U32, None, ~(L.S[0] ^ L.S[1])),
    ROW("v_and_b16", U16, U16, U16, None, L.S[0] & L.S[1]),
    ROW("v_or_b16", U16, U16, U16, None, L.S[0] | L.S[1]),
    ROW("v_xor_b16", U16, U16, U16, None, L.S[0] ^ L.S[1]),
    ROW("v_or3_b32", U32, U32, U32, U32, L.S[0] | L.S[1] | L.S[2]),
    ROW("v_xor3_b32", U32, U32, U32, U32, L.S[0] ^ L.S[1] ^ L.S[2]),
    ROW("v_and_or_b32", U32, U32, U32, U32, (L.S[0] & L.S[1]) | L.S[2]),
    ROW("v_lshl_or_b32", U32, U32, U32, U32, L.S[0] << (L.S[1] % 32) | L.S[2]),
    ROW("v_bfi_b32", U32, U32, U32, U32,
        (L.S[0] & L.S[1]) | (~L.S[0] & L.S[2])),
    ROW("v_bfe_u32", U32, U32, U32, U32, field(L.S[0], L.S[1], L.S[2], false)),
    ROW("v_bfe_i32", U32, U32, U32, U32, field(L.S[0], L.S[1], L.S[2], true)),
    ROW("v_bfm_b32", U32, U32, U32, None,
        ((uint64_t(1) << (L.S[0] % 32)) - 1) << (L.S[1] % 32)),
    ROW("v_bitop3_b32", U32, U32, U32, U32, truthTable(L)),
    ROWT("v_bitop3_b16", U16, U16, U16, U16, KeepsHigh, truthTable(L)),

    ROW("v_lshlrev_b32", U32, U32, U32, None, L.S[1] << (L.S[0] % 32)),
    ROW("v_lshrrev_b32", U32, U32, U32, None, L.S[1] >> (L.S[0] % 32)),
    ROW("v_ashrrev_i32", U32, U32, I32, None,
        uint64_t(int64_t(L.i32(1)) >> (L.S[0] % 32))),
    ROW("v_lshlrev_b64", U64, U32, U64, None, L.S[1] << (L.S[0] % 64)),
    ROW("v_lshrrev_b64", U64, U32, U64, None, L.S[1] >> (L.S[0] % 64)),
    ROW("v_ashrrev_i64", U64, U32, I64, None,
        uint64_t(L.i64(1) >> (L.S[0] % 64))),
    ROW("v_lshlrev_b16", U16, U16, U16, None, L.S[1] << (L.S[0] % 16)),
    ROW("v_lshrrev_b16", U16, U16, U16, None, L.u16(1) >> (L.S[0] % 16)),
    ROW("v_ashrrev_i16", U16, U16, I16, None,
        uint16_t(L.i16(1) >> (L.S[0] % 16))),
    ROW("v_alignbit_b32", U32, U32, U32, U32,
        (L.S[0] << 32 | L.S[1]) >> (L.S[2] % 32)),
    ROW("v_alignbyte_b32", U32, U32, U32, U32,
        (L.S[0] << 32 | L.S[1]) >> (8 * (L.S[2] % 4))),
    ROW("v_perm_b32", U32, U32, U32, U32, permuted(L)),
    ROWT("v_cndmask_b32", B32, B32, B32, None, ReadsMask,
         L.MaskIn ? L.S[1] : L.S[0]),
    ROWT("v_cndmask_b16", U16, U16, U16, None, ReadsMask,
         L.MaskIn ? L.S[1] : L.S[0]),
};

} // namespace

std::span<const VectorRow> bitRows() { return Rows; }

} // namespace luthier::test
