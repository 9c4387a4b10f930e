// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MFMA of small floats in formats that cbsz (for A) and blgp (for B) name, and
// its forms with scales: a power of two for each 32 elements along K.
#include "emulator/isa/Matrix.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Elements along K that have one scale.
constexpr unsigned ScaledTogether = 32;

// Bytes are in two pieces of 16; narrower elements are not.
constexpr Shape Bytes32 = inPieces(mfma(32, 64), {"01235", "4"});
constexpr Shape Bytes16 = inPieces(mfma(16, 128), {"01236", "45"});

/// \p Bytes with the positions of operands in narrower formats.
template <Shape Bytes> Plan planFor(Formats F) {
  static constexpr Plan Wide = planOf(Bytes);
  static constexpr Plan Narrow = planOf(mfma(Bytes.Size, Bytes.K));
  Plan P = Wide;
  if (F.A > Format::BF8)
    std::copy(std::begin(Narrow.A), std::end(Narrow.A), P.A);
  if (F.B > Format::BF8)
    std::copy(std::begin(Narrow.B), std::end(Narrow.B), P.B);
  return P;
}

/// False, and a fault, for values that name no format.
bool readFormats(Wave &W, const Inst &I, Formats &F) {
  auto Last = unsigned(Format::F4);
  if (I.AddressMode > Last || unsigned(I.Immediate) > Last) {
    W.fault(ExecutionFault::Kind::IllegalInstruction,
            "no such matrix element format");
    return false;
  }
  F = {Format(I.AddressMode), Format(I.Immediate)};
  return true;
}

template <Shape S> void unscaled(Wave &W, const Inst &I) {
  Formats F;
  if (!readFormats(W, I, F))
    return;
  Plan P = planFor<S>(F);
  MatrixOperands<F32> Op;
  loadMatrices(P, W.vgpr(I.Src[0].Reg), W.vgpr(I.Src[1].Reg), F, Op);
  loadSums(W, I.Src[2], P, Op.Sums);
  addProducts(P, Op, Op.Sums, 0, P.KA);
  storeSums(W, I.Dst, P, Op.Sums, ~U64(0));
}

/// Exponents without sign or mantissa, of which the last is no number.
F64 scaleOf(U32 Register, unsigned Byte) {
  U32 Exponent = Register >> (8 * Byte) & 0xff;
  constexpr unsigned Bias = 127, BiasOfDouble = 1023;
  if (Exponent == 0xff)
    return std::numeric_limits<F64>::quiet_NaN();
  return std::bit_cast<F64>(U64(Exponent + BiasOfDouble - Bias) << 52);
}

/// The sum of each 32 products is scaled exactly, and rounded as it joins.
template <Shape S> void scaled(Wave &W, const Inst &I) {
  Formats F;
  if (!readFormats(W, I, F))
    return;
  Plan P = planFor<S>(F);
  MatrixOperands<F32> Op;
  loadMatrices(P, W.vgpr(I.Src[0].Reg), W.vgpr(I.Src[1].Reg), F, Op);
  loadSums(W, I.Src[2], P, Op.Sums);
  const U32 *ScalesA = W.vgpr(I.ScaleReg[0]), *ScalesB = W.vgpr(I.ScaleReg[1]);
  alignas(64) MatrixSums<F32> Part;
  for (unsigned Group = 0; Group != P.KA / ScaledTogether; ++Group) {
    std::memset(Part, 0, P.NumRegisters * sizeof(Part[0]));
    addProducts(P, Op, Part, Group * ScaledTogether,
                (Group + 1) * ScaledTogether);
    // Lanes have the scales as they would have one element per group.
    F64 ScaleOfColumn[S.Size];
    for (unsigned N = 0; N != S.Size; ++N)
      ScaleOfColumn[N] = scaleOf(ScalesB[Group * S.Size + N], I.ScaleByte[1]);
    for (unsigned R = 0; R != P.NumRows; ++R) {
      const OutputRow &Row = P.Rows[R];
      F64 ScaleOfRow =
          scaleOf(ScalesA[Group * S.Size + Row.Row], I.ScaleByte[0]);
      F32 *Sum = &Op.Sums[Row.Register][Row.Lane];
      const F32 *Term = &Part[Row.Register][Row.Lane];
      for (unsigned N = 0; N != S.Size; ++N)
        Sum[N] =
            F32(F64(Term[N]) * (ScaleOfRow * ScaleOfColumn[N]) + F64(Sum[N]));
    }
  }
  storeSums(W, I.Dst, P, Op.Sums, ~U64(0));
}

constexpr Operation Rows[] = {
    matrixRow("v_mfma_f32_32x32x64_f8f6f4", unscaled<Bytes32>),
    matrixRow("v_mfma_f32_16x16x128_f8f6f4", unscaled<Bytes16>),
    matrixRow("v_mfma_scale_f32_32x32x64_f8f6f4", scaled<Bytes32>),
    matrixRow("v_mfma_scale_f32_16x16x128_f8f6f4", scaled<Bytes16>),
};

} // namespace

std::span<const Operation> scaledMatrixRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
