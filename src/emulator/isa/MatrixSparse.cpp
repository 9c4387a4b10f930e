// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrix multiply-accumulate (SMFMAC): D = A * B + D, where A has two of
// each four elements along K, and an index register tells which. EXEC is
// ignored.
#include "emulator/isa/Matrix.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

// CDNA3: each lane has 8 bytes of A and 16 of B. What a lane holds of A selects
// from what it holds of B.
constexpr Shape Halves32 = sparse(mfma(32, 16), {"01", "2"}, {"012", "3"});
constexpr Shape Halves16 = sparse(mfma(16, 32), {"01", "23"}, {"012", "34"});
constexpr Shape Bytes32 = sparse(mfma(32, 32), {"013", "2"}, {"0124", "3"});
constexpr Shape Bytes16 = sparse(mfma(16, 64), {"014", "23"}, {"0125", "34"});
// CDNA4: twice as many. B is in pieces of eight elements; A is not, or its
// pieces come in another order, so that it selects from other lanes' B.
constexpr Shape LongHalves32 =
    sparse(mfma(32, 32), {"012", "3"}, {"0124", "3"});
constexpr Shape LongHalves16 =
    sparse(mfma(16, 64), {"012", "34"}, {"0125", "34"});
constexpr Shape LongBytes32 =
    sparse(mfma(32, 64), {"0132", "4"}, {"01245", "3"});
constexpr Shape LongBytes16 =
    sparse(mfma(16, 128), {"0142", "35"}, {"01256", "34"});

template <class T>
void multiply(Wave &W, const Inst &I, const Plan &P, Formats F) {
  MatrixOperands<T> Op;
  loadMatrices(P, W.vgpr(I.Src[0].Reg), W.vgpr(I.Src[1].Reg), resolved(F, W),
               Op);
  // A register has room for several sets of indices. abid names one, unless
  // cbsz is set; then it is the first.
  unsigned Bits = indexBits(P), Sets = 32 / Bits;
  unsigned Set = I.AddressMode ? 0 : unsigned(I.Offset) % Sets;
  loadSelection(P, W.vgpr(I.Src[2].Reg), Set * Bits, Op);
  loadSums(W, I.Dst, P, Op.Sums);
  addSparseProducts(P, Op, Op.Sums, 0, P.KA);
  storeSums(W, I.Dst, P, Op.Sums, ~U64(0));
}

template <Shape S, Format A, Format B> void handler(Wave &W, const Inst &I) {
  static constexpr Plan P = planOf(S);
  if constexpr (A == Format::I8)
    multiply<U32>(W, I, P, {A, B});
  else
    multiply<F32>(W, I, P, {A, B});
}

template <Shape S, Format A, Format B = A>
constexpr Operation row(const char *Name) {
  return matrixRow(Name, handler<S, A, B>);
}

constexpr Format F8 = Format::F8, BF8 = Format::BF8;

constexpr Operation Rows[] = {
    row<Halves32, Format::F16>("v_smfmac_f32_32x32x16_f16"),
    row<Halves16, Format::F16>("v_smfmac_f32_16x16x32_f16"),
    row<Halves32, Format::BF16>("v_smfmac_f32_32x32x16_bf16"),
    row<Halves16, Format::BF16>("v_smfmac_f32_16x16x32_bf16"),
    row<Bytes32, Format::I8>("v_smfmac_i32_32x32x32_i8"),
    row<Bytes16, Format::I8>("v_smfmac_i32_16x16x64_i8"),
    row<Bytes32, F8, F8>("v_smfmac_f32_32x32x32_fp8_fp8"),
    row<Bytes32, F8, BF8>("v_smfmac_f32_32x32x32_fp8_bf8"),
    row<Bytes32, BF8, F8>("v_smfmac_f32_32x32x32_bf8_fp8"),
    row<Bytes32, BF8, BF8>("v_smfmac_f32_32x32x32_bf8_bf8"),
    row<Bytes16, F8, F8>("v_smfmac_f32_16x16x64_fp8_fp8"),
    row<Bytes16, F8, BF8>("v_smfmac_f32_16x16x64_fp8_bf8"),
    row<Bytes16, BF8, F8>("v_smfmac_f32_16x16x64_bf8_fp8"),
    row<Bytes16, BF8, BF8>("v_smfmac_f32_16x16x64_bf8_bf8"),
    row<LongHalves32, Format::F16>("v_smfmac_f32_32x32x32_f16"),
    row<LongHalves16, Format::F16>("v_smfmac_f32_16x16x64_f16"),
    row<LongHalves32, Format::BF16>("v_smfmac_f32_32x32x32_bf16"),
    row<LongHalves16, Format::BF16>("v_smfmac_f32_16x16x64_bf16"),
    row<LongBytes32, Format::I8>("v_smfmac_i32_32x32x64_i8"),
    row<LongBytes16, Format::I8>("v_smfmac_i32_16x16x128_i8"),
    row<LongBytes32, F8, F8>("v_smfmac_f32_32x32x64_fp8_fp8"),
    row<LongBytes32, F8, BF8>("v_smfmac_f32_32x32x64_fp8_bf8"),
    row<LongBytes32, BF8, F8>("v_smfmac_f32_32x32x64_bf8_fp8"),
    row<LongBytes32, BF8, BF8>("v_smfmac_f32_32x32x64_bf8_bf8"),
    row<LongBytes16, F8, F8>("v_smfmac_f32_16x16x128_fp8_fp8"),
    row<LongBytes16, F8, BF8>("v_smfmac_f32_16x16x128_fp8_bf8"),
    row<LongBytes16, BF8, F8>("v_smfmac_f32_16x16x128_bf8_fp8"),
    row<LongBytes16, BF8, BF8>("v_smfmac_f32_16x16x128_bf8_bf8"),
};

} // namespace

std::span<const Operation> sparseMatrixRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
