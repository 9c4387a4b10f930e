// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Judgement.h"
#include "pgo/RunOutput.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace luthier::pgo;
using testing::HasSubstr;

namespace {

KernelCosts costs(uint64_t Cycles, uint64_t Instructions) {
  KernelCosts K;
  K.Executed = {1, Instructions, Instructions * 64, Cycles};
  return K;
}

TEST(JudgementTest, KernelsAreBetterOrWorseBeyondTheTolerance) {
  const ProgramCosts Before = {{"better", costs(1000, 100)},
                               {"gone", costs(1, 1)},
                               {"nearly", costs(1000, 100)},
                               {"worse", costs(1000, 100)}};
  const ProgramCosts After = {{"better", costs(980, 130)},
                              {"nearly", costs(1009, 100)},
                              {"new", costs(1, 1)},
                              {"worse", costs(1011, 70)}};
  auto ChangesBy = [&](Measure By) {
    std::vector<std::pair<std::string, int>> Changes;
    for (const JudgedKernel &K : judge(Before, After, By, 1))
      Changes.emplace_back(K.Name, K.Change);
    return Changes;
  };
  using K = JudgedKernel;
  EXPECT_THAT(ChangesBy(Measure::Cycles),
              testing::ElementsAre(std::pair("better", K::Better),
                                   std::pair("gone", K::OnlyBefore),
                                   std::pair("nearly", K::Same),
                                   std::pair("new", K::OnlyAfter),
                                   std::pair("worse", K::Worse)));
  EXPECT_THAT(ChangesBy(Measure::Instructions),
              testing::ElementsAre(std::pair("better", K::Worse),
                                   std::pair("gone", K::OnlyBefore),
                                   std::pair("nearly", K::Same),
                                   std::pair("new", K::OnlyAfter),
                                   std::pair("worse", K::Better)));
}

TEST(JudgementTest, TablesAndReportsSayWhatChanged) {
  ProgramCosts Before = {{"_Z1kPi", costs(1000, 100)}};
  ProgramCosts After = {{"_Z1kPi", costs(250, 200)}};
  Before["_Z1kPi"].Resources = KernelResources{24, 0, 16, 3, 128, 0, 8};
  After["_Z1kPi"].Resources = KernelResources{32, 4, 16, 0, 0, 0, 8};
  const auto Kernels = judge(Before, After, Measure::Cycles, 1);
  std::string Table, Json;
  raw_string_ostream TableOS(Table), JsonOS(Json);
  printTable(Kernels, TableOS);
  EXPECT_THAT(Table, testing::ContainsRegex(
                         "better +200 +\\+100.0 +12800 +\\+100.0 +250 +-75.0 "
                         "+24>32 +0>4 +16 +3>0 +128>0 +8 +k\\(int\\*\\)"));
  printJson(Kernels, "", JsonOS);
  EXPECT_THAT(Json, HasSubstr("\"output\": \"same\""));
  EXPECT_THAT(Json, HasSubstr("\"verdict\": \"better\""));
  EXPECT_THAT(Json, HasSubstr("\"vgprs\": 32"));
  EXPECT_THAT(Json, HasSubstr("\"spilled\": 3"));
}

RunOutput printing(StringRef Text) { return {0, Text.str(), {}}; }

TEST(RunOutputTest, TheFirstDifferenceIsNamed) {
  const OutputFilter All;
  const RunOutput Before = printing("a\nb\nc\n");
  EXPECT_EQ(differenceOf(Before, printing("a\nb\nc\n"), All), "");
  EXPECT_EQ(differenceOf(Before, printing("a\nB\nC\n"), All),
            "line 2 was 'b' and is 'B'");
  EXPECT_NE(differenceOf(Before, printing("a\nb\n"), All), "");
  EXPECT_NE(differenceOf(Before, printing("a\nb\nc\n\n"), All), "");
  RunOutput Failing = Before;
  Failing.ExitCode = 134;
  EXPECT_EQ(differenceOf(Before, Failing, All),
            "the exit code was 0 and is 134");
}

TEST(RunOutputTest, IgnoredLinesMayDifferInNumberToo) {
  OutputFilter Filter;
  Filter.IgnoredLines.emplace_back("^time");
  EXPECT_EQ(differenceOf(printing("time 1\na\n"),
                         printing("a\ntime 2\ntime 3\n"), Filter),
            "");
  EXPECT_EQ(differenceOf(printing("time 1\na\n"), printing("b\n"), Filter),
            "line 2 was 'a' and is 'b'");
}

TEST(RunOutputTest, FilesAreCompared) {
  const OutputFilter All;
  RunOutput Before = printing(""), After = printing("");
  Before.Files["f"] = "12345";
  After.Files["f"] = "12345";
  EXPECT_EQ(differenceOf(Before, After, All), "");
  After.Files["f"] = "12x45";
  EXPECT_EQ(differenceOf(Before, After, All), "f differs from byte 2 on");
  After.Files["f"] = std::nullopt;
  EXPECT_EQ(differenceOf(Before, After, All),
            "only the program before writes f");
}

TEST(RunOutputTest, WhatMayBeRoundedInAnotherWayIsTold) {
  OutputFilter Filter;
  Filter.IgnoredLines.emplace_back("^time");
  const RunOutput Before = printing("time 1\nsum=1.2345678, of 7\n0x1.8p+1\n");
  const auto MayBeRounded = [&](StringRef After) {
    return differsLikeRounding(Before, printing(After), Filter);
  };
  EXPECT_TRUE(MayBeRounded("sum=1.2345679, of 7\n0x1.8p+1\n"));
  EXPECT_TRUE(MayBeRounded("sum=1.2345678, of 7\n0x1.800002p+1\n"));
  EXPECT_FALSE(MayBeRounded("sum=1.2345678, of 7\n0x1.8p+1\n")) << "the same";
  EXPECT_FALSE(MayBeRounded("sum=1.24, of 7\n0x1.8p+1\n")) << "too much";
  EXPECT_FALSE(MayBeRounded("sum=1.2345679, of 8\n0x1.8p+1\n"))
      << "no fraction";
  EXPECT_FALSE(MayBeRounded("sum=1.2345679, of 7\n")) << "a line is gone";
  EXPECT_FALSE(MayBeRounded("sum=nan, of 7\n0x1.8p+1\n"));
  RunOutput Failing = printing("sum=1.2345679, of 7\n0x1.8p+1\n");
  Failing.ExitCode = 1;
  EXPECT_FALSE(differsLikeRounding(Before, Failing, Filter));
}

TEST(RunOutputTest, FilesThatNeitherRunWritesAreNotTheSame) {
  RunOutput Before = printing(""), After = printing("");
  Before.Files = {{"both", "1"}, {"one", std::nullopt}};
  After.Files = {{"both", "1"}, {"one", "1"}};
  EXPECT_EQ(unwrittenFile(Before, After), "");
  After.Files["one"] = std::nullopt;
  EXPECT_EQ(unwrittenFile(Before, After), "one");
}

} // namespace
