// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/OptimizePlan.h"
#include "cli/ChildProgram.h"
#include "cli/FileCommand.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace luthier::cli;

namespace {

class VerdictTest : public testing::Test {
protected:
  /// A report with one loser, of a judge that ended with \p Code.
  Error add(const char *Output, int Code) {
    std::string Text = std::string("{\"output\": \"") + Output +
                       "\", \"kernels\": [{\"name\": \"k\", \"verdict\": "
                       "\"worse\"}]}";
    cantFail(writeFile(Path, arrayRefFromStringRef(Text)));
    return Its.add(Path, Code);
  }

  const TemporaryFolder Folder{"luthier-verdict"};
  const std::string Path = Folder.path() + "/verdict.json";
  Verdict Its;
};

TEST_F(VerdictTest, SameOutputIsNoVerdictIfTheJudgeFailed) {
  EXPECT_EQ(toString(add("same", 1)), "judge ended with 1");
  EXPECT_TRUE(Its.Worse.empty());
}

TEST_F(VerdictTest, OtherOutputIsAVerdictThoughTheJudgeEndsWithOne) {
  EXPECT_EQ(toString(add("different", 1)), "");
  EXPECT_FALSE(Its.IsSame);
}

TEST_F(VerdictTest, LosersOfTheSameOutputAreNamed) {
  EXPECT_EQ(toString(add("same", 0)), "");
  EXPECT_TRUE(Its.IsSame);
  EXPECT_EQ(Its.Worse.count("k"), 1u);
}

TEST_F(VerdictTest, AGainIsThatOfAllKernelsOfAllRunsTogether) {
  constexpr char Text[] = R"({"output": "same", "kernels": [
      {"name": "k", "verdict": "better",
       "before": {"cycles": 20, "wave_instructions": 5},
       "after": {"cycles": 10, "wave_instructions": 6}},
      {"name": "l", "verdict": "worse", "before": {"cycles": 20},
       "after": {"cycles": 25}},
      {"name": "only after", "verdict": "only after", "after": {"cycles": 4}}
    ]})";
  cantFail(writeFile(Path, arrayRefFromStringRef(Text)));
  EXPECT_FALSE(Its.isGain());
  EXPECT_EQ(toString(Its.add(Path, 0)), "");
  EXPECT_TRUE(Its.isGain());
  EXPECT_EQ(toString(Its.add(Path, 0)), "");
  EXPECT_EQ(Its.Before, 80);
  EXPECT_EQ(Its.After, 78);
  Verdict ByInstructions;
  ByInstructions.ByInstructions = true;
  EXPECT_EQ(toString(ByInstructions.add(Path, 0)), "");
  EXPECT_FALSE(ByInstructions.isGain());
  EXPECT_EQ(ByInstructions.Before, 5);
  EXPECT_EQ(ByInstructions.After, 6);
}

TEST_F(VerdictTest, InterruptedJudgesEndAll) {
  for (const char *Output : {"same", "different"}) {
    Error E = add(Output, Interrupted);
    EXPECT_TRUE(isInterruption(E));
    EXPECT_EQ(reportError(std::move(E)), Interrupted);
  }
}

TEST(OptimizePlanTest, FlagsAreReadFromTheEnvironmentAsTheyWere) {
  const std::vector<std::string> Words = {"-DA=1", "-DB=c d", "it's",
                                          "a\"b\\c"};
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *> Read;
  cl::TokenizeGNUCommandLine(quoted(Words), Saver, Read);
  EXPECT_EQ(std::vector<std::string>(Read.begin(), Read.end()), Words);
}

TEST(OptimizePlanTest, ABuildIsACommandOfAnyKind) {
  const std::vector<std::vector<std::string>> Parts = {
      {"make", "-B", "app"}, {"./app", "4096"}, {"app", "8"}};
  EXPECT_TRUE(errorToBool(OptimizePlan::read(Parts).takeError()))
      << "make is no compiler that makes a program";
  auto Plan =
      OptimizePlan::read(Parts, OptimizePlan::Build{"app", "clang++", true});
  ASSERT_TRUE(bool(Plan)) << toString(Plan.takeError());
  EXPECT_EQ(Plan->BuildCommand, Parts.front());
  EXPECT_EQ(Plan->Program, "app");
  EXPECT_EQ(Plan->Compile.compiler(), "clang++");
  EXPECT_TRUE(Plan->Compile.linksUnits());
  EXPECT_EQ(Plan->Runs,
            (std::vector<std::vector<std::string>>{{"4096"}, {"8"}}));
  EXPECT_EQ(Plan->textOf(Plan->Runs.back()), "app 8");
}

} // namespace
