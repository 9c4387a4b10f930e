// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Execution.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace luthier::pgo;

namespace {

TEST(ExecutionTest, StatisticsOfDevicesAndProcessesAddUp) {
  const StringRef Text = R"({"kernels":[
    {"name":"k","device":0,"dispatches":2,"wave_instructions":10,
     "lane_instructions":100,"cycles":7},
    {"name":"k","device":1,"dispatches":1,"wave_instructions":5,
     "lane_instructions":50,"cycles":3},
    {"name":"rocr.fill","device":0,"dispatches":9,"wave_instructions":9,
     "lane_instructions":9,"cycles":9}],"devices":[]})";
  ExecutedKernels Kernels;
  ASSERT_FALSE(errorToBool(addStatistics(Text, Kernels)));
  ASSERT_FALSE(errorToBool(addStatistics(Text, Kernels)));
  ASSERT_EQ(Kernels.size(), 1u) << "the runtime's own kernels are left out";
  EXPECT_EQ(Kernels["k"].Dispatches, 6u);
  EXPECT_EQ(Kernels["k"].WaveInstructions, 30u);
  EXPECT_EQ(Kernels["k"].LaneInstructions, 300u);
  EXPECT_EQ(Kernels["k"].Cycles, 20u);
}

TEST(ExecutionTest, CountsOfCodeObjectsStayApart) {
  const StringRef Text = R"({"kernels":[
    {"name":"k","device":0,"code":"a","instructions":[[64,2,128],[68,1,9]]},
    {"name":"k","device":1,"code":"a","instructions":[[64,3,64]]},
    {"name":"j","device":0,"code":"a","instructions":[[64,1,1]]},
    {"name":"k","device":0,"code":"b","instructions":[[64,1,64]]}]})";
  ExecutedCode Code;
  ASSERT_FALSE(errorToBool(addCounts(Text, Code)));
  ASSERT_EQ(Code.size(), 2u);
  EXPECT_EQ(Code["a"]["k"][64], (ExecutionCount{5, 192}));
  EXPECT_EQ(Code["b"]["k"][64], (ExecutionCount{1, 64}));
  const CodeCounts Sum = sumOf(Code["a"]);
  EXPECT_EQ(Sum.at(64), (ExecutionCount{6, 193}));
  EXPECT_EQ(Sum.at(68), (ExecutionCount{1, 9}));
}

TEST(ExecutionTest, CountsThatDoNotFitStayTheLargestNumber) {
  ExecutionCount Sum = {UINT64_MAX - 1, 5};
  Sum += {2, UINT64_MAX};
  EXPECT_EQ(Sum, (ExecutionCount{UINT64_MAX, UINT64_MAX}));
}

TEST(ExecutionTest, LinesOfExecAreReadAsCounts) {
  CodeCounts Counts;
  ASSERT_FALSE(errorToBool(addExecCounts(
      "# address waves lanes instruction\n"
      "0x00001600          4          200  s_load_dword s0, s[4:5], 0x0\n"
      "0x00001608          4            0  s_endpgm\n",
      Counts)));
  EXPECT_EQ(Counts, (CodeCounts{{0x1600, {4, 200}}, {0x1608, {4, 0}}}));
  for (const char *Bad : {"{}", "0x1600 four 200 s_endpgm", "0x1600 4"})
    EXPECT_TRUE(errorToBool(addExecCounts(Bad, Counts))) << Bad;
}

TEST(ExecutionTest, CallsAreReadBesideInstructions) {
  const StringRef Text = R"({"kernels":[
    {"name":"k","code":"a","instructions":[],
     "calls":[[64,256,2,128],[64,512,1,1],[64,256,1,2]]}]})";
  ExecutedCalls Calls;
  ASSERT_FALSE(errorToBool(addCalls(Text, Calls)));
  EXPECT_EQ(Calls["a"][64][256], (ExecutionCount{3, 130}));
  EXPECT_EQ(Calls["a"][64][512], (ExecutionCount{1, 1}));
}

TEST(ExecutionTest, EmptyReportsAreNotReportsOfNothing) {
  ExecutedCode Code;
  EXPECT_EQ(toString(addCounts("", Code)),
            "malformed-report: nothing is written in it");
  EXPECT_EQ(toString(originOf("").takeError()),
            "malformed-report: nothing is written in it");
}

TEST(ExecutionTest, ReportsSayOfWhichProcessTheyAreAndHowItEnded) {
  auto Exit = originOf(R"({"process":12,"kernels":[]})");
  ASSERT_TRUE(bool(Exit));
  EXPECT_EQ(Exit->Process, 12);
  EXPECT_FALSE(Exit->isInBetween());
  EXPECT_FALSE(isAbrupt(Exit->Ended));
  auto Killed = originOf(
      R"({"process":12,"ended":"not yet: counts of its first 250 ms"})");
  ASSERT_TRUE(bool(Killed));
  EXPECT_TRUE(Killed->isInBetween());
  auto Crash = originOf(R"({"process":12,"ended":"SIGSEGV"})");
  ASSERT_TRUE(bool(Crash));
  EXPECT_FALSE(Crash->isInBetween());
  EXPECT_TRUE(isAbrupt(Crash->Ended));
  EXPECT_EQ(toString(originOf(R"({"kernels":[]})").takeError()),
            "malformed-report: it does not say which process wrote it");
}

TEST(ExecutionTest, LoadsOfKernelsStayApartAndThoseOfDevicesAddUp) {
  const StringRef Text = R"({"kernels":[
    {"name":"k","code":"a","loads":[[64,2,1,100],[72,0,0,0]]},
    {"name":"k","code":"a","loads":[[64,3,3,7]]},
    {"name":"j","code":"a","loads":[[64,1,1,1]]}]})";
  ExecutedLoads Loads;
  ASSERT_FALSE(errorToBool(addLoads(Text, Loads)));
  const LoadCount &Sum = Loads["a"]["k"][64];
  EXPECT_EQ(Sum.Executed, 5u);
  EXPECT_EQ(Sum.Agreed, 4u);
  EXPECT_EQ(Sum.Lanes, 107u);
  EXPECT_TRUE(Loads["a"]["k"].contains(72)) << "somebody looked at it";
  EXPECT_EQ(Loads["a"]["j"][64].Executed, 1u);
  for (const char *Bad :
       {R"({"kernels":[{"name":"k","code":"a"}]})",
        R"({"kernels":[{"name":"k","loads":[]}]})",
        R"({"kernels":[{"name":"k","code":"a","loads":[[1,2,3]]}]})"})
    EXPECT_TRUE(errorToBool(addLoads(Bad, Loads))) << Bad;
}

TEST(ExecutionTest, KernelsWithoutHooksAreReadOnce) {
  const StringRef Text = R"({"kernels":[],"refused":[
    {"name":"k","code":"a","reason":"dynamic-stack"},
    {"name":"k","code":"b","reason":"error"},
    {"name":"rocr.fill","code":"c","reason":"error"}]})";
  UncountedKernels Kernels;
  ASSERT_FALSE(errorToBool(addUncounted(Text, Kernels)));
  ASSERT_FALSE(errorToBool(addUncounted(Text, Kernels)));
  EXPECT_EQ(Kernels, (UncountedKernels{{{"a", "k"}, "dynamic-stack"},
                                       {{"b", "k"}, "error"}}));
  for (const char *Bad : {R"({"kernels":[]})", R"({"refused":[{}]})",
                          R"({"refused":[{"name":"k","code":"a"}]})",
                          R"({"refused":[{"name":"k","reason":"error"}]})"})
    EXPECT_TRUE(errorToBool(addUncounted(Bad, Kernels))) << Bad;
}

TEST(ExecutionTest, KernelsWhoseCountsDoNotFitIntoCountersAreRead) {
  UncountedKernels Kernels;
  ASSERT_FALSE(errorToBool(addOverflown(
      R"({"kernels":[],"refused":[{"name":"k","code":"a","reason":"error"}],
          "overflown":[{"name":"k","code":"b","reason":"too often"}]})",
      Kernels)));
  EXPECT_EQ(Kernels, (UncountedKernels{{{"b", "k"}, "too often"}}));
  for (const char *Bad : {R"({"kernels":[],"refused":[]})",
                          R"({"overflown":[{"name":"k","code":"a"}]})"})
    EXPECT_TRUE(errorToBool(addOverflown(Bad, Kernels))) << Bad;
}

TEST(ExecutionTest, WhatIsNoReportIsRefused) {
  ExecutedKernels Kernels;
  ExecutedCode Code;
  for (const char *Text : {"", "{", "[]", "{}", R"({"kernels":[{}]})",
                           R"({"kernels":[{"name":1}]})",
                           R"({"kernels":[{"name":"k","dispatches":-1}]})"}) {
    EXPECT_TRUE(errorToBool(addStatistics(Text, Kernels))) << Text;
    EXPECT_TRUE(errorToBool(addCounts(Text, Code))) << Text;
  }
  for (const char *Row :
       {"1", "[]", "[1,2]", "[1,2,3,4]", "[1,2,-3]", "[1,2,\"3\"]"})
    EXPECT_TRUE(errorToBool(addCounts(
        (Twine(R"({"kernels":[{"name":"k","code":"a","instructions":[)") + Row +
         "]}]}")
            .str(),
        Code)))
        << Row;
}

} // namespace
