// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector operations with random operands, modifiers, EXEC and MODE against the
// reference, on every target that has them.
#include "../Assembler.h"
#include "Reference.h"
#include "VectorReference.h"
#include "VectorVariant.h"
#include "WaveStepper.h"
#include <algorithm>
#include <map>
#include <sstream>

namespace luthier::test {

namespace {

constexpr unsigned NumLanes = WaveStepper::NumLanes;
constexpr unsigned MaxDwords = 32;
using Lanes = uint32_t[NumLanes];

/// Everything an instruction can see, kept to compute what it must do.
struct Before {
  Lanes Source[3][MaxDwords];
  Lanes Result[MaxDwords];
  uint64_t Exec, MaskIn;
  uint32_t Scalar[3][2];
};

/// What must be there afterwards.
struct After {
  Lanes Result[MaxDwords];
  uint64_t Mask = 0;
  /// Lanes whose result, before it is merged, is NaN.
  uint64_t Nans = 0;
};

FloatRules rulesOf(uint32_t Mode, unsigned Round, unsigned Denorm) {
  return {Rounding(Mode >> Round & 3), (Mode >> Denorm & 1) != 0,
          (Mode >> Denorm & 2) != 0};
}

uint64_t section(uint64_t Bits, Section Select, bool Signed) {
  unsigned Width = Select == Section::All     ? 32
                   : Select >= Section::Word0 ? 16
                                              : 8;
  unsigned Shift = Select == Section::All     ? 0
                   : Select == Section::Word1 ? 16
                   : Select == Section::Word0 ? 0
                                              : 8 * unsigned(Select);
  auto Value = uint32_t(Bits >> Shift);
  if (Width == 32)
    return Value;
  uint32_t Mask = (uint32_t(1) << Width) - 1;
  Value &= Mask;
  if (Signed && Value >> (Width - 1))
    Value |= ~Mask;
  return Value;
}

uint64_t withSigns(const Format *F, uint64_t Bits, bool Negate, bool Absolute) {
  if (!F)
    return Bits;
  if (Absolute)
    Bits &= ~F->signBit();
  return Negate ? Bits ^ F->signBit() : Bits;
}

/// The clamp of floats: between 0 and 1, NaN to 0 if MODE says so.
uint64_t clamped(const Format &F, uint64_t Bits, bool NanToZero) {
  if (F.isNan(Bits))
    return NanToZero ? 0 : Bits;
  if (F.isNegative(Bits))
    return 0;
  return std::min(Bits, F.one());
}

class Reference {
public:
  Reference(const Variant &V, const TargetTraits &T, const Before &B,
            uint32_t Mode)
      : V(V), Row(*V.Row), T(T), B(B), Mode(Mode) {}

  void evaluate(After &A) {
    A.Mask = A.Nans = 0;
    if (Row.Traits & ScalarResult)
      return evaluateLane(A, 0);
    std::copy(&B.Result[0][0], &B.Result[0][0] + MaxDwords * NumLanes,
              &A.Result[0][0]);
    for (unsigned L = 0; L != T.WaveSize; ++L)
      if (B.Exec >> L & 1)
        evaluateLane(A, L);
  }
  /// The sources a lane saw, for messages and for NaN results.
  uint64_t Seen[NumLanes][3] = {};

private:
  bool isDpp() const {
    return V.Form == Encoding::Dpp || V.Form == Encoding::LongDpp;
  }

  /// False when DPP keeps the lane from being written.
  bool fetch(LaneCase &C, unsigned L) {
    int From = int(L);
    bool Zero = false;
    if (isDpp()) {
      From = permutedLane(V.Permutation, L);
      bool IsRow16 = V.Permutation != 11;
      if (IsRow16 &&
          !(V.RowMask >> (L / 16) & 1 && V.BankMask >> (L % 16 / 4) & 1))
        return false;
      if (From < 0 || !(V.FetchInactive || B.Exec >> From & 1)) {
        if (IsRow16 && !V.BoundControl)
          return false;
        Zero = true;
      }
    }
    for (unsigned N = 0; N != 3; ++N) {
      Kind K = Row.Src[N];
      const SourceSpec &S = V.Src[N];
      if (K == Kind::None)
        continue;
      unsigned Lane = N == 0 && !Zero ? unsigned(From) : L;
      for (unsigned D = 0; D != dwordsOf(K); ++D)
        Words[N][D] = N == 0 && Zero ? 0 : B.Source[N][D][Lane];
      uint64_t Bits = Words[N][0];
      if (dwordsOf(K) > 1)
        Bits |= uint64_t(Words[N][1]) << 32;
      if (S.From == SourceSpec::Sgpr)
        Bits = B.Scalar[N][0] |
               (dwordsOf(K) > 1 ? uint64_t(B.Scalar[N][1]) << 32 : 0);
      if (S.From == SourceSpec::Constant)
        Bits = dwordsOf(K) > 1 ? S.Value : uint32_t(S.Value);
      C.S[N] = Bits;
      C.Wide[N] = Words[N];
    }
    return true;
  }

  /// Of an operand that is not packed.
  uint64_t modified(unsigned N, uint64_t Bits) const {
    const SourceSpec &S = V.Src[N];
    Kind K = Row.Src[N];
    if (V.Form == Encoding::Sdwa)
      Bits = section(Bits, S.Select, S.SignExtend);
    if (isHalfWidth(K)) {
      if (S.High && S.From != SourceSpec::Constant)
        Bits >>= 16;
      Bits &= 0xffff;
    }
    return withSigns(formatOf(K), Bits, S.Negate, S.Absolute);
  }

  /// One part of a packed operand.
  uint64_t part(unsigned N, uint64_t Bits, bool High) const {
    const SourceSpec &S = V.Src[N];
    Kind K = Row.Src[N];
    if (!isPacked(K))
      return modified(N, Bits);
    unsigned Width = K == Kind::PkF32 ? 32 : 16;
    bool FromHigh = High ? S.HighOfHigh : S.High;
    if (S.From == SourceSpec::Constant && Width == 32)
      FromHigh = false; // a constant serves both
    Bits = Bits >> (FromHigh ? Width : 0);
    Bits &= Width == 16 ? 0xffff : 0xffffffff;
    return withSigns(formatOf(K), Bits, High ? S.NegateHigh : S.Negate, false);
  }

  /// As a float.
  uint64_t mixed(unsigned N, uint64_t Bits) const {
    const SourceSpec &S = V.Src[N];
    if (!S.HighOfHigh)
      return withSigns(&Single, uint32_t(Bits), S.Negate, S.Absolute);
    Bits = Bits >> (S.High ? 16 : 0) & 0xffff;
    Bits = withSigns(&Half, Bits, S.Negate, S.Absolute);
    return convert(Half, Single, Bits, rulesOf(Mode, 2, 6), {});
  }

  uint64_t finish(uint64_t Bits) const {
    const Format *F = formatOf(Row.Dst);
    if (!F || Row.Dst == Kind::B32 || Row.Traits & OwnClamp)
      return Bits;
    bool IsSingle = F == &Single;
    bool KeepsDenormals =
        rulesOf(Mode, 0, IsSingle ? 4 : 6).KeepDenormalResults;
    bool Ieee = T.Generation < 12 && (Mode >> 9 & 1);
    static const int Powers[] = {0, 1, 2, -1};
    if (V.OutputModifier && !KeepsDenormals && !Ieee && !F->isNan(Bits)) {
      FloatRules Rules = rulesOf(Mode, IsSingle ? 0 : 2, IsSingle ? 4 : 6);
      // Scaling is one more operation, for which the result is a source.
      Bits = flushedSource(*F, Bits, Rules);
      if (!F->isInfinite(Bits))
        Bits = round(*F, scaled(exactOf(*F, Bits), Powers[V.OutputModifier]),
                     Rules);
      if (F->isZero(Bits))
        Bits = 0;
    }
    return V.Clamp ? clamped(*F, Bits, Mode >> 8 & 1) : Bits;
  }

  void evaluateLane(After &A, unsigned L) {
    LaneCase C;
    C.Lane = L;
    C.Old = B.Result[0][L];
    if (dwordsOf(Row.Dst) == 2)
      C.Old |= uint64_t(B.Result[1][L]) << 32;
    if (V.DstHigh)
      C.Old >>= 16;
    C.MaskIn = B.MaskIn >> L & 1;
    C.Clamp = V.Clamp;
    C.OpSel = V.OpSel;
    C.Immediate = V.Immediate;
    C.Single = rulesOf(Mode, 0, 4);
    C.Double = rulesOf(Mode, 2, 6);
    C.Ieee = Mode >> 9 & 1;
    C.NanToZero = Mode >> 8 & 1;
    C.StopsAtLargest = Mode >> 23 & 1;
    C.HasOldFp8 = T.Processor == "gfx942";
    C.Generation = T.Generation;
    C.Byte = V.Byte;
    if (!fetch(C, L))
      return;
    uint64_t Raw[3] = {C.S[0], C.S[1], C.S[2]};
    if (isPacked(Row.Dst)) {
      unsigned Width = Row.Dst == Kind::PkF32 ? 32 : 16;
      uint64_t Old = C.Old, Result = 0, Mask = (uint64_t(1) << Width) - 1;
      for (bool High : {false, true}) {
        for (unsigned N = 0; N != 3; ++N)
          C.S[N] = part(N, Raw[N], High);
        C.Old = Old >> (High ? Width : 0) & Mask;
        Result |= (finish(Row.Evaluate(C)) & Mask) << (High ? Width : 0);
      }
      std::copy(Raw, Raw + 3, Seen[L]);
      return store(A, L, Result, C);
    }
    for (unsigned N = 0; N != 3; ++N)
      C.S[N] = Row.Src[N] == Kind::Mix ? mixed(N, Raw[N])
               : isPacked(Row.Src[N])
                   ? part(N, Raw[N], false) | part(N, Raw[N], true) << 16
                   : modified(N, Raw[N]);
    std::copy(C.S, C.S + 3, Seen[L]);
    uint64_t Result = finish(Row.Evaluate(C));
    if (const Format *F = formatOf(Row.Dst))
      A.Nans |= uint64_t(F->isNan(Result)) << L;
    A.Mask |= uint64_t(Row.Dst == Kind::Mask ? Result & 1 : C.MaskOut) << L;
    store(A, L, Result, C);
  }

  void store(After &A, unsigned L, uint64_t Result, const LaneCase &C) {
    unsigned Count = dwordsOf(Row.Dst);
    if (Row.Dst == Kind::Mask)
      return;
    if (Count > 2) {
      for (unsigned D = 0; D != Count; ++D)
        A.Result[D][L] = C.WideOut[D];
      return;
    }
    if (Count == 2)
      A.Result[1][L] = uint32_t(Result >> 32);
    A.Result[0][L] = merged(uint32_t(Result), B.Result[0][L]);
  }

  /// With the bits of the destination that stay.
  uint32_t merged(uint32_t Value, uint32_t Old) const {
    if (V.Form == Encoding::Sdwa)
      return mergedSection(isHalfWidth(Row.Dst) ? Value & 0xffff : Value, Old);
    if (!isHalfWidth(Row.Dst))
      return Value;
    Value &= 0xffff;
    if (V.DstHigh || Row.Traits & WritesHigh)
      return Value << 16 | (Old & 0xffff);
    if (Row.Traits & ScalarResult)
      return Value;
    // The first 16-bit operations cleared the other half; see KeepsHigh.
    bool Keeps = T.Generation >= 10 || Row.Traits & KeepsHigh;
    // Selecting any half makes the operation one that keeps the rest.
    return Keeps ? Value | (Old & 0xffff0000) : Value;
  }
  uint32_t mergedSection(uint32_t Value, uint32_t Old) const {
    if (V.DstSelect == Section::All)
      return Value;
    unsigned Width = V.DstSelect >= Section::Word0 ? 16 : 8;
    unsigned Shift = V.DstSelect == Section::Word1 ? 16
                     : V.DstSelect == Section::Word0
                         ? 0
                         : 8 * unsigned(V.DstSelect);
    uint32_t Mask = (uint32_t(1) << Width) - 1;
    Value &= Mask;
    uint32_t Result = Value << Shift;
    if (V.DstUnused == 2)
      return Result | (Old & ~(Mask << Shift));
    if (V.DstUnused == 1 && Value >> (Width - 1) & 1)
      Result |= uint32_t(~((uint64_t(1) << (Shift + Width)) - 1));
    return Result;
  }

  const Variant &V;
  const VectorRow &Row;
  const TargetTraits &T;
  const Before &B;
  uint32_t Mode;
  uint32_t Words[3][MaxDwords] = {};
};

/// Whether all parts that differ are NaNs of one format.
bool sameNarrow(uint32_t Got, uint32_t Want) {
  static const Format BytesOf5{5, 2};
  for (const Format *F : {&Single, &Half, &Bfloat, &BytesOf5}) {
    bool Same = true;
    for (unsigned At = 0; At < 32; At += F->width()) {
      uint64_t Mask = (uint64_t(1) << F->width()) - 1;
      uint64_t G = Got >> At & Mask, W = Want >> At & Mask;
      Same &= G == W || (F->isNan(G) && F->isNan(W));
    }
    if (Same)
      return true;
  }
  return false;
}

/// At most so many numbers apart.
bool isNear(const Format &F, uint64_t A, uint64_t B, unsigned Units) {
  if (!Units || F.isNan(A) || F.isNan(B))
    return false;
  auto Position = [&](uint64_t V) {
    auto Size = int64_t(V & (F.signBit() - 1));
    return F.isNegative(V) ? -Size : Size;
  };
  int64_t Distance = Position(A) - Position(B);
  return Distance >= -int64_t(Units) && Distance <= int64_t(Units);
}

/// Whether \p Got is as good a NaN as \p Want: both quiet, and either that of
/// some source or, where no source is one, without payload.
bool sameValue(const VectorRow &Row, uint64_t Got, uint64_t Want,
               const uint64_t (&Sources)[3]) {
  if (Got == Want)
    return true;
  if (Row.Traits & NarrowNans)
    return sameNarrow(uint32_t(Got), uint32_t(Want)) &&
           sameNarrow(uint32_t(Got >> 32), uint32_t(Want >> 32));
  const Format *F = formatOf(Row.Dst);
  if (!F || Row.Dst == Kind::B32)
    return false;
  unsigned Parts = isPacked(Row.Dst) ? 2 : 1, Width = F->width();
  uint64_t Mask = Width == 64 ? ~uint64_t(0) : (uint64_t(1) << Width) - 1;
  for (unsigned P = 0; P != Parts; ++P) {
    uint64_t G = Got >> (P * Width) & Mask, W = Want >> (P * Width) & Mask;
    if (G == W)
      continue;
    if (isNear(*F, G, W, Row.Units))
      continue;
    if (!F->isNan(G) || !F->isNan(W) || F->isSignalling(G))
      return false;
    if (Row.Traits & OtherNan || Parts == 2)
      continue;
    bool Any = false, Same = false;
    for (unsigned N = 0; N != 3; ++N) {
      if (formatOf(Row.Src[N]) != F)
        continue;
      Any |= F->isNan(Sources[N]);
      Same |= F->isNan(Sources[N]) && (Sources[N] | F->quietBit()) == G;
    }
    if (Row.Traits & Accumulates)
      continue;
    if (Any ? !Same : (G & ~F->signBit()) != F->quietNan())
      return false;
  }
  if (Parts * Width < 64)
    return (Got ^ Want) >> (Parts * Width) == 0;
  return true;
}

struct Case {
  TargetTraits T;
  VectorTable Table;
};
void PrintTo(const Case &C, std::ostream *OS) {
  *OS << C.T.Processor << " wave" << C.T.WaveSize << ' ' << C.Table.Name;
}

class VectorOperationTest : public ::testing::TestWithParam<Case> {
protected:
  static constexpr uint64_t Seed = 20240229;
  /// Rounds of 64 lanes per variant.
  static constexpr int Repetitions = 6;

  VectorOperationTest() : T(GetParam().T), Stepper(T.Processor, T.WaveSize) {}

  void fill(const Variant &V) {
    emulator::Wave &W = Stepper.wave();
    auto FillRow = [&](Lanes *To, unsigned Reg, Kind K) {
      for (unsigned L = 0; L != NumLanes; ++L) {
        for (unsigned D = 0; D < dwordsOf(K); D += 2) {
          uint64_t Value = randomValue(K, Random);
          To[D][L] = uint32_t(Value);
          To[D + 1][L] = uint32_t(Value >> 32);
        }
        for (unsigned D = 0; D != dwordsOf(K); ++D)
          W.vgpr(Reg + D)[L] = To[D][L];
      }
    };
    for (unsigned N = 3; N-- != 0;) {
      Kind K = V.Row->Src[N];
      FillRow(B.Source[N], SourceVgpr[N], K);
      uint64_t Value = randomValue(K == Kind::None ? Kind::U32 : K, Random);
      W.setS64(SourceSgpr + 4 * N, Value);
      B.Scalar[N][0] = uint32_t(Value), B.Scalar[N][1] = uint32_t(Value >> 32);
    }
    FillRow(B.Result, ResultVgpr, V.Row->Dst);
    if (V.Row->Traits & SharedSources)
      shareSources(V);
    B.Exec = Random() % 2 ? ~uint64_t(0) : Random();
    B.MaskIn = Random();
    if (T.WaveSize == 32)
      B.Exec &= 0xffffffff, B.MaskIn &= 0xffffffff;
    W.setS64(emulator::sreg::Exec, B.Exec);
    W.setS64(VccSgpr, usesVcc(V) ? B.MaskIn : Random());
    W.setS64(MaskSgpr, usesVcc(V) ? Random() : B.MaskIn);
    W.setS64(ResultSgpr, Random());
    // Rounding, denormals, DX10 clamp and IEEE.
    Mode = Random() % 2 ? uint32_t(Random() & 0x3ff) : 0x3f0;
    if (V.Row->Traits & RandomScale)
      Mode |= uint32_t(Random() & 1) << 23;
    // Two of them are gone in the last generation, as if set.
    if (T.Generation >= 12)
      Mode |= 0x300;
    W.setMode(Mode);
  }

  void shareSources(const Variant &V) {
    for (unsigned L = 0; L != NumLanes; ++L)
      if (unsigned From = Random() % 3)
        for (unsigned D = 0; D != dwordsOf(V.Row->Src[0]); ++D)
          Stepper.vgpr(SourceVgpr[0] + D)[L] = B.Source[0][D][L] =
              B.Source[From][D][L];
  }

  bool sameMerged(const Variant &V, unsigned L, uint64_t Got, uint64_t Want,
                  const uint64_t (&Sources)[3]) const {
    // Of a NaN in parts, only that it is one can be said.
    if (V.Form == Encoding::Sdwa && V.DstSelect != Section::All)
      return A.Nans >> L & 1;
    if (!isHalfWidth(V.Row->Dst))
      return sameValue(*V.Row, Got, Want, Sources);
    unsigned At = V.DstHigh || V.Row->Traits & WritesHigh ? 16 : 0;
    return ((Got ^ Want) & 0xffff << (16 - At)) == 0 &&
           sameValue(*V.Row, Got >> At & 0xffff, Want >> At & 0xffff, Sources);
  }

  /// Empty when all is as it must be.
  std::string run(const Variant &V) {
    fill(V);
    if (auto Fault = Stepper.step())
      return *Fault;
    Reference R(V, T, B, Mode);
    R.evaluate(A);
    std::ostringstream OS;
    if (V.Row->Traits & ScalarResult) {
      uint32_t Got = Stepper.wave().S[ResultSgpr], Want = A.Result[0][0];
      if (Got != Want && !sameValue(*V.Row, Got, Want, R.Seen[0]))
        OS << std::hex << "got " << Got << ", want " << Want << " from "
           << R.Seen[0][0] << ", mode " << Mode;
      return OS.str();
    }
    unsigned Count = dwordsOf(V.Row->Dst);
    for (unsigned L = 0; L != T.WaveSize && OS.str().empty(); ++L) {
      for (unsigned D = 0; D < Count; D += 2) {
        bool Pair = D + 1 < Count;
        auto Value = [&](uint32_t Low, uint32_t High) {
          return Low | (Pair ? uint64_t(High) << 32 : 0);
        };
        uint64_t Got = Value(Stepper.vgpr(ResultVgpr + D)[L],
                             Stepper.vgpr(ResultVgpr + D + 1)[L]);
        uint64_t Want = Value(A.Result[D][L], A.Result[D + 1][L]);
        bool Written = B.Exec >> L & 1;
        if (Got != Want &&
            (!Written || !sameMerged(V, L, Got, Want, R.Seen[L])))
          OS << std::hex << "lane " << L << " dword " << D << ": got " << Got
             << ", want " << Want << " from " << R.Seen[L][0] << ", "
             << R.Seen[L][1] << ", " << R.Seen[L][2] << ", old "
             << B.Result[D][L] << ", mode " << Mode << ", exec " << B.Exec;
      }
    }
    checkMasks(V, OS);
    return OS.str();
  }

  void checkMasks(const Variant &V, std::ostream &OS) {
    emulator::Wave &W = Stepper.wave();
    const VectorRow &Row = *V.Row;
    bool ToExecOnly = Row.Traits & WritesExec && T.Generation >= 10;
    uint64_t Wave = T.WaveSize == 64 ? ~uint64_t(0) : 0xffffffff;
    auto Expect = [&](const char *What, unsigned Reg, uint64_t Want) {
      uint64_t Got = W.s64(Reg) & Wave;
      if (Got != Want)
        OS << std::hex << What << ": got " << Got << ", want " << Want
           << ", mode " << Mode << ", exec " << B.Exec;
    };
    if ((Row.Dst == Kind::Mask || Row.Traits & WritesMask) && !ToExecOnly)
      Expect("mask", usesVcc(V) ? VccSgpr : ResultSgpr, A.Mask);
    Expect("EXEC", emulator::sreg::Exec,
           Row.Traits & WritesExec ? A.Mask : B.Exec);
  }

  TargetTraits T;
  WaveStepper Stepper;
  std::mt19937_64 Random{Seed};
  Before B;
  After A;
  uint32_t Mode = 0;
};

TEST_P(VectorOperationTest, MatchesReference) {
  std::vector<Variant> Variants;
  std::vector<std::string> Lines;
  for (const VectorRow &Row : GetParam().Table.Rows())
    for (const Variant &V : variantsOf(Row, T, Random))
      Variants.push_back(V), Lines.push_back(textOf(V, T));
  auto Code = assembleEach(Lines, T.Processor, T.WaveSize);
  std::map<std::string, std::string> Failures;
  unsigned Tested = 0;
  for (size_t N = 0; N != Variants.size(); ++N) {
    if (Code[N].empty())
      continue;
    ++Tested;
    Stepper.load(Code[N]);
    for (int Repeat = 0; Repeat != Repetitions; ++Repeat) {
      std::string Problem = run(Variants[N]);
      if (!Problem.empty()) {
        Failures.emplace(Variants[N].Row->Name, Lines[N] + ": " + Problem);
        break;
      }
    }
  }
  for (auto &[Name, Problem] : Failures)
    ADD_FAILURE() << Problem << " (seed " << Seed << ")";
  RecordProperty("variants", int(Tested));
}

/// An operation that no longer assembles would silently go untested.
TEST(VectorOperations, AreTestedInFullNumbers) {
  static const std::pair<const char *, size_t> Least[] = {
      {"gfx906", 440}, {"gfx908", 455},  {"gfx90a", 465},  {"gfx942", 470},
      {"gfx950", 535}, {"gfx1030", 430}, {"gfx1100", 470}, {"gfx1201", 500}};
  for (auto [Processor, Count] : Least)
    EXPECT_GE(testedVectorOperations(Processor).size(), Count) << Processor;
}

std::vector<Case> allCases() {
  std::vector<Case> Cases;
  for (const TargetTraits &T : testedTargets())
    for (const VectorTable &Table : vectorTables())
      Cases.push_back({T, Table});
  return Cases;
}

INSTANTIATE_TEST_SUITE_P(Targets, VectorOperationTest,
                         ::testing::ValuesIn(allCases()),
                         [](const ::testing::TestParamInfo<Case> &Info) {
                           const Case &C = Info.param;
                           return C.T.Processor + "_wave" +
                                  std::to_string(C.T.WaveSize) + "_" +
                                  C.Table.Name;
                         });

} // namespace
} // namespace luthier::test
