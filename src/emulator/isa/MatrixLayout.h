// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a matrix operation's operands are. Lanes count through
// the columns (or rows, for A) of a block first; what remains of an element's
// position is spread over groups of lanes and over the elements of each lane.
#ifndef LUTHIER_EMULATOR_ISA_MATRIXLAYOUT_H
#define LUTHIER_EMULATOR_ISA_MATRIXLAYOUT_H

#include "emulator/isa/Types.h"
#include <algorithm>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// Which bits of an index number the element in the lane, and which the group
/// of lanes. Digits name bits of the index; the lowest of the number is first.
struct Spread {
  char Element[8];
  char Group[4];
};

/// A part of a register tuple that belongs to one index.
struct Slot {
  uint8_t Group;
  uint8_t Element;
};

constexpr Slot slotOf(const Spread &S, unsigned Index) {
  auto Number = [Index](const char *Digits) {
    unsigned Value = 0;
    for (unsigned N = 0; Digits[N]; ++N)
      Value |= (Index >> (Digits[N] - '0') & 1) << N;
    return uint8_t(Value);
  };
  return {Number(S.Group), Number(S.Element)};
}

/// \p Count indices, the first \p PerLane of them in one lane.
constexpr Spread contiguous(unsigned Count, unsigned PerLane) {
  Spread S{};
  char Digit = '0';
  unsigned N = 0;
  for (; 1u << N < PerLane; ++N)
    S.Element[N] = Digit++;
  for (unsigned G = 0; 1u << (N + G) < Count; ++G)
    S.Group[G] = Digit++;
  return S;
}

/// A kind of multiplication: blocks of Size x K times K x Size.
struct Shape {
  unsigned Size;
  unsigned K;
  unsigned Blocks;
  unsigned Lanes;
  /// A has two of every four elements along K.
  bool Sparse;
  /// Each group of lanes holds all of A and B, for the rows it computes.
  bool Replicated;
  Spread A, B; ///< Along K.
  Spread D;    ///< Along the rows.
};

/// Operands that fill their registers in the order of their indices.
constexpr Shape mfma(unsigned Size, unsigned K, unsigned Blocks = 1) {
  unsigned PerLane = Size * K * Blocks / 64;
  Spread Input = contiguous(K, PerLane);
  // Four rows at a time, then the next group of lanes.
  Spread D = Size == 32 ? Spread{"0134", "2"} : contiguous(Size, 4);
  return {Size, K, Blocks, 64, false, false, Input, Input, D};
}
/// Doubles: groups of lanes take turns with every row.
constexpr Shape mfmaDouble(unsigned Size, unsigned K, unsigned Blocks = 1) {
  Shape S = mfma(Size, K, Blocks);
  S.D = Size == 4 ? Spread{"", "01"} : Spread{"23", "01"};
  return S;
}
/// More than 16 bytes of a lane are two pieces, at a distance along K.
constexpr Shape inPieces(Shape S, Spread Input) {
  S.A = S.B = Input;
  return S;
}
constexpr Shape sparse(Shape S, Spread A, Spread B) {
  S.Sparse = true;
  S.A = A;
  S.B = B;
  return S;
}
/// Waves of RDNA3.
constexpr Shape replicatedWmma(unsigned Lanes) {
  Spread Whole{"0123", ""};
  Spread D = Lanes == 32 ? Spread{"123", "0"} : Spread{"23", "01"};
  return {16, 16, 1, Lanes, false, true, Whole, Whole, D};
}
/// Waves of RDNA4.
constexpr Shape wmma(unsigned Lanes, unsigned K, Spread Input) {
  Spread D = Lanes == 32 ? Spread{"012", "3"} : Spread{"01", "32"};
  return {16, K, 1, Lanes, false, false, Input, Input, D};
}

/// A row of results, or of the accumulator: Size lanes of a register.
struct OutputRow {
  uint8_t Block; ///< Of the inputs.
  uint8_t Row;
  uint8_t Register; ///< Counted in elements.
  uint8_t Lane;     ///< The first.
};

/// A shape spelled out for the loops.
struct Plan {
  static constexpr unsigned MaxK = 128, MaxRows = 64;
  unsigned Size, Lanes, Blocks, KA, KB, NumRows, NumRegisters;
  /// By position in A and B; products are summed in this order.
  Slot A[MaxK], B[MaxK];
  /// The first element of B that position N of a sparse A can select.
  uint8_t FirstOfB[MaxK];
  /// Rows of one input block stand together.
  OutputRow Rows[MaxRows];
};

constexpr Plan planOf(const Shape &S) {
  Plan P{};
  P.Size = S.Size;
  P.Lanes = S.Lanes;
  P.Blocks = S.Replicated ? S.Lanes / S.Size : S.Blocks;
  P.KA = S.Sparse ? S.K / 2 : S.K;
  P.KB = S.K;
  for (unsigned K = 0; K != P.KB; ++K)
    P.B[K] = slotOf(S.B, K);
  for (unsigned K = 0; K != P.KA; ++K) {
    P.A[K] = slotOf(S.A, K);
    P.FirstOfB[K] = uint8_t(K / 2 * 4);
  }
  unsigned GroupBits = 0, ElementBits = 0;
  while (S.D.Group[GroupBits])
    ++GroupBits;
  while (S.D.Element[ElementBits])
    ++ElementBits;
  // Small blocks share registers.
  unsigned Together = S.Lanes / (S.Size << GroupBits);
  for (unsigned Block = 0; Block != S.Blocks; ++Block)
    for (unsigned Row = 0; Row != S.Size; ++Row) {
      Slot At = slotOf(S.D, Row);
      unsigned Register = (Block / Together << ElementBits) + At.Element;
      unsigned Lane = (Block % Together + Together * At.Group) * S.Size;
      P.Rows[P.NumRows++] = {uint8_t(S.Replicated ? At.Group : Block),
                             uint8_t(Row), uint8_t(Register), uint8_t(Lane)};
      P.NumRegisters = std::max(P.NumRegisters, Register + 1);
    }
  // Insertion sort: a constant expression, and stable.
  for (unsigned N = 1; N < P.NumRows; ++N)
    for (unsigned M = N; M && P.Rows[M].Block < P.Rows[M - 1].Block; --M)
      std::swap(P.Rows[M], P.Rows[M - 1]);
  return P;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_MATRIXLAYOUT_H
