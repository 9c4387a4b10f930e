// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/LineCoverage.h"
#include "ReadInput.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;
using namespace luthier::test;
using testing::HasSubstr;

namespace {

LineCoverage coverage(const CodeCounts &Counts) {
  LineCoverage Result;
  cantFail(addLineCoverage(*readInput("lines"), Counts, Result));
  return Result;
}

TEST(LineCoverageTest, LinesHaveTheWavesOfTheirBusiestInstruction) {
  const auto Object = readInput("lines");
  const LineCoverage Result = coverage(everything(*Object, {3, 5}));
  ASSERT_EQ(Result.size(), 1u);
  const auto &[Path, File] = *Result.begin();
  EXPECT_TRUE(StringRef(Path).ends_with("/Inputs/branches.cpp"));
  EXPECT_EQ(File.Functions.at("branches").Executions, 3u);
  EXPECT_EQ(File.Functions.at("unused").Executions, 0u);
  const unsigned Unused = File.Functions.at("unused").Line;
  EXPECT_EQ(File.Lines.at(Unused), 0u);
  EXPECT_EQ(File.Lines.at(File.Functions.at("branches").Line), 3u);
}

TEST(LineCoverageTest, RunsAddNothingToLinesThatTheyDoNotReach) {
  const auto Object = readInput("lines");
  LineCoverage Result = coverage(everything(*Object, {3, 5}));
  cantFail(addLineCoverage(*Object, {}, Result));
  EXPECT_EQ(Result.begin()->second.Functions.at("branches").Executions, 3u);
}

TEST(LineCoverageTest, FunctionsBeginAtTheirFirstLine) {
  LineCoverage Result;
  cantFail(addLineCoverage(*readInput("line-zero"), {}, Result));
  EXPECT_EQ(Result.begin()->second.Functions.at("added").Line, 77u);
}

TEST(LineCoverageTest, TracefilesAndSummariesSayTheSame) {
  LineCoverage Coverage;
  Coverage["/a.hip"].Lines = {{3, 7}, {4, 0}};
  Coverage["/a.hip"].Functions["f"] = {3, 7};
  Coverage["/b.h"].Lines = {{1, 1}};
  std::string Text;
  raw_string_ostream OS(Text);
  printLcov(Coverage, OS);
  EXPECT_EQ(Text, "TN:\nSF:/a.hip\nFN:3,f\nFNDA:7,f\nFNF:1\nFNH:1\nDA:3,7\n"
                  "DA:4,0\nLF:2\nLH:1\nend_of_record\nSF:/b.h\nFNF:0\nFNH:0\n"
                  "DA:1,1\nLF:1\nLH:1\nend_of_record\n");
  Text.clear();
  printSummary(Coverage, OS);
  EXPECT_THAT(Text,
              HasSubstr("        2         1   50.0 %         1         1  "
                        "100.0 %  /a.hip\n"));
  EXPECT_THAT(Text,
              HasSubstr("        3         2   66.7 %         1         1  "
                        "100.0 %  all\n"));
}

TEST(LineCoverageTest, CodeWithoutLinesIsRefused) {
  LineCoverage Result;
  EXPECT_THAT(toString(addLineCoverage(*readInput("release"), {}, Result)),
              HasSubstr("no-marks: code for gfx90a has no line tables"));
}

} // namespace
