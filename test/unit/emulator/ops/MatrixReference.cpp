// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MatrixReference.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace luthier::test {

namespace {

struct Named {
  const char *Processors;
  const char *Names;
};

constexpr Named Operations[] = {
    {"gfx908 gfx90a",
     "v_mfma_f32_32x32x1f32 v_mfma_f32_16x16x1f32 v_mfma_f32_4x4x1f32 "
     "v_mfma_f32_32x32x2f32 v_mfma_f32_16x16x4f32 v_mfma_f32_32x32x4f16 "
     "v_mfma_f32_16x16x4f16 v_mfma_f32_4x4x4f16 v_mfma_f32_32x32x8f16 "
     "v_mfma_f32_16x16x16f16 v_mfma_i32_32x32x4i8 v_mfma_i32_16x16x4i8 "
     "v_mfma_i32_4x4x4i8 v_mfma_i32_32x32x8i8 v_mfma_i32_16x16x16i8 "
     "v_mfma_f32_32x32x2bf16 v_mfma_f32_16x16x2bf16 v_mfma_f32_4x4x2bf16 "
     "v_mfma_f32_32x32x4bf16 v_mfma_f32_16x16x8bf16"},
    {"gfx90a",
     "v_mfma_f32_32x32x4bf16_1k v_mfma_f32_16x16x4bf16_1k "
     "v_mfma_f32_4x4x4bf16_1k v_mfma_f32_32x32x8bf16_1k "
     "v_mfma_f32_16x16x16bf16_1k v_mfma_f64_16x16x4f64 v_mfma_f64_4x4x4f64"},
    {"gfx942 gfx950",
     "v_mfma_f32_32x32x1_2b_f32 v_mfma_f32_16x16x1_4b_f32 "
     "v_mfma_f32_4x4x1_16b_f32 v_mfma_f32_32x32x2_f32 v_mfma_f32_16x16x4_f32 "
     "v_mfma_f32_32x32x4_2b_f16 v_mfma_f32_16x16x4_4b_f16 "
     "v_mfma_f32_4x4x4_16b_f16 v_mfma_f32_32x32x8_f16 v_mfma_f32_16x16x16_f16 "
     "v_mfma_f32_32x32x4_2b_bf16 v_mfma_f32_16x16x4_4b_bf16 "
     "v_mfma_f32_4x4x4_16b_bf16 v_mfma_f32_32x32x8_bf16 "
     "v_mfma_f32_16x16x16_bf16 v_mfma_i32_32x32x4_2b_i8 "
     "v_mfma_i32_16x16x4_4b_i8 v_mfma_i32_4x4x4_16b_i8 "
     "v_mfma_i32_32x32x16_i8 v_mfma_i32_16x16x32_i8 v_mfma_f64_16x16x4_f64 "
     "v_mfma_f64_4x4x4_4b_f64 v_mfma_f32_16x16x32_fp8_fp8 "
     "v_mfma_f32_16x16x32_fp8_bf8 v_mfma_f32_16x16x32_bf8_fp8 "
     "v_mfma_f32_16x16x32_bf8_bf8 v_mfma_f32_32x32x16_fp8_fp8 "
     "v_mfma_f32_32x32x16_fp8_bf8 v_mfma_f32_32x32x16_bf8_fp8 "
     "v_mfma_f32_32x32x16_bf8_bf8 v_smfmac_f32_32x32x16_f16 "
     "v_smfmac_f32_16x16x32_f16 v_smfmac_f32_32x32x16_bf16 "
     "v_smfmac_f32_16x16x32_bf16 v_smfmac_i32_32x32x32_i8 "
     "v_smfmac_i32_16x16x64_i8 v_smfmac_f32_32x32x32_fp8_fp8 "
     "v_smfmac_f32_32x32x32_fp8_bf8 v_smfmac_f32_32x32x32_bf8_fp8 "
     "v_smfmac_f32_32x32x32_bf8_bf8 v_smfmac_f32_16x16x64_fp8_fp8 "
     "v_smfmac_f32_16x16x64_fp8_bf8 v_smfmac_f32_16x16x64_bf8_fp8 "
     "v_smfmac_f32_16x16x64_bf8_bf8"},
    {"gfx942", "v_mfma_f32_32x32x4_xf32 v_mfma_f32_16x16x8_xf32"},
    {"gfx950",
     "v_mfma_f32_32x32x16_f16 v_mfma_f32_16x16x32_f16 "
     "v_mfma_f32_32x32x16_bf16 v_mfma_f32_16x16x32_bf16 "
     "v_mfma_i32_32x32x32_i8 v_mfma_i32_16x16x64_i8 "
     "v_mfma_f32_32x32x64_f8f6f4 v_mfma_f32_16x16x128_f8f6f4 "
     "v_mfma_scale_f32_32x32x64_f8f6f4 v_mfma_scale_f32_16x16x128_f8f6f4 "
     "v_smfmac_f32_32x32x32_f16 v_smfmac_f32_16x16x64_f16 "
     "v_smfmac_f32_32x32x32_bf16 v_smfmac_f32_16x16x64_bf16 "
     "v_smfmac_i32_32x32x64_i8 v_smfmac_i32_16x16x128_i8 "
     "v_smfmac_f32_32x32x64_fp8_fp8 v_smfmac_f32_32x32x64_fp8_bf8 "
     "v_smfmac_f32_32x32x64_bf8_fp8 v_smfmac_f32_32x32x64_bf8_bf8 "
     "v_smfmac_f32_16x16x128_fp8_fp8 v_smfmac_f32_16x16x128_fp8_bf8 "
     "v_smfmac_f32_16x16x128_bf8_fp8 v_smfmac_f32_16x16x128_bf8_bf8"},
    {"gfx1100 gfx1201", "v_wmma_f32_16x16x16_f16 v_wmma_f32_16x16x16_bf16 "
                        "v_wmma_f16_16x16x16_f16 v_wmma_bf16_16x16x16_bf16 "
                        "v_wmma_i32_16x16x16_iu8 v_wmma_i32_16x16x16_iu4"},
    {"gfx1201", "v_wmma_i32_16x16x32_iu4 v_wmma_f32_16x16x16_fp8_fp8 "
                "v_wmma_f32_16x16x16_fp8_bf8 v_wmma_f32_16x16x16_bf8_fp8 "
                "v_wmma_f32_16x16x16_bf8_bf8 v_swmmac_f32_16x16x32_f16 "
                "v_swmmac_f32_16x16x32_bf16 v_swmmac_f16_16x16x32_f16 "
                "v_swmmac_bf16_16x16x32_bf16 v_swmmac_i32_16x16x32_iu8 "
                "v_swmmac_i32_16x16x32_iu4 v_swmmac_i32_16x16x64_iu4 "
                "v_swmmac_f32_16x16x32_fp8_fp8 v_swmmac_f32_16x16x32_fp8_bf8 "
                "v_swmmac_f32_16x16x32_bf8_fp8 v_swmmac_f32_16x16x32_bf8_bf8"},
};

/// Blocks of those whose older names do not say.
unsigned unnamedBlocks(const std::string &Name) {
  for (const char *Two : {"32x32x1f32", "32x32x4f16", "32x32x4i8",
                          "32x32x2bf16", "32x32x4bf16_1k"})
    if (Name.ends_with(Two))
      return 2;
  for (const char *Four : {"16x16x1f32", "16x16x4f16", "16x16x4i8",
                           "16x16x2bf16", "16x16x4bf16_1k", "f64_4x4x4f64"})
    if (Name.ends_with(Four))
      return 4;
  return Name.find("_4x4x") != std::string::npos ? 16 : 1;
}

MatrixElement elementOf(const std::string &Name) {
  static constexpr std::pair<const char *, MatrixElement> Names[] = {
      {"fp8", MatrixElement::fp8},    {"bf8", MatrixElement::bf8},
      {"f8f6f4", MatrixElement::fp8}, {"f16", MatrixElement::f16},
      {"bf16", MatrixElement::bf16},  {"xf32", MatrixElement::xf32},
      {"f32", MatrixElement::f32},    {"f64", MatrixElement::f64},
      {"i8", MatrixElement::i8},      {"i32", MatrixElement::f32},
      {"iu8", MatrixElement::iu8},    {"iu4", MatrixElement::iu4}};
  for (auto &[Text, Element] : Names)
    if (Name == Text)
      return Element;
  std::abort();
}

/// "v_mfma_f32_32x32x4_2b_f16" and "v_mfma_f32_32x32x4f16".
MatrixOperation parse(const std::string &Name) {
  MatrixOperation Op;
  Op.Name = Name;
  std::vector<std::string> Parts;
  std::istringstream In(Name);
  for (std::string Part; std::getline(In, Part, '_');)
    Parts.push_back(Part);
  size_t Next = 1;
  std::string Family = Parts[Next++];
  Op.Family = Family == "smfmac"   ? MatrixFamily::Smfmac
              : Family == "wmma"   ? MatrixFamily::Wmma
              : Family == "swmmac" ? MatrixFamily::Swmmac
                                   : MatrixFamily::Mfma;
  bool Scaled = Parts[Next] == "scale";
  Next += Scaled;
  Op.Out = elementOf(Parts[Next++]);
  unsigned Columns;
  int Used = 0;
  std::sscanf(Parts[Next].c_str(), "%ux%ux%u%n", &Op.Size, &Columns, &Op.K,
              &Used);
  std::string Rest = Parts[Next++].substr(size_t(Used));
  Op.Blocks = unnamedBlocks(Name);
  if (Rest.empty() && Parts[Next].ends_with("b"))
    Op.Blocks = unsigned(std::stoul(Parts[Next++]));
  if (Rest.empty())
    Rest = Parts[Next++];
  Op.A = Op.B = elementOf(Rest);
  if (Next < Parts.size() && Parts[Next] != "1k")
    Op.B = elementOf(Parts[Next]);
  if (Rest == "f8f6f4")
    Op.Family = Scaled ? MatrixFamily::ScaledF8f6f4 : MatrixFamily::F8f6f4;
  return Op;
}

std::vector<std::string> words(const char *Text) {
  std::istringstream In(Text);
  std::vector<std::string> Result;
  for (std::string Word; In >> Word;)
    Result.push_back(Word);
  return Result;
}

/// An element of an input: a lane, and its number among the lane's elements.
struct Place {
  unsigned Lane, Element;
};

unsigned swapped(unsigned TwoBits) { return TwoBits % 2 * 2 + TwoBits / 2; }

Place denseMfma(const MatrixOperation &Op, unsigned Bits, unsigned Index,
                unsigned K, unsigned Block) {
  unsigned Groups = 64 / (Op.Size * Op.Blocks), PerGroup = Op.K / Groups;
  unsigned Group = K / PerGroup, Element = K % PerGroup;
  if (Bits == 8 && PerGroup > 16) {
    Group = K / 16 % Groups;
    Element = K / 16 / Groups * 16 + K % 16;
  }
  return {Index + Block * Op.Size + Group * Op.Size * Op.Blocks, Element};
}

Place denseWmma(const MatrixOperation &Op, unsigned Index, unsigned K,
                unsigned OutputLane) {
  if (Op.isRdna3())
    return {OutputLane / 16 * 16 + Index, K};
  unsigned Bits = bitsOf(Op.A);
  if (Bits == 4 && Op.K == 16)
    return {Index + 16 * (K / 8), K % 8};
  if (Bits == 4)
    return Op.WaveSize == 32
               ? Place{Index + 16 * (K / 8 % 2), K / 16 * 8 + K % 8}
               : Place{Index + 16 * swapped(K / 8), K % 8};
  if (Op.WaveSize == 64)
    return {Index + 16 * (K / 4), K % 4};
  if (Bits == 16) // two dwords of each lane, then of the other half
    return {Index + 16 * (K / 4 % 2), K / 8 * 4 + K % 4};
  return {Index + 16 * (K / 8), K % 8};
}

/// Number \p N of the stored elements of a row of a sparse A.
Place sparseA(const MatrixOperation &Op, unsigned Row, unsigned N) {
  unsigned Bits = bitsOf(Op.A), M = Op.Size, Pair = N / 2, Odd = N % 2;
  bool Long = Op.K * M == 16 * (Bits == 16 ? 64 : 128);
  if (Op.Family == MatrixFamily::Smfmac) {
    if (Bits == 16) {
      unsigned Pairs = Long ? 4 : 2;
      return {Pair / Pairs * M + Row, N % (2 * Pairs)};
    }
    if (!Long) {
      unsigned Half = Op.K / 8;
      return {Pair % Half / 2 * M + Row, 4 * (Pair / Half) + N % 4};
    }
    if (M == 16)
      return {(2 * (Pair / 16) + Pair / 4 % 2) * M + Row,
              8 * (Pair / 2 % 2) + 4 * (Pair / 8 % 2) + N % 4};
    return {Pair / 8 * M + Row,
            8 * (Pair / 2 % 2) + 4 * (Pair / 4 % 2) + N % 4};
  }
  bool Wide = Op.WaveSize == 64;
  if (Bits == 16)
    return Wide ? Place{Row + 16 * (Pair / 2), 2 * (Pair % 2) + Odd}
                : Place{Row + 16 * (Pair / 2 % 2),
                        4 * (Pair / 4) + 2 * (Pair % 2) + Odd};
  if (Bits == 8)
    return Wide ? Place{Row + 16 * (2 * (Pair / 2 % 2) + Pair / 4),
                        2 * (Pair % 2) + Odd}
                : Place{Row + 16 * (N / 8), N % 8};
  if (Op.K == 32)
    return {Row + 16 * (N / 8), N % 8};
  return Wide ? Place{Row + 16 * swapped(N / 8), N % 8}
              : Place{Row + 16 * (N / 8 % 2), N / 16 * 8 + N % 8};
}

Place sparseB(const MatrixOperation &Op, unsigned Column, unsigned K) {
  unsigned Bits = bitsOf(Op.B), Size = Op.Size;
  bool Long = Op.K * Size == 16 * (Bits == 16 ? 64 : 128);
  if (Op.Family == MatrixFamily::Smfmac) {
    if (Bits == 16 && !Long)
      return {K / 8 * Size + Column, K % 8};
    unsigned Span = Size == 16 ? 32 : 16;
    return {K % Span / 8 * Size + Column, 8 * (K / Span) + K % 8};
  }
  bool Wide = Op.WaveSize == 64;
  if (Bits == 16)
    return Wide ? Place{Column + 16 * (K / 8), K % 8}
                : Place{Column + 16 * (K / 8 % 2), K / 16 * 8 + K % 8};
  if (Bits == 8 || Op.K == 32)
    return Wide ? Place{Column + 16 * swapped(K / 8), K % 8}
                : Place{Column + 16 * (K / 16), K % 16};
  return Wide ? Place{Column + 16 * swapped(K / 16), K % 16}
              : Place{Column + 16 * (K / 16 % 2), K / 32 * 16 + K % 16};
}

/// Where a result is, in units of elements.
struct OutputPlace {
  unsigned Register, Lane;
};
OutputPlace outputPlace(const MatrixOperation &Op, unsigned Row,
                        unsigned Column, unsigned Block) {
  unsigned N = Op.Size;
  if (Op.isRdna3()) {
    unsigned Rows = Op.WaveSize / 16;
    return {Row / Rows, Row % Rows * 16 + Column};
  }
  if (Op.isRdna())
    return Op.WaveSize == 32 ? OutputPlace{Row % 8, Row / 8 * 16 + Column}
                             : OutputPlace{Row % 4, Column + 16 * (Row / 8) +
                                                        32 * (Row / 4 % 2)};
  unsigned AtOnce = 64 / N;
  if (Op.Out == MatrixElement::f64) {
    unsigned PerRegister = (64 + N * N - 1) / (N * N);
    return {Block * (N * N / 64) + Row / AtOnce,
            Block % PerRegister * N + Row % AtOnce * PerRegister * N + Column};
  }
  unsigned PerRegister = (64 + N * N / 4 - 1) / (N * N / 4);
  return {Block * (N * N / 64) + Row / (4 * AtOnce) * 4 + Row % 4,
          Block % PerRegister * N + Row / 4 % AtOnce * PerRegister * N +
              Column};
}

uint64_t bitsAt(const RegisterRow *Registers, Place At, unsigned Bits) {
  unsigned First = At.Element * Bits;
  uint64_t Both = Registers[First / 32][At.Lane];
  if (First % 32 + Bits > 32)
    Both |= uint64_t(Registers[First / 32 + 1][At.Lane]) << 32;
  Both >>= First % 32;
  return Bits == 64 ? Both : Both & ((uint64_t(1) << Bits) - 1);
}

unsigned permutedLane(unsigned Lane, unsigned Pattern) {
  static constexpr unsigned First[] = {0, 0, 32, 16, 0, 16, 32, 48};
  static constexpr unsigned Count[] = {64, 32, 32, 64, 16, 16, 16, 16};
  // The third pattern is a rotation, the others repeat some lanes.
  if (Pattern == 3)
    return (Lane + First[3]) % 64;
  return Lane % Count[Pattern] + First[Pattern];
}

long double flushed(long double Value) {
  return std::fabs(Value) < 0x1p-126L ? 0 : Value;
}

int64_t integer(MatrixElement E, uint64_t Bits, bool Signed) {
  unsigned Width = bitsOf(E);
  if (E == MatrixElement::i8)
    Signed = true;
  auto Value = int64_t(Bits);
  return Signed && Value >> (Width - 1) ? Value - (int64_t(1) << Width) : Value;
}

/// Every element that an operand's registers have.
class Elements {
public:
  Elements(const RegisterRow *Registers, unsigned Count, MatrixElement E,
           const MatrixOperation &Op, bool Signed)
      : PerLane(Count * 32 / bitsOf(E)), Values(64 * PerLane) {
    for (unsigned Lane = 0; Lane != 64; ++Lane)
      for (unsigned N = 0; N != PerLane; ++N) {
        uint64_t Bits = bitsAt(Registers, {Lane, N}, bitsOf(E));
        Values[Lane * PerLane + N] = isFloat(E) ? decoded(E, Bits, Op.Processor)
                                                : integer(E, Bits, Signed);
      }
  }
  long double operator[](Place At) const {
    return Values.at(At.Lane * PerLane + At.Element);
  }

private:
  unsigned PerLane;
  std::vector<long double> Values;
};

/// The parts of a sum, in the order of K.
class Evaluation {
public:
  Evaluation(const MatrixOperation &Op, const MatrixControls &Controls,
             const MatrixInputs &In)
      : Op(Op), Controls(Controls), In(In),
        Flushes(Op.Processor == "gfx90a" && bitsOf(Op.A) == 16),
        A(In.A, registersOfA(Op), Op.A, Op, Controls.NegLow & 1),
        B(In.B, registersOfB(Op), Op.B, Op, Controls.NegLow & 2) {}

  MatrixResult element(unsigned Block, unsigned Row, unsigned Column) {
    MatrixResult R;
    OutputPlace At = outputPlace(Op, Row, Column, Block);
    R.Lane = At.Lane;
    R.Bits = bitsOf(Op.Out);
    R.Register = At.Register * (R.Bits == 64 ? 2 : 1);
    R.Shift = 0;
    if (R.Bits == 16) {
      R.Shift = Op.isRdna3() ? 16 * Controls.HighHalf : At.Register % 2 * 16;
      R.Register = Op.isRdna3() ? At.Register : At.Register / 2;
    }
    if (isFloat(Op.A))
      addFloats(R, Block, Row, Column);
    else
      addIntegers(R, Block, Row, Column);
    return R;
  }

private:
  uint64_t accumulator(const MatrixResult &R) const {
    if (!In.C)
      return In.Constant;
    uint64_t Value = In.C[R.Register][R.Lane] >> R.Shift;
    if (R.Bits == 64)
      Value |= uint64_t(In.C[R.Register + 1][R.Lane]) << 32;
    return R.Bits == 16 ? Value & 0xffff : Value;
  }

  unsigned count() const { return Op.isSparse() ? Op.K / 2 : Op.K; }

  /// Where the elements are that position \p K multiplies.
  std::pair<Place, Place> factors(const MatrixResult &R, unsigned Block,
                                  unsigned Row, unsigned Column,
                                  unsigned K) const {
    unsigned BitsA = bitsOf(Op.A), BitsB = bitsOf(Op.B);
    if (Op.isSparse()) {
      Place A = sparseA(Op, Row, K);
      // Each lane has two bits for each of its elements of A.
      unsigned Sets = indexSets(Op), PerSet = 32 / Sets;
      unsigned Set = Op.isRdna()     ? Controls.IndexKey
                     : Controls.Cbsz ? 0
                                     : Controls.Abid % Sets;
      unsigned Selected =
          In.Index[0][A.Lane] >> (Set * PerSet + 2 * A.Element) & 3;
      Place B = sparseB(Op, Column, K / 2 * 4 + Selected);
      return {A, B};
    }
    if (Op.isRdna())
      return {denseWmma(Op, Row, K, R.Lane), denseWmma(Op, Column, K, R.Lane)};
    unsigned BlockOfA = Block;
    Place B = denseMfma(Op, BitsB, Column, K, Block);
    if (Op.Family == MatrixFamily::Mfma && Op.Out != MatrixElement::f64) {
      unsigned Together = 1u << Controls.Cbsz;
      if (Controls.Cbsz)
        BlockOfA = Block / Together * Together + Controls.Abid;
      B.Lane = permutedLane(B.Lane, Controls.Blgp);
    }
    Place A = denseMfma(Op, BitsA, Row, K, BlockOfA);
    return {A, B};
  }

  long double scale(const RegisterRow *Scales, unsigned Lane,
                    unsigned Byte) const {
    unsigned Exponent = Scales[0][Lane] >> (8 * Byte) & 0xff;
    return Exponent == 255 ? std::numeric_limits<long double>::quiet_NaN()
                           : std::ldexp(1.0L, int(Exponent) - 127);
  }

  void addFloats(MatrixResult &R, unsigned Block, unsigned Row,
                 unsigned Column) const {
    long double C = decoded(Op.Out, accumulator(R), Op.Processor);
    bool Negates = Op.isRdna() || Op.Out == MatrixElement::f64;
    unsigned Low = Controls.NegLow;
    if (Op.Out == MatrixElement::f64)
      Low = Controls.Blgp;
    if (Op.Family == MatrixFamily::Wmma && Controls.NegHigh & 4)
      C = std::fabs(C);
    if (Negates && !Op.isSparse() && Low & 4)
      C = -C;
    if (Flushes)
      C = flushed(C);
    R.Value = C;
    R.Magnitude = std::fabs(C);
    for (unsigned K = 0; K != count(); ++K) {
      auto [PlaceA, PlaceB] = factors(R, Block, Row, Column, K);
      long double FactorA = A[PlaceA], FactorB = B[PlaceB];
      // Packed halves: the second of each pair has a sign of its own.
      unsigned Neg = Op.isRdna() && K % 2 ? Controls.NegHigh : Low;
      if (Negates && Neg & 1)
        FactorA = -FactorA;
      if (Negates && Neg & 2)
        FactorB = -FactorB;
      long double Product = FactorA * FactorB;
      if (Op.Family == MatrixFamily::ScaledF8f6f4)
        Product *=
            scale(In.ScaleA, K / 32 * Op.Size + Row, Controls.ScaleByte[0]) *
            scale(In.ScaleB, K / 32 * Op.Size + Column, Controls.ScaleByte[1]);
      R.Value += Product;
      R.Magnitude += std::fabs(Product);
    }
    if (Flushes)
      R.Value = flushed(R.Value);
  }

  void addIntegers(MatrixResult &R, unsigned Block, unsigned Row,
                   unsigned Column) const {
    int64_t Sum = int32_t(uint32_t(accumulator(R)));
    auto Saturate = [&] {
      if (Controls.Clamp)
        Sum = std::clamp<int64_t>(Sum, INT32_MIN, INT32_MAX);
    };
    // Sparse sums saturate after elements 0 to 7 of each sixteen, and again.
    for (unsigned Stage = 0; Stage != 2; ++Stage) {
      for (unsigned K = 0; K != count(); ++K) {
        if (Op.isSparse() ? K / 8 % 2 != Stage : Stage != 0)
          continue;
        auto [PlaceA, PlaceB] = factors(R, Block, Row, Column, K);
        Sum += int64_t(A[PlaceA] * B[PlaceB]);
      }
      Saturate();
    }
    R.Integer = uint32_t(Sum);
  }

  const MatrixOperation &Op;
  const MatrixControls &Controls;
  const MatrixInputs &In;
  bool Flushes;
  Elements A, B;
};
} // namespace

unsigned registersOfA(const MatrixOperation &Op) {
  unsigned K = Op.isSparse() ? Op.K / 2 : Op.K;
  if (Op.isRdna3())
    return K * bitsOf(Op.A) / 32;
  return std::max(1u,
                  Op.Size * K * Op.Blocks * bitsOf(Op.A) / (32 * Op.WaveSize));
}
unsigned registersOfB(const MatrixOperation &Op) {
  if (Op.isRdna3())
    return Op.K * bitsOf(Op.B) / 32;
  return std::max(1u, Op.Size * Op.K * Op.Blocks * bitsOf(Op.B) /
                          (32 * Op.WaveSize));
}
unsigned registersOfD(const MatrixOperation &Op) {
  unsigned Bits = Op.isRdna3() ? 32 : bitsOf(Op.Out);
  return std::max(2u * (Bits == 64),
                  Op.Size * Op.Size * Op.Blocks * Bits / (32 * Op.WaveSize));
}

unsigned indexSets(const MatrixOperation &Op) {
  unsigned Most = 0;
  for (unsigned K = 0; K != Op.K / 2; ++K)
    Most = std::max(Most, sparseA(Op, 0, K).Element);
  return 32 / (2 * (Most + 1));
}

std::vector<MatrixOperation> matrixOperations(const std::string &Processor,
                                              unsigned WaveSize) {
  std::vector<MatrixOperation> Result;
  for (const Named &Row : Operations) {
    std::vector<std::string> Processors = words(Row.Processors);
    if (std::find(Processors.begin(), Processors.end(), Processor) ==
        Processors.end())
      continue;
    for (const std::string &Name : words(Row.Names)) {
      Result.push_back(parse(Name));
      Result.back().Processor = Processor;
      Result.back().WaveSize = WaveSize;
    }
  }
  return Result;
}

std::vector<std::string> testedMatrixOperations(const std::string &Processor) {
  std::vector<std::string> Names;
  for (const MatrixOperation &Op : matrixOperations(Processor, 64))
    Names.push_back(Op.Name);
  // See MatrixDetailTest.cpp.
  bool HasAccum = !Names.empty() && !Processor.starts_with("gfx1");
  if (HasAccum)
    Names.insert(Names.end(), {"v_accvgpr_read_b32", "v_accvgpr_write_b32"});
  if (HasAccum && Processor != "gfx908")
    Names.push_back("v_accvgpr_mov_b32");
  return Names;
}

std::vector<MatrixResult> evaluate(const MatrixOperation &Op,
                                   const MatrixControls &Controls,
                                   const MatrixInputs &In) {
  Evaluation E(Op, Controls, In);
  std::vector<MatrixResult> Results;
  for (unsigned Block = 0; Block != Op.Blocks; ++Block)
    for (unsigned Row = 0; Row != Op.Size; ++Row)
      for (unsigned Column = 0; Column != Op.Size; ++Column)
        Results.push_back(E.element(Block, Row, Column));
  return Results;
}

} // namespace luthier::test
