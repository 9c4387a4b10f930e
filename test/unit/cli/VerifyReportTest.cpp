// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/VerifyReport.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace luthier::cli;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

VerifyReport read(const std::string &Text) {
  std::istringstream File(Text);
  return VerifyReport::read(File);
}

TEST(VerifyReport, AddsUp) {
  const VerifyReport R = read("verified\t_Z1fi\t100\t1000\n"
                              "verified\t_Z1fi\t20\t300\n"
                              "verified\tplain\t3\t4\n");
  EXPECT_FALSE(R.differs());
  EXPECT_TRUE(R.hasCompared());
  EXPECT_THAT(R.text("scramble"), StartsWith("tool: scramble\n"));
  EXPECT_THAT(R.text("scramble"),
              HasSubstr(" 2              120             1300  "
                        "f(int): same\n"));
  EXPECT_THAT(R.text("scramble"),
              HasSubstr("\nluthier verify: no difference: 2 kernels, "
                        "3 dispatches, 123 instructions compared\n"));
}

TEST(VerifyReport, KeepsTheFirstDifference) {
  const VerifyReport R = read("verified\tf\t1\t2\n"
                              "differs\tf\tf at 0x10: scc\n"
                              "differs\tg\tg at 0x20: v1\n"
                              "differs\tg\tg at 0x30: v1\n");
  EXPECT_TRUE(R.differs());
  EXPECT_THAT(R.text("scramble"),
              HasSubstr("\nfirst difference: f at 0x10: scc\n"));
  EXPECT_THAT(R.text("scramble"), Not(HasSubstr("0x20")));
  EXPECT_THAT(R.text("scramble"),
              HasSubstr("f: same; DIFFERENT in 1 dispatch\n"));
  EXPECT_THAT(R.text("scramble"), HasSubstr("g: DIFFERENT in 2 dispatches\n"));
  EXPECT_THAT(R.text("scramble"),
              HasSubstr("luthier verify: DIFFERENT: 2 kernels, 4 dispatches, "
                        "1 instruction compared where there is none\n"));
}

TEST(VerifyReport, SaysWhatWasNotCompared) {
  const VerifyReport R = read("unjudged\tf\tit asks the host\n"
                              "unchanged\tg\tregister-budget: too many\n"
                              "unchanged\tg\t\n"
                              "unchanged\th\t\n");
  EXPECT_FALSE(R.hasCompared());
  EXPECT_THAT(R.text("scramble"),
              HasSubstr("f: not compared: it asks the host\n"));
  EXPECT_THAT(R.text("scramble"),
              HasSubstr("g: unchanged: register-budget: too many\n"));
  EXPECT_THAT(R.text("scramble"),
              HasSubstr("h: unchanged: no tool wanted it\n"));
  EXPECT_THAT(R.text("scramble"),
              HasSubstr("luthier verify: NOTHING COMPARED: 0 kernels, 0 "
                        "dispatches, 0 instructions compared; 1 not compared; "
                        "2 kernels ran unchanged\n"));
}

TEST(VerifyReport, NotesAreNoDifference) {
  const VerifyReport R = read("verified\tf\t7\t3\n"
                              "noted\tf\tat 0x10: garbage\n"
                              "noted\tf\tat 0x20: garbage\n");
  EXPECT_FALSE(R.differs());
  EXPECT_TRUE(R.hasCompared());
  EXPECT_THAT(R.text("scramble"),
              HasSubstr("f: same; reads what nobody wrote in 2 dispatches\n"));
  EXPECT_THAT(R.text("scramble"), HasSubstr("note: at 0x10: garbage\n"));
  EXPECT_THAT(R.text("scramble"), HasSubstr("luthier verify: no difference"));
}

TEST(VerifyReport, NothingIsNoSuccess) {
  EXPECT_FALSE(read("").hasCompared());
  EXPECT_FALSE(read("").differs());
  EXPECT_THAT(read("").text("scramble"), HasSubstr("NOTHING COMPARED"));
}

} // namespace
