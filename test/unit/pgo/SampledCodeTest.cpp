// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/SampledCode.h"
#include "ReadInput.h"
#include "pgo/Marks.h"
#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;
using namespace luthier::test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

namespace {

/// Each instruction of kernels by one wave.
class SampledCodeTest : public testing::Test {
protected:
  void executed(StringRef Name) {
    const auto Object = readInput(Name);
    Executed[digestOf(*Object)]["branches"] = everything(*Object, {1, 64});
    Found.Code[digestOf(*Object)] = (INPUT_DIRECTORY "/" + Name + ".co").str();
  }
  SampledCode sample(std::optional<PlaceKind> Marks = std::nullopt) {
    return cantFail(sampleCode(Found, Executed, {}, {Weight::Waves, Marks}));
  }
  static std::vector<std::pair<std::string, PlaceKind>>
  kindsOf(const SampledCode &Sampled) {
    const auto Kinds = make_first_range(Sampled.Profiles);
    return {Kinds.begin(), Kinds.end()};
  }

  Collected Found;
  ExecutedCode Executed;
};

TEST_F(SampledCodeTest, EachCodeObjectIsCountedByItsOwnMarks) {
  executed("probes");
  executed("lines");
  const SampledCode Sampled = sample();
  EXPECT_THAT(Sampled.Missing, IsEmpty());
  EXPECT_THAT(kindsOf(Sampled), ElementsAre(Pair("gfx90a", PlaceKind::Probes),
                                            Pair("gfx90a", PlaceKind::Lines)));
  for (const auto &[Of, Profile] : Sampled.Profiles) {
    EXPECT_EQ(Profile.kind(), Of.second);
    EXPECT_THAT(Profile.targets(), ElementsAre("gfx90a"));
    EXPECT_TRUE(Profile.find("branches"));
  }
}

TEST_F(SampledCodeTest, OnlyTheMarksThatAreAskedForAreUsed) {
  executed("lines");
  EXPECT_THAT(kindsOf(sample(PlaceKind::Lines)),
              ElementsAre(Pair("gfx90a", PlaceKind::Lines)));
  const SampledCode Sampled = sample(PlaceKind::Probes);
  EXPECT_TRUE(Sampled.Profiles.empty());
  EXPECT_THAT(
      Sampled.Missing,
      ElementsAre("the code of branches: it has no counters, and no pseudo "
                  "probes"));
}

TEST_F(SampledCodeTest, LineTablesWithoutNamesAreALackNotAFailure) {
  executed("probes");
  EXPECT_THAT(sample(PlaceKind::Lines).Missing,
              ElementsAre(testing::StartsWith("the code of branches: the line "
                                              "tables were made without")));
}

TEST_F(SampledCodeTest, CodeThatCountsByItselfIsLeftOut) {
  executed("probes");
  Found.Counting.insert(Executed.begin()->first);
  const SampledCode Sampled = sample();
  EXPECT_TRUE(Sampled.Profiles.empty());
  EXPECT_THAT(Sampled.Missing, IsEmpty());
}

TEST_F(SampledCodeTest, CodeWithoutMarksIsNamedByAKernel) {
  executed("release");
  Executed["nobody left a copy"]["_Z5otherv"] = {};
  EXPECT_THAT(
      sample().Missing,
      testing::UnorderedElementsAre(
          "the code of branches: it has no counters, and no pseudo probes "
          "or line tables",
          "the code of other(): it has no counters, and no pseudo probes "
          "or line tables"));
  EXPECT_THAT(
      sample(PlaceKind::Lines).Missing,
      testing::Contains("the code of branches: it has no counters, and no "
                        "line tables"));
}

TEST_F(SampledCodeTest, OnlyKernelsWithMarksAreMissedWithoutHooks) {
  executed("probes");
  const std::string Digest = Executed.begin()->first;
  noteUncounted({{{Digest, "_Z5otherv"}, "dynamic-stack"},
                 {{"nobody left a copy", "branches"}, "dynamic-stack"}},
                "counts", Found);
  EXPECT_THAT(Found.Uncounted,
              ElementsAre("counts of other() are missing, for it runs without "
                          "hooks: dynamic-stack"));
}

TEST_F(SampledCodeTest, KernelsAreNamedWhoseCountsDoNotFitIntoCounters) {
  executed("probes");
  noteOverflown({{{Executed.begin()->first, "_Z5otherv"}, "too often"},
                 {{"nobody left a copy", "branches"}, "too often"}},
                Found);
  EXPECT_THAT(Found.Uncounted,
              ElementsAre("counts of other() are missing, for they do not fit "
                          "into counters (counter-overflow): too often"));
}

TEST(MarksTest, MarksAreFoundByTheNamesOfSections) {
  EXPECT_TRUE(hasMarks(readInput("probes")->bytes()));
  EXPECT_TRUE(hasMarks(readInput("lines")->bytes()));
  EXPECT_FALSE(hasMarks(readInput("release")->bytes()));
  EXPECT_FALSE(hasMarks({}));
}

} // namespace
