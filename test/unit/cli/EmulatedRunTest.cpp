// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/RunPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <csignal>

using namespace llvm;
using namespace luthier::cli;

namespace {

class RunWithTest : public testing::Test {
protected:
  const TemporaryFolder Folder{"luthier-streams"};
  const std::string Output = Folder.path() + "/output";
};

TEST_F(RunWithTest, ProgramsOfThePathReadAndWriteFiles) {
  const std::string Input = Folder.path() + "/input";
  cantFail(writeFile(Input, arrayRefFromStringRef("text")));
  EXPECT_EQ(runWith({"cat"}, {Input, Output, ""}), 0);
  EXPECT_EQ(contentsOf(Output), "text");
}

TEST_F(RunWithTest, StreamsAreThisProcessesAgain) {
  const std::string Errors = Folder.path() + "/errors";
  EXPECT_EQ(runWith({"sh", "-c", "echo inner >&2; exit 7"}, {"", "", Errors}),
            7);
  testing::internal::CaptureStderr();
  EXPECT_EQ(runWith({"sh", "-c", "echo outer >&2"}, {"", "", ""}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "outer\n");
  EXPECT_EQ(contentsOf(Errors), "inner\n");
}

TEST_F(RunWithTest, InterruptedProgramsEndAsInShells) {
  std::signal(SIGINT, SIG_DFL); // Ignored in jobs in a shell's background.
  EXPECT_EQ(runWith({"sh", "-c", "kill -INT $$"}, {"", Output, ""}),
            Interrupted);
}

/// A process that is killed, or whose disk is full, leaves less than a report:
/// who reads it has to know. The file that it was about to replace is whole.
TEST_F(RunWithTest, ReportsThatAreEmptyAreReadAndThoseNotYetInPlaceAreNot) {
  const std::string Name = Folder.path() + "/count.json";
  cantFail(writeFile(Name, {}));
  cantFail(writeFile(Name + ".new", arrayRefFromStringRef("{\"ker")));
  cantFail(
      writeFile(Folder.path() + "/count.7.json", arrayRefFromStringRef("{}")));
  std::vector<std::string> Seen;
  cantFail(forEachReport(Folder.path(), "count", [&](StringRef Text) {
    Seen.push_back(Text.str());
    return Error::success();
  }));
  EXPECT_EQ(Seen, (std::vector<std::string>{"{}", ""}));
}

TEST_F(RunWithTest, InputThatIsNotThereIsAnError) {
  EXPECT_THROW(runWith({"cat"}, {Folder.path() + "/none", Output, ""}),
               RunError);
}

} // namespace
