// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix multiply-accumulate (MFMA): D = A * B + C for one or more blocks, in
// registers spread over all lanes whatever EXEC says. Sums are built one
// product at a time, each rounded once.
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/Operands.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Element N of a lane's packed inputs, as what is multiplied.
struct Single {
  using Value = F32;
  static constexpr unsigned PerLane = 1;
  static F32 get(const U32 *Row, unsigned L, unsigned) {
    return std::bit_cast<F32>(Row[L]);
  }
};
struct Half {
  using Value = F32;
  static constexpr unsigned PerLane = 4;
  static F32 get(const U32 *Row, unsigned L, unsigned N) {
    return F32(fromBits<F16>(Row[N / 2 * NumLanes + L] >> (16 * (N % 2))));
  }
};
/// bfloat16, two or (in the "1k" forms) four to a lane.
template <unsigned Count> struct Brain {
  using Value = F32;
  static constexpr unsigned PerLane = Count;
  static F32 get(const U32 *Row, unsigned L, unsigned N) {
    U32 Bits = Row[N / 2 * NumLanes + L] >> (16 * (N % 2));
    return std::bit_cast<F32>(Bits << 16);
  }
};
struct Byte {
  using Value = I32;
  static constexpr unsigned PerLane = 4;
  static I32 get(const U32 *Row, unsigned L, unsigned N) {
    return int8_t(Row[L] >> (8 * N));
  }
};
struct Double {
  using Value = F64;
  static constexpr unsigned PerLane = 1;
  static F64 get(const U32 *Row, unsigned L, unsigned) {
    return std::bit_cast<F64>(Row[L] | U64(Row[L + NumLanes]) << 32);
  }
};

F32 accumulate(F32 A, F32 B, F32 C) { return __builtin_fmaf(A, B, C); }
F64 accumulate(F64 A, F64 B, F64 C) { return __builtin_fma(A, B, C); }
I32 accumulate(I32 A, I32 B, I32 C) { return I32(U32(A) * U32(B) + U32(C)); }

/// Where a lane's inputs belong. Lanes count through rows first, then blocks,
/// then groups of K.
struct Position {
  unsigned Block, Index, K;
};
template <class In, unsigned Size, unsigned Blocks>
Position inputPosition(unsigned L, unsigned N) {
  unsigned Rest = L / Size;
  return {Rest % Blocks, L % Size, Rest / Blocks * In::PerLane + N};
}

/// Rows of D that a lane holds: columns run along lanes, and each group of
/// lanes holds four consecutive rows at a time. Doubles have single rows.
template <class In, unsigned Size, unsigned Blocks>
Position outputPosition(unsigned L, unsigned R) {
  unsigned Column = L % Size, Group = L / Size;
  if constexpr (Size == 4 && std::is_same_v<In, Double>)
    return {Group % Blocks, Group / Blocks, Column};
  else if constexpr (std::is_same_v<In, Double>)
    return {0, 4 * R + Group, Column};
  else if constexpr (Size == 4)
    return {Group, R, Column};
  else {
    constexpr unsigned Groups = NumLanes / Size;
    constexpr unsigned RowsPerBlock = Size / Groups;
    unsigned InBlock = R % RowsPerBlock;
    return {R / RowsPerBlock,
            InBlock / 4 * 4 * Groups + 4 * Group + InBlock % 4, Column};
  }
}

/// Lane that B is read from under the permutation \p Pattern.
unsigned permutedLane(unsigned L, unsigned Pattern) {
  switch (Pattern) {
  case 0:
    return L;
  case 1:
  case 2:
    return L % 32 + 32 * (Pattern - 1);
  case 3:
    return (L + 16) % NumLanes;
  default:
    return L % 16 + 16 * (Pattern - 4);
  }
}

template <class In, unsigned Size, unsigned K, unsigned Blocks>
void multiply(Wave &W, const Inst &I) {
  using T = typename In::Value;
  constexpr bool IsDouble = std::is_same_v<In, Double>;
  constexpr unsigned Outputs = Size * Size * Blocks / NumLanes;
  constexpr unsigned RegsPerOutput = sizeof(T) / 4;
  static_assert(Size * K * Blocks == NumLanes * In::PerLane);
  // cbsz broadcasts one block of A (abid) to groups of blocks; blgp permutes
  // B's lanes, or negates the operands of doubles.
  unsigned GroupSize = 1u << (IsDouble ? 0 : I.AddressMode);
  unsigned BlockOfA = unsigned(I.Offset), Pattern = unsigned(I.Immediate);

  const U32 *RowsA = W.vgpr(I.Src[0].Reg), *RowsB = W.vgpr(I.Src[1].Reg);
  T A[Blocks][Size][K], B[Blocks][K][Size];
  for (unsigned L = 0; L != NumLanes; ++L)
    for (unsigned N = 0; N != In::PerLane; ++N) {
      Position P = inputPosition<In, Size, Blocks>(L, N);
      A[P.Block][P.Index][P.K] = In::get(RowsA, L, N);
      unsigned From = IsDouble ? L : permutedLane(L, Pattern);
      B[P.Block][P.K][P.Index] = In::get(RowsB, From, N);
    }

  T Sums[Outputs][NumLanes];
  for (unsigned R = 0; R != Outputs; ++R)
    for (unsigned L = 0; L != NumLanes; ++L) {
      T Sum;
      if (I.Src[2].Kind != Source::Vgpr) {
        if constexpr (IsDouble)
          Sum = std::bit_cast<F64>(I.Src[2].Value);
        else
          Sum = std::bit_cast<T>(U32(I.Src[2].Value));
      } else {
        const U32 *C = W.vgpr(I.Src[2].Reg + R * RegsPerOutput);
        if constexpr (IsDouble)
          Sum = Double::get(C, L, 0);
        else
          Sum = std::bit_cast<T>(C[L]);
      }
      Position P = outputPosition<In, Size, Blocks>(L, R);
      unsigned From =
          P.Block / GroupSize * GroupSize +
          (GroupSize > 1 ? BlockOfA % GroupSize : P.Block % GroupSize);
      if constexpr (IsDouble)
        Sum = Pattern & 4 ? -Sum : Sum;
      for (unsigned N = 0; N != K; ++N) {
        T X = A[From][P.Index][N], Y = B[P.Block][N][P.K];
        if constexpr (IsDouble) {
          X = Pattern & 1 ? -X : X;
          Y = Pattern & 2 ? -Y : Y;
        }
        Sum = accumulate(X, Y, Sum);
      }
      Sums[R][L] = Sum;
    }

  for (unsigned R = 0; R != Outputs; ++R) {
    U32 *To = W.vgpr(I.Dst.Reg + R * RegsPerOutput);
    for (unsigned L = 0; L != NumLanes; ++L)
      storeLane<T>(To, To + NumLanes, L, Sums[R][L]);
  }
}

template <class In, unsigned Size, unsigned K, unsigned Blocks>
constexpr Operation row(const char *Name) {
  Operation Op{Name,
               multiply<In, Size, K, Blocks>,
               ValueType::Wide,
               {ValueType::Wide, ValueType::Wide, ValueType::Wide}};
  Op.FloatMode = 4;
  return Op;
}

constexpr Operation Rows[] = {
    row<Single, 32, 1, 2>("v_mfma_f32_32x32x1f32"),
    row<Single, 16, 1, 4>("v_mfma_f32_16x16x1f32"),
    row<Single, 4, 1, 16>("v_mfma_f32_4x4x1f32"),
    row<Single, 32, 2, 1>("v_mfma_f32_32x32x2f32"),
    row<Single, 16, 4, 1>("v_mfma_f32_16x16x4f32"),
    row<Half, 32, 4, 2>("v_mfma_f32_32x32x4f16"),
    row<Half, 16, 4, 4>("v_mfma_f32_16x16x4f16"),
    row<Half, 4, 4, 16>("v_mfma_f32_4x4x4f16"),
    row<Half, 32, 8, 1>("v_mfma_f32_32x32x8f16"),
    row<Half, 16, 16, 1>("v_mfma_f32_16x16x16f16"),
    row<Brain<2>, 32, 2, 2>("v_mfma_f32_32x32x2bf16"),
    row<Brain<2>, 16, 2, 4>("v_mfma_f32_16x16x2bf16"),
    row<Brain<2>, 4, 2, 16>("v_mfma_f32_4x4x2bf16"),
    row<Brain<2>, 32, 4, 1>("v_mfma_f32_32x32x4bf16"),
    row<Brain<2>, 16, 8, 1>("v_mfma_f32_16x16x8bf16"),
    row<Brain<4>, 32, 4, 2>("v_mfma_f32_32x32x4bf16_1k"),
    row<Brain<4>, 16, 4, 4>("v_mfma_f32_16x16x4bf16_1k"),
    row<Brain<4>, 4, 4, 16>("v_mfma_f32_4x4x4bf16_1k"),
    row<Brain<4>, 32, 8, 1>("v_mfma_f32_32x32x8bf16_1k"),
    row<Brain<4>, 16, 16, 1>("v_mfma_f32_16x16x16bf16_1k"),
    row<Byte, 32, 4, 2>("v_mfma_i32_32x32x4i8"),
    row<Byte, 16, 4, 4>("v_mfma_i32_16x16x4i8"),
    row<Byte, 4, 4, 16>("v_mfma_i32_4x4x4i8"),
    row<Byte, 32, 8, 1>("v_mfma_i32_32x32x8i8"),
    row<Byte, 16, 16, 1>("v_mfma_i32_16x16x16i8"),
    row<Double, 16, 4, 1>("v_mfma_f64_16x16x4f64"),
    row<Double, 4, 4, 4>("v_mfma_f64_4x4x4f64"),
};

} // namespace

std::span<const Operation> matrixRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
