// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/RepeatedInput.h"
#include "cli/ChildProgram.h"
#include "cli/EmulatedRun.h"
#include "cli/RunProgram.h"
#include "llvm/Support/FileSystem.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace luthier::cli;

namespace {

/// Standard input is something else as long as this exists.
class OtherInput {
public:
  explicit OtherInput(int File) : Before(::dup(STDIN_FILENO)) {
    ::dup2(File, STDIN_FILENO);
    ::close(File);
  }
  ~OtherInput() {
    ::dup2(Before, STDIN_FILENO);
    ::close(Before);
  }

private:
  int Before;
};

class RepeatedInputTest : public testing::Test {
protected:
  /// What a shell prints of its standard input.
  std::string printed(const std::string &Script) const {
    const std::string Path = Folder.path() + "/printed";
    EXPECT_EQ(runInto({"/bin/sh", "-c", Script}, Path), 0);
    return contentsOf(Path).value_or("nothing");
  }

  const TemporaryFolder Folder{"repeated-input"};
};

TEST_F(RepeatedInputTest, PipesAreReadAgain) {
  // More than a pipe has room for.
  std::string Text;
  for (int I = 0; I != 30'000; ++I)
    Text += "line " + std::to_string(I) + "\n";
  int Pipe[2];
  ASSERT_EQ(::pipe2(Pipe, O_CLOEXEC), 0);
  std::thread Writer([&] {
    EXPECT_EQ(::write(Pipe[1], Text.data(), Text.size()), ssize_t(Text.size()));
    ::close(Pipe[1]);
  });
  const OtherInput Its(Pipe[0]);
  {
    RepeatedInput Input(Folder.path());
    EXPECT_EQ(printed("head -n 2"), "line 0\nline 1\n");
    Input.rewind();
    EXPECT_EQ(printed("cat"), Text);
    Input.rewind();
    EXPECT_EQ(printed("cat"), Text);
  }
  Writer.join();
}

TEST_F(RepeatedInputTest, NobodyWaitsForPipesThatStayOpen) {
  int Pipe[2];
  ASSERT_EQ(::pipe2(Pipe, O_CLOEXEC), 0);
  const OtherInput Its(Pipe[0]);
  ASSERT_EQ(::write(Pipe[1], "a\nb\n", 4), 4);
  {
    RepeatedInput Input(Folder.path());
    EXPECT_EQ(printed("echo no input is read"), "no input is read\n");
    Input.rewind();
    EXPECT_EQ(printed("read A; echo $A"), "a\n");
  }
  ::close(Pipe[1]);
}

TEST_F(RepeatedInputTest, WhatCannotBeKeptIsNoInputOfAnotherRun) {
  int Pipe[2];
  ASSERT_EQ(::pipe2(Pipe, O_CLOEXEC), 0);
  const std::string Text(20'000, 'x');
  ASSERT_EQ(::write(Pipe[1], Text.data(), Text.size()), ssize_t(Text.size()));
  ::close(Pipe[1]);
  const OtherInput Its(Pipe[0]);
  rlimit Before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &Before), 0);
  rlimit Small = Before;
  Small.rlim_cur = 6000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &Small), 0);
  {
    RepeatedInput Input(Folder.path());
    EXPECT_EQ(printed("cat >/dev/null; echo end"), "end\n");
    EXPECT_THROW(Input.rewind(), RunError);
  }
  ::setrlimit(RLIMIT_FSIZE, &Before);
}

TEST_F(RepeatedInputTest, FilesAreReadAgainFromWhereTheyStood) {
  const std::string Path = Folder.path() + "/input";
  const int File = ::open(Path.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::write(File, "skipped read", 12), 12);
  ::lseek(File, 8, SEEK_SET);
  const OtherInput Its(File);
  RepeatedInput Input(Folder.path());
  EXPECT_EQ(printed("cat"), "read");
  Input.rewind();
  EXPECT_EQ(printed("cat"), "read");
}

} // namespace
