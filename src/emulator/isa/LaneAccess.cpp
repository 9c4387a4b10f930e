// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations in which lanes see each other.
#include "emulator/isa/LaneMask.h"
#include "emulator/isa/Memory.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

// Lane reads and writes ignore EXEC, except that "first" means first active.
void readLane(Wave &W, const Inst &I) {
  U32 Lane = scalar32(W, I.Src[1]) % W.WaveSize;
  W.S[I.Dst.Reg] = I.Src[0].Kind == Source::Vgpr ? W.vgpr(I.Src[0].Reg)[Lane]
                                                 : scalar32(W, I.Src[0]);
}
void readFirstLane(Wave &W, const Inst &I) {
  U64 Exec = W.exec();
  unsigned Lane = Exec ? unsigned(std::countr_zero(Exec)) : 0;
  W.S[I.Dst.Reg] = I.Src[0].Kind == Source::Vgpr ? W.vgpr(I.Src[0].Reg)[Lane]
                                                 : scalar32(W, I.Src[0]);
}
void writeLane(Wave &W, const Inst &I) {
  U32 Lane = scalar32(W, I.Src[1]) % W.WaveSize;
  W.vgpr(I.Dst.Reg)[Lane] = scalar32(W, I.Src[0]);
}

constexpr Operation laneRow(const char *Name, Handler Fn) {
  Operation Op{Name, Fn, ValueType::U32, {ValueType::U32, ValueType::U32}};
  Op.LaneAccess = true;
  return Op;
}

/// Counts bits of the mask that belong to lower lanes, in lanes 0-31 or 32-63.
template <bool High> void maskedBitCount(Wave &W, const Inst &I) {
  U64 Exec = W.exec();
  if (!Exec)
    return;
  const U32 *Mask = source32(W, I, 0), *Base = source32(W, I, 1);
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != NumLanes; ++L) {
    U64 Below = (U64(1) << L) - 1;
    U32 Visible = High ? U32(Below >> 32) : U32(Below);
    Result[L] = U32(std::popcount(Mask[L] & Visible)) + Base[L];
  }
  writeBack(W, I);
}

void swapRegisters(Wave &W, const Inst &I) {
  U32 *A = W.vgpr(I.Dst.Reg), *B = W.vgpr(I.Src[0].Reg);
  forEachLane(W.exec(), [&](unsigned L) { std::swap(A[L], B[L]); });
}

/// The same for halves.
void swapHalves(Wave &W, const Inst &I) {
  U32 *A = W.vgpr(I.Dst.Reg), *B = W.vgpr(I.Src[0].Reg);
  unsigned ShiftA = I.Dst.Select == Part::Word1 ? 16 : 0;
  unsigned ShiftB = I.Src[0].Select == Part::Word1 ? 16 : 0;
  forEachLane(W.exec(), [&](unsigned L) {
    U32 Difference = (A[L] >> ShiftA ^ B[L] >> ShiftB) & 0xffff;
    A[L] ^= Difference << ShiftA;
    B[L] ^= Difference << ShiftB;
  });
}

/// \p L reads lane From(L) of the first source. An inactive one counts with
/// FI, gives zero with BOUND_CTRL, and else leaves the destination alone.
template <class F> void exchange(Wave &W, const Inst &I, F From) {
  U64 Exec = W.exec(), Written = 0;
  bool Fetches = I.Src[0].Modifiers & OpSel;
  bool Zeroes = I.Src[1].Modifiers & OpSel;
  const U32 *Data = source32(W, I, 0);
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != W.WaveSize; ++L) {
    unsigned Lane = From(L);
    bool Valid = Fetches || Exec >> Lane & 1;
    Result[L] = Valid ? Data[Lane] : 0;
    Written |= U64(Valid || Zeroes) << L;
  }
  writeMasked(W.vgpr(I.Dst.Reg), Result, Exec & Written);
}
/// Within rows of 16 lanes, or from the other row of a pair. A nibble per lane
/// comes from two scalars, or from the lane itself.
template <bool Across> void permuteRow(Wave &W, const Inst &I) {
  U64 Select = scalar32(W, I.Src[1]) | U64(scalar32(W, I.Src[2])) << 32;
  exchange(W, I, [&](unsigned L) {
    unsigned Row = (L & ~15u) ^ (Across ? 16 : 0);
    return Row | unsigned(Select >> (4 * (L & 15)) & 15);
  });
}
template <bool Across> void permuteRowVariably(Wave &W, const Inst &I) {
  const U32 *Select = source32(W, I, 1);
  exchange(W, I, [&](unsigned L) {
    unsigned Row = (L & ~15u) ^ (Across ? 16 : 0);
    return Row | (Select[L] & 15);
  });
}
constexpr Operation permuteRowsRow(const char *Name, Handler Fn) {
  Operation Op{Name,
               Fn,
               ValueType::U32,
               {ValueType::U32, ValueType::U32, ValueType::U32}};
  Op.OwnSelect = true;
  return Op;
}

/// The halves of a wave of 64 lanes change places; one of 32 has none.
void permuteHalves(Wave &W, const Inst &I) {
  if (W.WaveSize != NumLanes)
    return;
  const U32 *Data = W.vgpr(I.Src[0].Reg);
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != NumLanes; ++L)
    Result[L] = Data[L ^ 32];
  writeMasked(W.vgpr(I.Dst.Reg), Result, W.exec());
}
/// Odd rows (or the upper half) of one register change places with the even
/// ones of the other. Only active lanes are written.
template <unsigned Distance> void swapRows(Wave &W, const Inst &I) {
  U32 *A = W.vgpr(I.Dst.Reg), *B = W.vgpr(I.Src[0].Reg);
  U64 Exec = W.exec();
  for (unsigned L = 0; L != NumLanes; ++L) {
    if (L & Distance)
      continue;
    U32 Even = B[L], Odd = A[L + Distance];
    if (Exec >> L & 1)
      B[L] = Odd;
    if (Exec >> (L + Distance) & 1)
      A[L + Distance] = Even;
  }
}

/// Lanes that exchange with each other: all, or those of the same half.
unsigned permuteSpan(const Wave &W) {
  return std::min(W.WaveSize, W.T->PermuteSpan64);
}
/// The lane an address names, for lane \p L.
unsigned permuteLane(unsigned Span, unsigned L, U32 Address) {
  return (L & ~(Span - 1)) | (Address / 4 & (Span - 1));
}

/// Lane \p L reads lane From(L); an inactive source gives zero.
template <class F>
void gather(Wave &W, const Inst &I, const U32 *Data, F From) {
  U64 Exec = W.exec();
  U32 *Result = W.Thread->Scratch.Result[0];
  for (unsigned L = 0; L != NumLanes; ++L) {
    unsigned Source = From(L);
    Result[L] = Exec >> Source & 1 ? Data[Source] : 0;
  }
  writeMasked(W.vgpr(I.Dst.Reg), Result, Exec);
}

void backwardPermute(Wave &W, const Inst &I) {
  const U32 *Address = W.vgpr(I.Src[0].Reg);
  unsigned Span = permuteSpan(W);
  gather(W, I, W.vgpr(I.Src[1].Reg), [&](unsigned L) {
    return permuteLane(Span, L, Address[L] + U32(I.Offset));
  });
}

/// The same with the values of inactive lanes.
void backwardPermuteAny(Wave &W, const Inst &I) {
  const U32 *Address = W.vgpr(I.Src[0].Reg), *Data = W.vgpr(I.Src[1].Reg);
  U32 *Result = W.Thread->Scratch.Result[0];
  unsigned Span = permuteSpan(W);
  for (unsigned L = 0; L != W.WaveSize; ++L)
    Result[L] = Data[permuteLane(Span, L, Address[L] + U32(I.Offset))];
  writeMasked(W.vgpr(I.Dst.Reg), Result, W.exec());
}

/// When lanes collide, the highest one wins.
void permute(Wave &W, const Inst &I) {
  const U32 *Address = W.vgpr(I.Src[0].Reg), *Data = W.vgpr(I.Src[1].Reg);
  U32 *Result = W.Thread->Scratch.Result[0];
  std::memset(Result, 0, NumLanes * sizeof(U32));
  unsigned Span = permuteSpan(W);
  forEachLane(W.exec(), [&](unsigned L) {
    Result[permuteLane(Span, L, Address[L] + U32(I.Offset))] = Data[L];
  });
  writeMasked(W.vgpr(I.Dst.Reg), Result, W.exec());
}

/// The pattern is in the offset; see "DS_SWIZZLE_B32" in the Vega ISA manual.
void swizzle(Wave &W, const Inst &I) {
  U32 Pattern = U32(I.Offset);
  const U32 *Data = W.vgpr(I.Src[0].Reg);
  if (Pattern >= 0xe000) { // butterflies: reversed bits above those of a mask
    unsigned Kept = Pattern & 31, Dropped = unsigned(std::popcount(Kept));
    return gather(W, I, Data, [&](unsigned L) {
      unsigned Reversed = __builtin_bitreverse32(L & 31) >> 27;
      return (L & 32) | Reversed >> Dropped | (L & Kept);
    });
  }
  if (Pattern >= 0xc000) { // rotate within 32 lanes
    unsigned Amount = Pattern >> 5 & 31;
    if (Pattern >> 10 & 1)
      Amount = 32 - Amount;
    return gather(W, I, Data,
                  [&](unsigned L) { return (L & 32) | ((L + Amount) & 31); });
  }
  if (Pattern & 0x8000) // any permutation of four lanes
    return gather(W, I, Data, [&](unsigned L) {
      return (L & ~3u) | (Pattern >> (2 * (L & 3)) & 3);
    });
  unsigned And = Pattern & 31, Or = Pattern >> 5 & 31, Xor = Pattern >> 10 & 31;
  gather(W, I, Data,
         [&](unsigned L) { return (L & 32) | (((L & And) | Or) ^ Xor); });
}

constexpr Operation Rows[] = {
    laneRow("v_readlane_b32", readLane),
    laneRow("v_readfirstlane_b32", readFirstLane),
    laneRow("v_writelane_b32", writeLane),
    {"v_mbcnt_lo_u32_b32",
     maskedBitCount<false>,
     ValueType::U32,
     {ValueType::U32, ValueType::U32}},
    {"v_mbcnt_hi_u32_b32",
     maskedBitCount<true>,
     ValueType::U32,
     {ValueType::U32, ValueType::U32}},
    {"v_swap_b32", swapRegisters, ValueType::U32, {ValueType::U32}},
    {"v_swap_b16", swapHalves, ValueType::U16, {ValueType::U16}},
    permuteRowsRow("v_permlane16_b32", permuteRow<false>),
    permuteRowsRow("v_permlanex16_b32", permuteRow<true>),
    permuteRowsRow("v_permlane16_var_b32", permuteRowVariably<false>),
    permuteRowsRow("v_permlanex16_var_b32", permuteRowVariably<true>),
    {"v_permlane64_b32", permuteHalves, ValueType::U32, {ValueType::U32}},
    {"v_permlane16_swap_b32", swapRows<16>, ValueType::U32, {ValueType::U32}},
    {"v_permlane32_swap_b32", swapRows<32>, ValueType::U32, {ValueType::U32}},
    {"v_pipeflush", [](Wave &, const Inst &) {}},
    {"v_nop", [](Wave &, const Inst &) {}},
    {"v_clrexcp", [](Wave &, const Inst &) {}},
    {"ds_bpermute_b32", backwardPermute},
    {"ds_bpermute_fi_b32", backwardPermuteAny},
    {"ds_permute_b32", permute},
    {"ds_swizzle_b32", swizzle},
};

} // namespace

std::span<const Operation> laneRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
