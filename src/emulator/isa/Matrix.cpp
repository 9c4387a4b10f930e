// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix multiply-accumulate (MFMA): D = A * B + C for one or more blocks, in
// registers spread over all lanes whatever EXEC says. Sums are built one
// product at a time, each rounded once.
#include "emulator/isa/Matrix.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Lanes are permuted in groups of 16: the group that \p Group reads from under
/// \p Pattern.
unsigned permutedGroup(unsigned Group, unsigned Pattern) {
  switch (Pattern) {
  case 1: // the first half, then the second, twice each
  case 2:
    return Group % 2 + 2 * (Pattern - 1);
  case 3: // rotation
    return (Group + 1) % 4;
  default: // one group for all
    return Pattern - 4;
  }
}

/// B's registers as blgp permutes them.
class PermutedRegisters {
public:
  PermutedRegisters(Wave &W, const Operand &O, unsigned Pattern)
      : Registers(W.vgpr(O.Reg)) {
    if (!Pattern)
      return;
    constexpr unsigned Size = NumLanes / 4;
    for (unsigned R = 0; R != O.NumRegs; ++R)
      for (unsigned Group = 0; Group != 4; ++Group)
        std::memcpy(Copy[R] + Group * Size,
                    Registers + R * NumLanes +
                        permutedGroup(Group, Pattern) * Size,
                    Size * sizeof(U32));
    Registers = Copy[0];
  }
  const U32 *registers() const { return Registers; }

private:
  const U32 *Registers;
  U32 Copy[8][NumLanes];
};

/// cbsz makes groups of 2^cbsz blocks use one block of A, that which abid names
/// in each group.
template <class T>
void broadcastBlocks(const Plan &P, const Inst &I, MatrixOperands<T> &Op) {
  unsigned GroupSize = 1u << I.AddressMode;
  for (unsigned N = 0; GroupSize > 1 && N != P.Blocks; ++N)
    Op.BlockOfA[N] =
        uint8_t((N / GroupSize * GroupSize + unsigned(I.Offset) % GroupSize) %
                P.Blocks);
}

template <class T>
void multiply(Wave &W, const Inst &I, const Plan &P, Formats F) {
  MatrixOperands<T> Op;
  F = resolved(F, W);
  PermutedRegisters B(W, I.Src[1], unsigned(I.Immediate));
  loadMatrices(P, W.vgpr(I.Src[0].Reg), B.registers(), F, Op);
  broadcastBlocks(P, I, Op);
  loadSums(W, I.Src[2], P, Op.Sums);
  if constexpr (std::is_same_v<T, F32>)
    if (isFlushed(F.A))
      flushSums(P, Op.Sums);
  addProducts(P, Op, Op.Sums, 0, P.KA);
  if constexpr (std::is_same_v<T, F32>)
    if (isFlushed(F.A))
      flushSums(P, Op.Sums);
  storeSums(W, I.Dst, P, Op.Sums, ~U64(0));
}

/// Doubles have no permutations: blgp negates A, B and C.
void multiplyDoubles(Wave &W, const Inst &I, const Plan &P) {
  MatrixOperands<F64> Op;
  loadMatrices(P, W.vgpr(I.Src[0].Reg), W.vgpr(I.Src[1].Reg),
               {Format::F64, Format::F64}, Op);
  loadSums(W, I.Src[2], P, Op.Sums);
  if (I.Immediate & 1)
    negateAll(Op.A, P.Blocks * P.KA * P.Size);
  if (I.Immediate & 2)
    negateAll(Op.B, P.Blocks * P.KB * P.Size);
  if (I.Immediate & 4)
    negateAll(Op.Sums[0], P.NumRegisters * NumLanes);
  addProducts(P, Op, Op.Sums, 0, P.KA);
  storeSums(W, I.Dst, P, Op.Sums, ~U64(0));
}

template <Shape S, Format A, Format B> void handler(Wave &W, const Inst &I) {
  static constexpr Plan P = planOf(S);
  if constexpr (A == Format::F64)
    multiplyDoubles(W, I, P);
  else if constexpr (A == Format::I8)
    multiply<U32>(W, I, P, {A, B});
  else
    multiply<F32>(W, I, P, {A, B});
}

template <Shape S, Format A, Format B = A>
constexpr Operation row(const char *Name) {
  return matrixRow(Name, handler<S, A, B>);
}

constexpr Operation Rows[] = {
    row<mfma(32, 1, 2), Format::F32>("v_mfma_f32_32x32x1f32"),
    row<mfma(16, 1, 4), Format::F32>("v_mfma_f32_16x16x1f32"),
    row<mfma(4, 1, 16), Format::F32>("v_mfma_f32_4x4x1f32"),
    row<mfma(32, 2), Format::F32>("v_mfma_f32_32x32x2f32"),
    row<mfma(16, 4), Format::F32>("v_mfma_f32_16x16x4f32"),
    row<mfma(32, 4), Format::XF32>("v_mfma_f32_32x32x4_xf32"),
    row<mfma(16, 8), Format::XF32>("v_mfma_f32_16x16x8_xf32"),

    row<mfma(32, 4, 2), Format::F16>("v_mfma_f32_32x32x4f16"),
    row<mfma(16, 4, 4), Format::F16>("v_mfma_f32_16x16x4f16"),
    row<mfma(4, 4, 16), Format::F16>("v_mfma_f32_4x4x4f16"),
    row<mfma(32, 8), Format::F16>("v_mfma_f32_32x32x8f16"),
    row<mfma(16, 16), Format::F16>("v_mfma_f32_16x16x16f16"),
    row<mfma(32, 16), Format::F16>("v_mfma_f32_32x32x16_f16"),
    row<mfma(16, 32), Format::F16>("v_mfma_f32_16x16x32_f16"),

    row<mfma(32, 2, 2), Format::BF16>("v_mfma_f32_32x32x2bf16"),
    row<mfma(16, 2, 4), Format::BF16>("v_mfma_f32_16x16x2bf16"),
    row<mfma(4, 2, 16), Format::BF16>("v_mfma_f32_4x4x2bf16"),
    row<mfma(32, 4), Format::BF16>("v_mfma_f32_32x32x4bf16"),
    row<mfma(16, 8), Format::BF16>("v_mfma_f32_16x16x8bf16"),
    row<mfma(32, 4, 2), Format::BF16>("v_mfma_f32_32x32x4bf16_1k"),
    row<mfma(16, 4, 4), Format::BF16>("v_mfma_f32_16x16x4bf16_1k"),
    row<mfma(4, 4, 16), Format::BF16>("v_mfma_f32_4x4x4bf16_1k"),
    row<mfma(32, 8), Format::BF16>("v_mfma_f32_32x32x8bf16_1k"),
    row<mfma(16, 16), Format::BF16>("v_mfma_f32_16x16x16bf16_1k"),
    row<mfma(32, 16), Format::BF16>("v_mfma_f32_32x32x16_bf16"),
    row<mfma(16, 32), Format::BF16>("v_mfma_f32_16x16x32_bf16"),

    row<mfma(32, 4, 2), Format::I8>("v_mfma_i32_32x32x4i8"),
    row<mfma(16, 4, 4), Format::I8>("v_mfma_i32_16x16x4i8"),
    row<mfma(4, 4, 16), Format::I8>("v_mfma_i32_4x4x4i8"),
    row<mfma(32, 8), Format::I8>("v_mfma_i32_32x32x8i8"),
    row<mfma(16, 16), Format::I8>("v_mfma_i32_16x16x16i8"),
    row<mfma(32, 16), Format::I8>("v_mfma_i32_32x32x16_i8"),
    row<mfma(16, 32), Format::I8>("v_mfma_i32_16x16x32_i8"),
    row<mfma(32, 32), Format::I8>("v_mfma_i32_32x32x32_i8"),
    row<mfma(16, 64), Format::I8>("v_mfma_i32_16x16x64_i8"),

    row<mfma(16, 32), Format::F8>("v_mfma_f32_16x16x32_fp8_fp8"),
    row<mfma(16, 32), Format::F8, Format::BF8>("v_mfma_f32_16x16x32_fp8_bf8"),
    row<mfma(16, 32), Format::BF8, Format::F8>("v_mfma_f32_16x16x32_bf8_fp8"),
    row<mfma(16, 32), Format::BF8>("v_mfma_f32_16x16x32_bf8_bf8"),
    row<mfma(32, 16), Format::F8>("v_mfma_f32_32x32x16_fp8_fp8"),
    row<mfma(32, 16), Format::F8, Format::BF8>("v_mfma_f32_32x32x16_fp8_bf8"),
    row<mfma(32, 16), Format::BF8, Format::F8>("v_mfma_f32_32x32x16_bf8_fp8"),
    row<mfma(32, 16), Format::BF8>("v_mfma_f32_32x32x16_bf8_bf8"),

    row<mfmaDouble(16, 4), Format::F64>("v_mfma_f64_16x16x4f64"),
    row<mfmaDouble(4, 4, 4), Format::F64>("v_mfma_f64_4x4x4f64"),
};

} // namespace

std::span<const Operation> matrixRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
