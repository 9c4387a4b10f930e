// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles and the code that they were made of, or other code.
#include "pgo/StaleCheck.h"
#include "ReadInput.h"
#include "pgo/LineProfile.h"
#include "pgo/ProbeProfile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;
using namespace luthier::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class StaleCheckTest : public testing::TestWithParam<ProfileKind> {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createTemporaryFile("profile", "data", Path));
  }
  void TearDown() override { sys::fs::remove(Path); }

  StringRef route() const { return routeOf(GetParam()); }

  /// What the file of a profile of the inputs says, on gfx90a.
  ProfileFacts facts() {
    const auto Object = readInput(route());
    const CodeCounts Counts = everything(*Object, {1, 1});
    SampleProfile Profile =
        GetParam() == ProfileKind::Probes
            ? cantFail(probeProfile(*Object, Counts, Weight::Waves))
            : cantFail(lineProfile(*Object, Counts, Weight::Waves)).Profile;
    Profile.addTarget("gfx90a");
    cantFail(Profile.write(Path.str().str(), /*IsText=*/false));
    return cantFail(readProfileFacts(Path.str().str()));
  }

  CodeFacts code(StringRef Name) const {
    CodeFacts Code;
    cantFail(addCodeFacts(*readInput(Name), GetParam(), Code));
    return Code;
  }

  SmallString<128> Path;
};

TEST_P(StaleCheckTest, FilesSayHowAndOnWhatTheyWereMade) {
  const ProfileFacts Facts = facts();
  EXPECT_EQ(Facts.Kind, GetParam());
  EXPECT_THAT(Facts.Targets, ElementsAre("gfx90a"));
  EXPECT_TRUE(Facts.Functions.contains("branches"));
  EXPECT_EQ(Facts.Functions.size(), 1u) << "targets are no functions";
}

TEST_P(StaleCheckTest, CodeOfTheSameSourceHasNotChanged) {
  const StaleCheck Check = compare(facts(), code(route()));
  EXPECT_EQ(Check.NumInBoth, 1u);
  EXPECT_EQ(Check.NumSame, 1u);
  EXPECT_THAT(Check.Changed, IsEmpty());
}

TEST_P(StaleCheckTest, FunctionsThatChangedAreNamed) {
  const StaleCheck Check = compare(facts(), code(("other-" + route()).str()));
  EXPECT_EQ(Check.NumInBoth, 1u);
  EXPECT_EQ(Check.NumSame, 0u);
  EXPECT_THAT(Check.Changed, ElementsAre("branches"));
}

TEST_P(StaleCheckTest, InlinedFunctionsThatChangedAreNamed) {
  const StaleCheck Check =
      compare(facts(), code(("inlined-other-" + route()).str()));
  EXPECT_EQ(Check.NumInBoth, 1u);
  EXPECT_EQ(Check.NumSame, 1u) << "what it is inlined into is as it was";
  EXPECT_THAT(Check.Changed, ElementsAre("_ZL4halfj"));
}

TEST_P(StaleCheckTest, WhatAnotherTargetExecutedHasNotChanged) {
  ProfileFacts Both = facts();
  constexpr SourcePlace OnlyThere = {1000, 0};
  FunctionFacts &Function = Both.Functions["branches"];
  Function.Places.insert(OnlyThere);
  Function.Executed.insert(OnlyThere);
  const size_t IsLines = GetParam() == ProfileKind::Lines;
  EXPECT_EQ(compare(Both, code(route())).Changed.size(), IsLines);
  Both.Targets.push_back("gfx90c");
  EXPECT_THAT(compare(Both, code(route())).Changed, IsEmpty());
  EXPECT_THAT(compare(Both, code(("other-" + route()).str())).Changed,
              ElementsAre("branches"));
}

TEST_P(StaleCheckTest, CodeWithoutMarksHasNoFunctions) {
  EXPECT_EQ(compare(facts(), code("release")).NumInBoth, 0u);
}

INSTANTIATE_TEST_SUITE_P(Routes, StaleCheckTest,
                         testing::Values(ProfileKind::Probes,
                                         ProfileKind::Lines),
                         [](const auto &Info) {
                           return routeOf(Info.param).str();
                         });

TEST(StaleCheckOfCountersTest, EachHashOfTheCodeHasToBeInTheProfile) {
  ProfileFacts Profile;
  Profile.Functions["same"].Hashes = {1, 2};
  Profile.Functions["changed"].Hashes = {3};
  Profile.Functions["gone"].Hashes = {4};
  CodeFacts Code;
  const auto Add = [&](StringRef Name, std::set<uint64_t> Hashes) {
    Code.Hashes[IndexedInstrProf::ComputeHash(Name)] = std::move(Hashes);
  };
  Add("same", {2});
  Add("changed", {3, 5});
  Add("new", {6});
  const StaleCheck Check = compare(Profile, Code);
  EXPECT_EQ(Check.NumInBoth, 2u);
  EXPECT_THAT(Check.Changed, ElementsAre("changed"));
}

} // namespace
