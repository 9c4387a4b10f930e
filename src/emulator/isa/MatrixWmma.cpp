// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wave matrix multiply-accumulate (WMMA) of RDNA, and its sparse form (SWMMAC).
// Products are added one by one, each sum rounded to a float; 16-bit results
// round further whenever the device has added a few of them. The manuals ask
// for a full EXEC; what it lacks is computed with, but not written.
#include "emulator/isa/Matrix.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// What D, and C, consist of.
enum class Result { F32, F16, BF16, I32 };

struct Operands {
  Formats F;
  Result R;
};

/// Which of a logical register's values a wave's registers hold.
struct Packing {
  /// Two to a register. Else 16-bit values are in one half, the other of which
  /// is left alone.
  bool Dense;
  unsigned HalfShift;

  unsigned registerOf(unsigned N) const { return Dense ? N / 2 : N; }
  unsigned shiftOf(unsigned N) const { return Dense ? N % 2 * 16 : HalfShift; }
};

F32 widened(Result R, U32 Bits) {
  return R == Result::F16 ? F32(fromBits<F16>(Bits))
                          : std::bit_cast<F32>(Bits << 16);
}

U32 narrowed(Result R, F32 Value, bool Saturate) {
  if (R == Result::F16) {
    U32 Bits = toBits(F16(Value));
    constexpr U32 Infinity = 0x7c00;
    bool Overflowed = (Bits & 0x7fff) == Infinity &&
                      std::bit_cast<U32>(Value) << 1 != 0xff000000;
    return Saturate && Overflowed ? Bits - 1 : Bits;
  }
  U32 Bits = std::bit_cast<U32>(Value);
  if (Value != Value)
    return Bits >> 16 | 0x40;
  return (Bits + 0x7fff + (Bits >> 16 & 1)) >> 16;
}

/// The inline constant that LLVM decodes to \p Value. By the width of the whole
/// operand, it may come as a float of any size; integers are bits of the
/// result.
F32 constantOf(Result R, U64 Value) {
  U32 High = U32(Value >> 32);
  if (High && High != ~U32(0))
    return F32(std::bit_cast<F64>(Value));
  bool IsSingle = Value > 0xffff && !High;
  if (R == Result::F32 || IsSingle)
    return std::bit_cast<F32>(U32(Value));
  return widened(R, U32(Value) & 0xffff);
}

class FloatAccumulator {
public:
  FloatAccumulator(Wave &W, const Inst &I, const Plan &P, Result R, Packing Pk)
      : W(W), I(I), P(P), R(R), Pk(Pk), Saturate(W.Mode & mode::Fp16Overflow) {}

  void load(const Operand &C, MatrixSums<F32> &Sums) const {
    if (C.Kind != Source::Vgpr) {
      std::fill_n(Sums[0], P.NumRegisters * NumLanes, constantOf(R, C.Value));
      return;
    }
    if (R == Result::F32)
      return loadSums(W, C, P, Sums);
    for (unsigned N = 0; N != P.NumRegisters; ++N) {
      const U32 *From = W.vgpr(C.Reg + Pk.registerOf(N));
      for (unsigned L = 0; L != P.Lanes; ++L)
        Sums[N][L] = widened(R, From[L] >> Pk.shiftOf(N));
    }
  }
  void applySigns(const Operand &C, MatrixSums<F32> &Sums) const {
    U32 Keep = C.Modifiers & Absolute ? 0x7fffffff : ~U32(0);
    U32 Flip = C.Modifiers & Negate ? 0x80000000 : 0;
    if (!(C.Modifiers & (Absolute | Negate)))
      return;
    for (unsigned N = 0; N != P.NumRegisters; ++N)
      for (F32 &Sum : Sums[N])
        Sum = std::bit_cast<F32>((std::bit_cast<U32>(Sum) & Keep) ^ Flip);
  }
  void round(MatrixSums<F32> &Sums) const {
    if (R == Result::F32)
      return;
    for (unsigned N = 0; N != P.NumRegisters; ++N)
      for (unsigned L = 0; L != P.Lanes; ++L)
        Sums[N][L] = widened(R, narrowed(R, Sums[N][L], Saturate));
  }
  void store(const MatrixSums<F32> &Sums) const {
    if (R == Result::F32)
      return storeSums(W, I.Dst, P, Sums, W.exec());
    for (unsigned N = 0; N != P.NumRegisters; ++N) {
      U32 *To = W.vgpr(I.Dst.Reg + Pk.registerOf(N));
      unsigned Shift = Pk.shiftOf(N);
      alignas(64) U32 New[NumLanes];
      for (unsigned L = 0; L != NumLanes; ++L)
        New[L] = (To[L] & ~(U32(0xffff) << Shift)) |
                 narrowed(R, Sums[N][L], Saturate) << Shift;
      writeMasked(To, New, W.exec());
    }
  }

private:
  Wave &W;
  const Inst &I;
  const Plan &P;
  Result R;
  Packing Pk;
  bool Saturate;
};

/// neg_lo and neg_hi of A and B turn the even and the odd elements along K.
/// Either turns the product, so both are applied to A.
void applyInputSigns(const Inst &I, const Plan &P, MatrixOperands<F32> &Op) {
  unsigned Signs = I.Src[0].Modifiers ^ I.Src[1].Modifiers;
  static constexpr unsigned Bits[] = {Negate, Absolute};
  for (unsigned Block = 0; Block != P.Blocks; ++Block)
    for (unsigned K = 0; K != P.KA; ++K)
      if (Signs & Bits[K % 2])
        negateAll(Op.A + (Block * P.KA + K) * P.Size, P.Size);
}

void multiplyFloats(Wave &W, const Inst &I, const Plan &P, Operands O,
                    Packing Pk, unsigned RoundEvery) {
  MatrixOperands<F32> Op;
  loadMatrices(P, W.vgpr(I.Src[0].Reg), W.vgpr(I.Src[1].Reg), O.F, Op);
  applyInputSigns(I, P, Op);
  FloatAccumulator C(W, I, P, O.R, Pk);
  bool IsSparse = P.KA != P.KB;
  C.load(IsSparse ? I.Dst : I.Src[2], Op.Sums);
  if (IsSparse) {
    // The index register has a set of indices for each key.
    loadSelection(P, W.vgpr(I.Src[2].Reg), unsigned(I.Offset) * indexBits(P),
                  Op);
  } else {
    C.applySigns(I.Src[2], Op.Sums);
  }
  for (unsigned K = 0; K != P.KA; K += RoundEvery) {
    if (IsSparse)
      addSparseProducts(P, Op, Op.Sums, K, K + RoundEvery);
    else
      addProducts(P, Op, Op.Sums, K, K + RoundEvery);
    C.round(Op.Sums);
  }
  C.store(Op.Sums);
}

/// Adds what fits: the products alone never overflow.
void saturatingAdd(const Plan &P, MatrixSums<U32> &Sums,
                   const MatrixSums<U32> &Products) {
  for (unsigned N = 0; N != P.NumRegisters; ++N)
    for (unsigned L = 0; L != P.Lanes; ++L) {
      I64 Sum = I64(I32(Sums[N][L])) + I64(I32(Products[N][L]));
      Sums[N][L] = U32(std::clamp<I64>(Sum, INT32_MIN, INT32_MAX));
    }
}

/// neg_lo says that A or B is signed. With clamp, dense sums saturate at the
/// end, sparse ones also half-way.
void multiplyIntegers(Wave &W, const Inst &I, const Plan &P, Formats F) {
  MatrixOperands<U32> Op;
  auto Signedness = [](Format Unsigned, const Operand &O) {
    if (!(O.Modifiers & Negate))
      return Unsigned;
    return Unsigned == Format::U8 ? Format::I8 : Format::I4;
  };
  loadMatrices(P, W.vgpr(I.Src[0].Reg), W.vgpr(I.Src[1].Reg),
               {Signedness(F.A, I.Src[0]), Signedness(F.B, I.Src[1])}, Op);
  bool IsSparse = P.KA != P.KB;
  loadSums(W, IsSparse ? I.Dst : I.Src[2], P, Op.Sums);
  if (IsSparse)
    loadSelection(P, W.vgpr(I.Src[2].Reg), unsigned(I.Offset) * indexBits(P),
                  Op);
  unsigned Step = IsSparse ? P.KA / 2 : P.KA;
  alignas(64) MatrixSums<U32> Part;
  MatrixSums<U32> &To = I.Clamp ? Part : Op.Sums;
  for (unsigned K = 0; K != P.KA; K += Step) {
    if (I.Clamp)
      std::memset(Part, 0, P.NumRegisters * sizeof(Part[0]));
    if (IsSparse)
      addSparseProducts(P, Op, To, K, K + Step);
    else
      addProducts(P, Op, To, K, K + Step);
    if (I.Clamp)
      saturatingAdd(P, Op.Sums, Part);
  }
  storeSums(W, I.Dst, P, Op.Sums, W.exec());
}

/// Layouts of one operation for waves of 32 and of 64 lanes.
struct Shapes {
  Shape Narrow, Wide;
};

/// The order in which sums of sparse products saturate: eight of each sixteen,
/// then the others.
constexpr Plan inStages(const Plan &From) {
  Plan P = From;
  unsigned To = 0;
  for (unsigned Stage = 0; Stage != 2; ++Stage)
    for (unsigned K = 0; K != P.KA; ++K)
      if (K / 8 % 2 == Stage) {
        P.A[To] = From.A[K];
        P.FirstOfB[To++] = From.FirstOfB[K];
      }
  return P;
}

template <Shapes S, bool Staged = false> const Plan &planFor(const Wave &W) {
  static constexpr Plan Narrow = planOf(S.Narrow), Wide = planOf(S.Wide);
  static constexpr Plan StagedNarrow = inStages(Narrow),
                        StagedWide = inStages(Wide);
  if (W.WaveSize == 32)
    return Staged ? StagedNarrow : Narrow;
  return Staged ? StagedWide : Wide;
}

constexpr Shapes Replicated = {replicatedWmma(32), replicatedWmma(64)};
constexpr Shapes Halves = {wmma(32, 16, {"013", "2"}),
                           wmma(64, 16, {"01", "23"})};
constexpr Shapes Bytes = {wmma(32, 16, {"012", "3"}),
                          wmma(64, 16, {"01", "23"})};
// Half the lanes of wide waves hold nothing.
constexpr Shapes Nibbles = {wmma(32, 16, {"012", "3"}),
                            wmma(64, 16, {"012", "3"})};
constexpr Shapes ManyNibbles = {wmma(32, 32, {"0124", "3"}),
                                wmma(64, 32, {"012", "43"})};
constexpr Shapes SparseHalves = {
    sparse(wmma(32, 32, {}), {"013", "2"}, {"0124", "3"}),
    sparse(wmma(64, 32, {}), {"01", "23"}, {"012", "34"})};
constexpr Shapes SparseBytes = {
    sparse(wmma(32, 32, {}), {"012", "3"}, {"0123", "4"}),
    sparse(wmma(64, 32, {}), {"01", "32"}, {"012", "43"})};
constexpr Shapes SparseNibbles = {
    sparse(wmma(32, 32, {}), {"012", "3"}, {"0123", "4"}),
    sparse(wmma(64, 32, {}), {"012", "3"}, {"012", "43"})};
constexpr Shapes ManySparseNibbles = {
    sparse(wmma(32, 64, {}), {"0124", "3"}, {"01235", "4"}),
    sparse(wmma(64, 64, {}), {"012", "43"}, {"0123", "54"})};

template <Operands O, Shapes S> void run(Wave &W, const Inst &I) {
  if constexpr (O.R == Result::I32) {
    multiplyIntegers(W, I, planFor<S, S.Narrow.Sparse>(W), O.F);
  } else {
    // RDNA3 adds pairs of products, and op_sel says where 16-bit C and D are;
    // RDNA4 adds four, and packs.
    bool IsReplicated = W.T->WmmaReplicates;
    Packing Pk{!IsReplicated, I.Src[2].Modifiers & OpSel ? 16u : 0u};
    multiplyFloats(W, I, planFor<S>(W), O, Pk, IsReplicated ? 2 : 4);
  }
}

/// \p S is the layout from RDNA4 on.
template <Operands O, Shapes S> void dense(Wave &W, const Inst &I) {
  if (W.T->WmmaReplicates)
    run<O, Replicated>(W, I);
  else
    run<O, S>(W, I);
}

template <Shapes S, Format A, Format B, Result R>
constexpr Operation row(const char *Name) {
  return matrixRow(Name, dense<Operands{{A, B}, R}, S>);
}
template <Shapes S, Format A, Format B, Result R>
constexpr Operation sparseRow(const char *Name) {
  return matrixRow(Name, run<Operands{{A, B}, R}, S>);
}

constexpr Format F16 = Format::F16, BF16 = Format::BF16, F8 = Format::F8,
                 BF8 = Format::BF8, U8 = Format::U8, U4 = Format::U4;

constexpr Operation Rows[] = {
    row<Halves, F16, F16, Result::F32>("v_wmma_f32_16x16x16_f16"),
    row<Halves, BF16, BF16, Result::F32>("v_wmma_f32_16x16x16_bf16"),
    row<Halves, F16, F16, Result::F16>("v_wmma_f16_16x16x16_f16"),
    row<Halves, BF16, BF16, Result::BF16>("v_wmma_bf16_16x16x16_bf16"),
    row<Bytes, U8, U8, Result::I32>("v_wmma_i32_16x16x16_iu8"),
    row<Nibbles, U4, U4, Result::I32>("v_wmma_i32_16x16x16_iu4"),
    row<ManyNibbles, U4, U4, Result::I32>("v_wmma_i32_16x16x32_iu4"),
    row<Bytes, F8, F8, Result::F32>("v_wmma_f32_16x16x16_fp8_fp8"),
    row<Bytes, F8, BF8, Result::F32>("v_wmma_f32_16x16x16_fp8_bf8"),
    row<Bytes, BF8, F8, Result::F32>("v_wmma_f32_16x16x16_bf8_fp8"),
    row<Bytes, BF8, BF8, Result::F32>("v_wmma_f32_16x16x16_bf8_bf8"),

    sparseRow<SparseHalves, F16, F16, Result::F32>("v_swmmac_f32_16x16x32_f16"),
    sparseRow<SparseHalves, BF16, BF16, Result::F32>(
        "v_swmmac_f32_16x16x32_bf16"),
    sparseRow<SparseHalves, F16, F16, Result::F16>("v_swmmac_f16_16x16x32_f16"),
    sparseRow<SparseHalves, BF16, BF16, Result::BF16>(
        "v_swmmac_bf16_16x16x32_bf16"),
    sparseRow<SparseBytes, U8, U8, Result::I32>("v_swmmac_i32_16x16x32_iu8"),
    sparseRow<SparseNibbles, U4, U4, Result::I32>("v_swmmac_i32_16x16x32_iu4"),
    sparseRow<ManySparseNibbles, U4, U4, Result::I32>(
        "v_swmmac_i32_16x16x64_iu4"),
    sparseRow<SparseBytes, F8, F8, Result::F32>(
        "v_swmmac_f32_16x16x32_fp8_fp8"),
    sparseRow<SparseBytes, F8, BF8, Result::F32>(
        "v_swmmac_f32_16x16x32_fp8_bf8"),
    sparseRow<SparseBytes, BF8, F8, Result::F32>(
        "v_swmmac_f32_16x16x32_bf8_fp8"),
    sparseRow<SparseBytes, BF8, BF8, Result::F32>(
        "v_swmmac_f32_16x16x32_bf8_bf8"),
};

} // namespace

std::span<const Operation> waveMatrixRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
