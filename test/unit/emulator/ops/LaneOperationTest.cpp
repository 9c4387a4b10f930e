// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations in which lanes or registers meet: permutations, lane access,
// swaps and register-relative moves, on random state.
#include "../Assembler.h"
#include "LaneReference.h"
#include "WaveStepper.h"
#include "emulator/isa/OperationFacts.h"
#include "emulator/isa/Renames.h"
#include <cstring>
#include <map>
#include <memory>
#include <random>

namespace luthier::test {

namespace {

constexpr uint64_t Seed = 7001;
constexpr int Repetitions = 24;

class LaneOperationTest : public ::testing::TestWithParam<TargetTraits> {
protected:
  LaneOperationTest()
      : T(GetParam()), Stepper(T.Processor, T.WaveSize),
        S(std::make_unique<LaneState>()) {}

  void randomise(bool TwoIndices) {
    emulator::Wave &W = Stepper.wave();
    for (auto &Row : S->V)
      for (uint32_t &Lane : Row)
        Lane = uint32_t(Random());
    for (uint32_t &Register : S->S)
      Register = uint32_t(Random());
    S->WaveSize = T.WaveSize;
    S->Exec = Random() % 3 ? Random() : Random() % 2 ? ~uint64_t(0) : 0;
    if (T.WaveSize == 32)
      S->Exec &= 0xffffffff;
    // Small enough for register-relative moves.
    S->M0 = uint32_t(Random() % 8);
    if (TwoIndices)
      S->M0 |= uint32_t(Random() % 8) << 16;
    for (unsigned N = 0; N != LaneState::NumVgprs; ++N)
      std::memcpy(W.vgpr(N), S->V[N], sizeof(S->V[N]));
    std::memcpy(W.S, S->S, sizeof(S->S));
    W.S[emulator::sreg::M0] = S->M0;
    W.setS64(emulator::sreg::Exec, S->Exec);
  }

  /// The first difference, or nothing.
  std::string compare() {
    emulator::Wave &W = Stepper.wave();
    for (unsigned N = 0; N != LaneState::NumVgprs; ++N)
      for (unsigned L = 0; L != T.WaveSize; ++L)
        if (W.vgpr(N)[L] != S->V[N][L])
          return "v" + std::to_string(N) + " lane " + std::to_string(L);
    for (unsigned N = 0; N != LaneState::NumSgprs; ++N)
      if (W.S[N] != S->S[N])
        return "s" + std::to_string(N);
    return "";
  }

  TargetTraits T;
  WaveStepper Stepper;
  std::unique_ptr<LaneState> S;
  std::mt19937_64 Random{Seed};
};

TEST_P(LaneOperationTest, MatchesReference) {
  std::vector<std::string> Lines;
  for (const LaneRow &Row : laneRows())
    Lines.push_back(Row.Assembly);
  auto Code = assembleEach(Lines, T.Processor, T.WaveSize);
  unsigned Tested = 0;
  for (size_t N = 0; N != Lines.size(); ++N) {
    if (Code[N].empty())
      continue;
    ++Tested;
    Stepper.load(Code[N]);
    for (int Repeat = 0; Repeat != Repetitions; ++Repeat) {
      // One operation of two relative registers has an index for each.
      std::string Name = laneRows()[N].Name;
      randomise(Name == "v_movrelsd_2_b32" || Name == "v_swaprel_b32");
      auto Fault = Stepper.step();
      laneRows()[N].Evaluate(*S);
      std::string Problem = Fault ? *Fault : compare();
      if (!Problem.empty()) {
        ADD_FAILURE() << Lines[N] << ": " << Problem << " (seed " << Seed
                      << ")";
        break;
      }
    }
  }
  // Every target reads and writes lanes, counts bits and swaps registers.
  EXPECT_GE(Tested, 8u);
}

/// Whether scalar registers, or what active lanes have, come to depend on
/// vector registers of inactive lanes, according to the reference.
bool readsInactive(const LaneRow &Row, std::mt19937_64 &Random) {
  auto One = std::make_unique<LaneState>(),
       Other = std::make_unique<LaneState>();
  for (auto &Register : One->V)
    for (uint32_t &Lane : Register)
      Lane = uint32_t(Random());
  for (uint32_t &Register : One->S)
    Register = uint32_t(Random());
  One->WaveSize = LaneState::NumLanes;
  One->Exec = Random() % 4 ? Random() : 0;
  One->M0 = uint32_t(Random() % 8 << 16 | Random() % 8);
  if (std::string_view(Row.Name) != "v_movrelsd_2_b32" &&
      std::string_view(Row.Name) != "v_swaprel_b32")
    One->M0 &= 7;
  *Other = *One;
  for (auto &Register : Other->V)
    for (unsigned L = 0; L != LaneState::NumLanes; ++L)
      if (!Other->active(L))
        Register[L] = uint32_t(Random());
  Row.Evaluate(*One);
  Row.Evaluate(*Other);
  bool Differ = std::memcmp(One->S, Other->S, sizeof(One->S)) != 0;
  for (unsigned N = 0; N != LaneState::NumVgprs; ++N)
    for (unsigned L = 0; L != LaneState::NumLanes; ++L)
      Differ |= One->active(L) && One->V[N][L] != Other->V[N][L];
  return Differ;
}

/// LLVM's tables do not say it of all of them. Without the trait, strict mode
/// and lockstep would not look at those lanes.
TEST(LaneOperations, SayThatTheyReadInactiveLanes) {
  std::mt19937_64 Random{Seed};
  std::map<std::string, bool> Reads;
  for (const LaneRow &Row : laneRows())
    for (int Repeat = 0; Repeat != Repetitions; ++Repeat)
      Reads[emulator::canonicalMnemonic(Row.Name)] |=
          readsInactive(Row, Random);
  for (const auto &[Name, Does] : Reads)
    EXPECT_EQ(emulator::factsOf(Name).has(emulator::trait::ReadsInactive), Does)
        << Name;
}

INSTANTIATE_TEST_SUITE_P(
    Targets, LaneOperationTest, ::testing::ValuesIn(testedTargets()),
    [](const ::testing::TestParamInfo<TargetTraits> &Info) {
      return Info.param.Processor + "_wave" +
             std::to_string(Info.param.WaveSize);
    });

} // namespace
} // namespace luthier::test
