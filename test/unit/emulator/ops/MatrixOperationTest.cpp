// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix operations with random operands, registers and controls against the
// reference, on every target that has them. Small integers are summed exactly;
// with other values the sum's distance from the exact one is bounded.
#include "../Assembler.h"
#include "MatrixReference.h"
#include "WaveStepper.h"
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <sstream>

namespace luthier::test {

namespace {

constexpr unsigned NumLanes = WaveStepper::NumLanes;

/// First registers of the operands. Tuples overlap only where that is meant.
constexpr unsigned FirstA = 0, FirstB = 16, FirstIndex = 40, FirstScaleA = 44,
                   FirstScaleB = 46, FirstC = 64, FirstD = 128;

enum class Values { Exact, Random, Special };

/// An instruction, and what its registers are.
struct Trial {
  MatrixOperation Op;
  MatrixControls Controls;
  std::string Text;
  bool AccumA = false, AccumB = false, AccumD = false;
  bool ConstantC = false, TiedC = false;
  uint64_t Constant = 0;
};

struct Target {
  std::string Processor;
  unsigned WaveSize;
};
void PrintTo(const Target &T, std::ostream *OS) {
  *OS << T.Processor << " wave" << T.WaveSize;
}

std::string tuple(bool Accum, unsigned First, unsigned Count) {
  std::string File = Accum ? "a" : "v";
  if (Count == 1)
    return File + std::to_string(First);
  return File + "[" + std::to_string(First) + ":" +
         std::to_string(First + Count - 1) + "]";
}

class MatrixOperationTest : public ::testing::TestWithParam<Target> {
protected:
  static constexpr uint64_t Seed = 20240301;
  static constexpr unsigned TrialsPerOperation = 10;

  MatrixOperationTest()
      : Processor(GetParam().Processor), WaveSize(GetParam().WaveSize),
        Stepper(Processor, WaveSize) {}

  bool chance() { return Random() % 2; }

  void chooseFiles(Trial &T) {
    bool HasAccum = !T.Op.isRdna();
    T.AccumA = HasAccum && chance();
    T.AccumB = HasAccum && chance();
    T.AccumD = HasAccum && (Processor == "gfx908" || chance());
    unsigned Kind = unsigned(Random() % 3);
    // The first processor reads constants wrongly, so no assembler writes them.
    T.ConstantC = !T.Op.isSparse() && Kind == 0 && Processor != "gfx908";
    T.TiedC = T.Op.isSparse() || Kind == 1;
  }

  void chooseControls(Trial &T) {
    MatrixOperation &Op = T.Op;
    MatrixControls &C = T.Controls;
    switch (Op.Family) {
    case MatrixFamily::Mfma:
      C.Blgp = unsigned(Random() % 8) * chance();
      if (Op.Blocks > 1 && Op.Out != MatrixElement::f64 && chance()) {
        unsigned Most = unsigned(std::ilogb(Op.Blocks));
        C.Cbsz = 1 + unsigned(Random() % Most);
        C.Abid = unsigned(Random() % (1u << C.Cbsz));
      }
      break;
    case MatrixFamily::Smfmac:
      C.Cbsz = unsigned(Random() % 2);
      C.Abid = unsigned(Random() % indexSets(Op));
      break;
    case MatrixFamily::F8f6f4:
    case MatrixFamily::ScaledF8f6f4:
      C.Cbsz = unsigned(Random() % 5);
      C.Blgp = unsigned(Random() % 5);
      Op.A = MatrixElement(C.Cbsz);
      Op.B = MatrixElement(C.Blgp);
      C.ScaleByte[0] = unsigned(Random() % 4);
      C.ScaleByte[1] = unsigned(Random() % 4);
      break;
    case MatrixFamily::Wmma:
    case MatrixFamily::Swmmac:
      chooseSigns(T);
      if (Op.isSparse())
        C.IndexKey = unsigned(Random() % indexSets(Op));
      break;
    }
  }

  void chooseSigns(Trial &T) {
    const MatrixOperation &Op = T.Op;
    MatrixControls &C = T.Controls;
    C.Clamp = !isFloat(Op.A) && chance();
    // Bits for A, B and C that mean something.
    unsigned Low = 3, High = 0;
    if (isFloat(Op.A)) {
      Low = bitsOf(Op.A) == 16 ? 7 : 4;
      High = Low;
      if (Op.isSparse())
        Low &= 3, High &= 3;
    }
    C.NegLow = unsigned(Random()) & Low;
    C.NegHigh = unsigned(Random()) & High;
    C.HighHalf = Op.isRdna3() && bitsOf(Op.Out) == 16 && chance();
  }

  /// The constant's text; sets its value as an element of C.
  std::string chooseConstant(Trial &T) {
    if (!isFloat(T.Op.A)) {
      T.Constant = uint64_t(Random() % 2 ? 37 : uint32_t(-3));
      return T.Constant == 37 ? "37" : "-3";
    }
    bool One = chance();
    switch (T.Op.Out) {
    case MatrixElement::f64:
      T.Constant = One ? 0x3ff0000000000000 : 0xc010000000000000;
      break;
    case MatrixElement::f16:
      T.Constant = One ? 0x3c00 : 0xc400;
      break;
    case MatrixElement::bf16:
      T.Constant = One ? 0x3f80 : 0xc080;
      break;
    default:
      T.Constant = One ? 0x3f800000 : 0xc0800000;
    }
    return One ? "1.0" : "-4.0";
  }

  static std::string list(const char *Name, unsigned A, unsigned B,
                          unsigned C) {
    return std::string(" ") + Name + ":[" + std::to_string(A) + "," +
           std::to_string(B) + "," + std::to_string(C) + "]";
  }
  static std::string field(const char *Name, unsigned Value) {
    return Value ? std::string(" ") + Name + ":" + std::to_string(Value) : "";
  }

  std::string controlsText(const Trial &T) const {
    const MatrixControls &C = T.Controls;
    auto Signs = [](const char *Name, unsigned Bits) {
      return Bits ? list(Name, Bits & 1, Bits >> 1 & 1, Bits >> 2 & 1) : "";
    };
    std::string Text;
    if (T.Op.isRdna()) {
      Text += field("index_key", C.IndexKey);
      if (C.HighHalf)
        Text += list("op_sel", 0, 0, 1);
      Text += Signs("neg_lo", C.NegLow) + Signs("neg_hi", C.NegHigh);
      return Text + (C.Clamp ? " clamp" : "");
    }
    if (T.Op.Family == MatrixFamily::ScaledF8f6f4)
      Text += list("op_sel", C.ScaleByte[0] & 1, C.ScaleByte[1] & 1, 0) +
              list("op_sel_hi", C.ScaleByte[0] >> 1, C.ScaleByte[1] >> 1, 0);
    if (T.Op.Out == MatrixElement::f64 && Processor != "gfx90a")
      return Text + Signs("neg", C.Blgp);
    return Text + field("cbsz", C.Cbsz) + field("abid", C.Abid) +
           field("blgp", C.Blgp);
  }

  Trial trial(const MatrixOperation &Op) {
    Trial T;
    T.Op = Op;
    chooseFiles(T);
    chooseControls(T);
    unsigned Count = registersOfD(T.Op);
    std::ostringstream OS;
    OS << Op.Name << ' ' << tuple(T.AccumD, FirstD, Count) << ", "
       << tuple(T.AccumA, FirstA, registersOfA(T.Op)) << ", "
       << tuple(T.AccumB, FirstB, registersOfB(T.Op)) << ", ";
    if (Op.isSparse())
      OS << tuple(false, FirstIndex, 1);
    else if (T.ConstantC)
      OS << chooseConstant(T);
    else
      OS << tuple(T.AccumD, T.TiedC ? FirstD : FirstC, Count);
    if (Op.Family == MatrixFamily::ScaledF8f6f4)
      OS << ", v" << FirstScaleA << ", v" << FirstScaleB;
    OS << controlsText(T);
    T.Text = OS.str();
    return T;
  }

  /// An encoding of \p E whose value is \p Value.
  uint64_t encoded(MatrixElement E, int Value) {
    float Single = float(Value);
    uint32_t Bits;
    std::memcpy(&Bits, &Single, sizeof(Bits));
    switch (E) {
    case MatrixElement::f64: {
      double Double = Value;
      uint64_t Result;
      std::memcpy(&Result, &Double, sizeof(Result));
      return Result;
    }
    case MatrixElement::f32:
    case MatrixElement::xf32:
      return Bits;
    case MatrixElement::bf16:
      return Bits >> 16;
    default:
      return smallEncoded(E, Value);
    }
  }
  uint64_t smallEncoded(MatrixElement E, int Value) {
    auto [At, New] = Encodings.try_emplace({E, Value}, 0);
    while (New && decoded(E, At->second, Processor) != Value)
      ++At->second;
    return At->second;
  }

  /// Infinity, no number, either zero or a denormal.
  uint64_t specialElement(MatrixElement E) {
    for (;;) {
      uint64_t Bits = Random() >> (64 - bitsOf(E));
      // Few random bits make extreme exponents of most.
      unsigned Mantissa = bitsOf(E) == 64            ? 52
                          : bitsOf(E) == 32          ? 23
                          : E == MatrixElement::bf16 ? 7
                                                     : 10;
      if (bitsOf(E) > 8) {
        uint64_t Exponents =
            (uint64_t(1) << (bitsOf(E) - 1)) - (uint64_t(1) << Mantissa);
        Bits = chance() ? Bits & ~Exponents : Bits | Exponents;
        if (Random() % 4 == 0)
          Bits &= ~((uint64_t(1) << Mantissa) - 1);
      }
      long double Value = decoded(E, Bits, Processor);
      if (bitsOf(E) > 8 || !std::isfinite(Value) || Value == 0)
        return Bits;
    }
  }

  /// A finite value of moderate size, or, rarely, a special one.
  uint64_t randomElement(MatrixElement E, Values V) {
    if (!isFloat(E))
      return Random();
    if (V == Values::Exact)
      return encoded(E, int(Random() % 5) - 2);
    if (V == Values::Special && Random() % 256 == 0)
      return specialElement(E);
    for (;;) {
      uint64_t Bits = Random() >> (64 - bitsOf(E));
      long double Value = decoded(E, Bits, Processor);
      bool Moderate = std::isfinite(Value) && std::fabs(Value) < 0x1p5L &&
                      (bitsOf(E) <= 8 || std::fabs(Value) > 0x1p-12L);
      if (Moderate)
        return Bits;
    }
  }

  /// Elements fill the registers bit by bit, wherever they belong.
  void fillElements(unsigned First, unsigned Count, MatrixElement E, Values V) {
    unsigned Bits = bitsOf(E);
    for (unsigned L = 0; L != NumLanes; ++L)
      for (unsigned Bit = 0; Bit + Bits <= 32 * Count; Bit += Bits) {
        uint64_t Value = randomElement(E, V);
        if (Bits < 64)
          Value &= (uint64_t(1) << Bits) - 1;
        for (unsigned N = 0; N != Bits; ++N) {
          uint32_t &Word = Stepper.vgpr(First + (Bit + N) / 32)[L];
          uint32_t Mask = uint32_t(1) << (Bit + N) % 32;
          Word = Value >> N & 1 ? Word | Mask : Word & ~Mask;
        }
      }
  }

  unsigned accumFile(bool Accum) const {
    return Accum ? emulator::NumArchVgprs : 0;
  }
  unsigned registerOfC(const Trial &T) const {
    return accumFile(T.AccumD) + (T.TiedC ? FirstD : FirstC);
  }

  void fillRegisters(const Trial &T, Values V) {
    for (unsigned R = 0; R != emulator::NumVectorRegs; ++R)
      for (unsigned L = 0; L != NumLanes; ++L)
        Stepper.vgpr(R)[L] = uint32_t(Random());
    fillElements(accumFile(T.AccumA) + FirstA, registersOfA(T.Op), T.Op.A, V);
    fillElements(accumFile(T.AccumB) + FirstB, registersOfB(T.Op), T.Op.B, V);
    if (isFloat(T.Op.A)) {
      fillElements(registerOfC(T), registersOfD(T.Op), T.Op.Out, V);
    } else if (T.Controls.Clamp) {
      // Near the limits.
      for (unsigned R = 0; R != registersOfD(T.Op); ++R)
        for (unsigned L = 0; L != NumLanes; ++L)
          Stepper.vgpr(registerOfC(T) + R)[L] =
              0x80000000 + uint32_t(int(Random() % 0x20000) - 0x10000);
    }
    for (unsigned L = 0; L != NumLanes; ++L) {
      fillIndices(L);
      for (unsigned R : {FirstScaleA, FirstScaleB})
        Stepper.vgpr(R)[L] = randomScales(V);
    }
    emulator::Wave &W = Stepper.wave();
    Exec = chance() ? ~uint64_t(0) : Random();
    if (WaveSize == 32)
      Exec &= 0xffffffff;
    W.setS64(emulator::sreg::Exec, Exec);
    W.setMode(uint32_t(Random() & 0x3ff));
  }

  /// Pairs of increasing positions among four.
  void fillIndices(unsigned Lane) {
    static constexpr unsigned Pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    uint32_t Word = 0;
    for (unsigned N = 0; N != 8; ++N)
      Word |= Pairs[Random() % 6] << (4 * N);
    Stepper.vgpr(FirstIndex)[Lane] = Word;
  }

  uint32_t randomScales(Values V) {
    uint32_t Word = 0;
    for (unsigned N = 0; N != 4; ++N) {
      unsigned Exponent = 125 + unsigned(Random() % 5);
      if (V == Values::Random)
        Exponent = 100 + unsigned(Random() % 55);
      if (V == Values::Special && Random() % 64 == 0)
        Exponent = chance() ? 255 : 0;
      Word |= Exponent << (8 * N);
    }
    return Word;
  }

  const RegisterRow *rows(unsigned First) const {
    return reinterpret_cast<const RegisterRow *>(&Before[First * NumLanes]);
  }

  /// What separates a sum with roundings from the exact one.
  long double tolerance(const MatrixOperation &Op,
                        const MatrixResult &R) const {
    unsigned Products = (Op.isSparse() ? Op.K / 2 : Op.K) + 2;
    switch (Op.Out) {
    case MatrixElement::f64:
      return R.Magnitude * Products * 0x1p-53L;
    case MatrixElement::f16:
    case MatrixElement::bf16: {
      bool Half = Op.Out == MatrixElement::f16;
      unsigned Roundings = Products / (Op.isRdna3() ? 2 : 4) + 1;
      return R.Magnitude * (Roundings * (Half ? 0x1p-11L : 0x1p-8L)) +
             R.Magnitude * Products * 0x1p-24L;
    }
    default:
      return R.Magnitude * Products * 0x1p-24L + 0x1p-148L;
    }
  }

  bool agrees(const MatrixOperation &Op, const MatrixResult &R, uint64_t Got,
              Values V) const {
    if (!isFloat(Op.A))
      return Got == R.Integer;
    // Results are not flushed by decoding them.
    long double Value = decoded(Op.Out, Got, "");
    if (std::isnan(R.Value) || std::isnan(Value))
      return std::isnan(R.Value) && std::isnan(Value);
    if (V == Values::Exact)
      return Value == R.Value;
    if (std::isinf(R.Value))
      return Value == R.Value;
    return std::fabs(Value - R.Value) <= tolerance(Op, R);
  }

  /// Empty when all is as it must be.
  std::string run(const Trial &T, Values V) {
    fillRegisters(T, V);
    Before.assign(Stepper.vgpr(0),
                  Stepper.vgpr(emulator::NumVectorRegs - 1) + NumLanes);
    if (auto Fault = Stepper.step())
      return *Fault;
    MatrixInputs In{rows(accumFile(T.AccumA) + FirstA),
                    rows(accumFile(T.AccumB) + FirstB),
                    T.ConstantC ? nullptr : rows(registerOfC(T)),
                    T.Constant,
                    rows(FirstIndex),
                    rows(FirstScaleA),
                    rows(FirstScaleB)};
    std::vector<uint32_t> Expected = Before;
    unsigned First = accumFile(T.AccumD) + FirstD;
    for (const MatrixResult &R : evaluate(T.Op, T.Controls, In)) {
      if (T.Op.isRdna() && !(Exec >> R.Lane & 1))
        continue;
      uint64_t Got = Stepper.vgpr(First + R.Register)[R.Lane] >> R.Shift;
      if (R.Bits == 64)
        Got |= uint64_t(Stepper.vgpr(First + R.Register + 1)[R.Lane]) << 32;
      if (R.Bits == 16)
        Got &= 0xffff;
      if (!agrees(T.Op, R, Got, V)) {
        std::ostringstream OS;
        OS << std::hex << "register " << R.Register << " lane " << R.Lane
           << " shift " << R.Shift << ": got " << Got << " = "
           << double(decoded(T.Op.Out, Got, "")) << ", want " << double(R.Value)
           << " or " << R.Integer << " of magnitude " << double(R.Magnitude);
        return OS.str();
      }
      // Accepted; what follows looks at everything else.
      uint32_t Mask = R.Bits == 16 ? 0xffffu << R.Shift : ~0u;
      for (unsigned N = 0; N != (R.Bits == 64 ? 2 : 1); ++N) {
        uint32_t &Word = Expected[(First + R.Register + N) * NumLanes + R.Lane];
        Word = (Word & ~Mask) |
               (Stepper.vgpr(First + R.Register + N)[R.Lane] & Mask);
      }
    }
    if (std::memcmp(Expected.data(), Stepper.vgpr(0),
                    Expected.size() * sizeof(uint32_t)))
      return "writes more than its results";
    return "";
  }

  void check(const std::vector<Trial> &Trials, Values V) {
    std::vector<std::string> Lines;
    for (const Trial &T : Trials)
      Lines.push_back(T.Text);
    auto Code = assembleEach(Lines, Processor, WaveSize);
    for (size_t N = 0; N != Trials.size(); ++N) {
      if (Code[N].empty()) {
        ADD_FAILURE() << Trials[N].Text << " does not assemble";
        continue;
      }
      Stepper.load(Code[N]);
      std::string Problem = run(Trials[N], V);
      if (!Problem.empty())
        ADD_FAILURE() << Trials[N].Text << ": " << Problem << " (seed " << Seed
                      << ")";
    }
  }

  void checkAll(Values V) {
    for (const MatrixOperation &Op : matrixOperations(Processor, WaveSize)) {
      std::vector<Trial> Trials;
      for (unsigned N = 0; N != TrialsPerOperation; ++N)
        Trials.push_back(trial(Op));
      check(Trials, V);
    }
  }

  const std::string Processor;
  const unsigned WaveSize;
  WaveStepper Stepper;
  std::mt19937_64 Random{Seed};
  std::vector<uint32_t> Before;
  std::map<std::pair<MatrixElement, int>, uint64_t> Encodings;
  uint64_t Exec = 0;
};

TEST_P(MatrixOperationTest, SumsOfSmallIntegersAreExact) {
  checkAll(Values::Exact);
}

TEST_P(MatrixOperationTest, SumsOfOtherValuesAreClose) {
  checkAll(Values::Random);
}

TEST_P(MatrixOperationTest, InfinitiesAndNansSpreadAsInSums) {
  checkAll(Values::Special);
}

INSTANTIATE_TEST_SUITE_P(
    Targets, MatrixOperationTest,
    ::testing::Values(Target{"gfx908", 64}, Target{"gfx90a", 64},
                      Target{"gfx942", 64}, Target{"gfx950", 64},
                      Target{"gfx1100", 32}, Target{"gfx1100", 64},
                      Target{"gfx1201", 32}, Target{"gfx1201", 64}),
    [](const ::testing::TestParamInfo<Target> &Info) {
      return Info.param.Processor + "_wave" +
             std::to_string(Info.param.WaveSize);
    });

} // namespace
} // namespace luthier::test
