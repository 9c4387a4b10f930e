// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Tool.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace {

class OutputPathTest : public testing::Test {
protected:
  OutputPathTest() {
    sys::fs::createUniqueDirectory("luthier-output", Directory);
    ::setenv("LUTHIER_OUTPUT", Directory.c_str(), 1);
  }
  ~OutputPathTest() override {
    ::unsetenv("LUTHIER_OUTPUT");
    sys::fs::remove_directories(Directory);
  }

  std::string path(const Twine &Name) {
    return (Directory.str() + "/" + Name).str();
  }
  void write(const Twine &Name, StringRef Text) {
    std::error_code Failure;
    raw_fd_ostream(path(Name), Failure) << Text;
    ASSERT_FALSE(Failure);
  }
  void writeLongAgo(const Twine &Name, StringRef Text) {
    write(Name, Text);
    const timespec LongAgo[2] = {{1000, 0}, {1000, 0}};
    ::utimensat(AT_FDCWD, path(Name).c_str(), LongAgo, 0);
  }
  std::string contents(const Twine &Name) {
    auto Buffer = MemoryBuffer::getFile(path(Name));
    return Buffer ? (*Buffer)->getBuffer().str() : "cannot be read";
  }
  /// What a child process gets, run to its end.
  std::string inChild(const char *Name, pid_t &Child) {
    int Pipe[2];
    EXPECT_EQ(::pipe(Pipe), 0);
    Child = ::fork();
    if (!Child) {
      std::string Path = luthier::outputPath(Name);
      bool Written = ::write(Pipe[1], Path.data(), Path.size()) > 0;
      ::_exit(!Written);
    }
    ::close(Pipe[1]);
    char Buffer[4096];
    ssize_t Length = ::read(Pipe[0], Buffer, sizeof(Buffer));
    ::close(Pipe[0]);
    ::waitpid(Child, nullptr, 0);
    return std::string(Buffer, Length > 0 ? size_t(Length) : 0);
  }

  /// As if a run from long ago still went on: its process has asked for \p Name
  /// and lives until the result is destroyed.
  struct OtherRun {
    pid_t Child = 0;
    int Path[2] = {}, End[2] = {};
    ~OtherRun() {
      ::close(End[1]);
      ::close(Path[0]);
      ::waitpid(Child, nullptr, 0);
    }
  };
  std::unique_ptr<OtherRun> startOtherRun(const char *Name) {
    auto Run = std::make_unique<OtherRun>();
    EXPECT_EQ(::pipe(Run->Path) | ::pipe(Run->End), 0);
    Run->Child = ::fork();
    if (!Run->Child) {
      ::close(Run->End[1]);
      (void)luthier::outputPath(Name);
      writeLongAgo(Name, "its own");
      char Byte = 0;
      bool Told = ::write(Run->Path[1], &Byte, 1) == 1;
      ::_exit(::read(Run->End[0], &Byte, 1) != 0 || !Told);
    }
    ::close(Run->Path[1]);
    ::close(Run->End[0]);
    char Byte;
    EXPECT_EQ(::read(Run->Path[0], &Byte, 1), 1);
    return Run;
  }

  SmallString<128> Directory;
};

TEST_F(OutputPathTest, FirstProcessGetsThePlainName) {
  EXPECT_EQ(luthier::outputPath("first.json"), path("first.json"));
  EXPECT_EQ(luthier::outputPath("first.json"), path("first.json"))
      << "asking again changes the answer";
}

TEST_F(OutputPathTest, OtherProcessesGetTheirId) {
  EXPECT_EQ(luthier::outputPath("second.json"), path("second.json"));
  pid_t Child;
  std::string Path = inChild("second.json", Child);
  EXPECT_EQ(Path, path("second." + Twine(Child) + ".json"));
}

TEST_F(OutputPathTest, ChildThatAsksFirstGetsThePlainName) {
  pid_t Child;
  EXPECT_EQ(inChild("third.json", Child), path("third.json"));
  EXPECT_EQ(luthier::outputPath("third.json"),
            path("third." + Twine(::getpid()) + ".json"));
}

TEST_F(OutputPathTest, FilesOfAProcessBelongTogether) {
  pid_t Child;
  EXPECT_EQ(inChild("trace.bin", Child), path("trace.bin"));
  const std::string Id = std::to_string(::getpid());
  EXPECT_EQ(luthier::outputPath("trace.bin"), path("trace." + Id + ".bin"));
  EXPECT_EQ(luthier::outputPath("trace.csv"), path("trace." + Id + ".csv"));
}

TEST_F(OutputPathTest, FileOfAnEarlierRunIsReplaced) {
  writeLongAgo("old.json", "");
  EXPECT_EQ(luthier::outputPath("old.json"), path("old.json"));
  EXPECT_FALSE(sys::fs::exists(path("old.json.~1~"))) << "nothing was in it";
}

TEST_F(OutputPathTest, ResultsOfEarlierRunsAreKept) {
  writeLongAgo("kept.json", "second");
  writeLongAgo("kept.json.~1~", "first");
  EXPECT_EQ(luthier::outputPath("kept.json"), path("kept.json"));
  EXPECT_EQ(contents("kept.json"), "");
  EXPECT_EQ(contents("kept.json.~1~"), "first");
  EXPECT_EQ(contents("kept.json.~2~"), "second");
}

TEST_F(OutputPathTest, FilesOfRunsThatGoOnAreTheirs) {
  const auto Run = startOtherRun("going-on.json");
  EXPECT_EQ(luthier::outputPath("going-on.json"),
            path("going-on." + Twine(::getpid()) + ".json"));
  EXPECT_EQ(contents("going-on.json"), "its own");
  EXPECT_FALSE(sys::fs::exists(path("going-on.json.~1~")));
}

TEST_F(OutputPathTest, EmptyFilesOfRunsThatGoOnAreTheirs) {
  // As of a tool that writes what it finds, and has found nothing so far.
  const auto Run = startOtherRun("empty.csv");
  writeLongAgo("empty.csv", "");
  EXPECT_EQ(luthier::outputPath("empty.csv"),
            path("empty." + Twine(::getpid()) + ".csv"));
}

TEST_F(OutputPathTest, FilesOfRunsThatHaveEndedAreKept) {
  startOtherRun("ended.json").reset();
  EXPECT_EQ(luthier::outputPath("ended.json"), path("ended.json"));
  EXPECT_EQ(contents("ended.json.~1~"), "its own");
}

TEST_F(OutputPathTest, LowDescriptorsAreThePrograms) {
  const int Lowest = ::open("/dev/null", O_RDONLY);
  ::close(Lowest);
  (void)luthier::outputPath("descriptors.json");
  const int Next = ::open("/dev/null", O_RDONLY);
  EXPECT_EQ(Next, Lowest);
  ::close(Next);
}

TEST_F(OutputPathTest, ProgramsThatAProcessBecomesGetNamesOfTheirOwn) {
  // As if this process had been two programs before.
  const std::string Mine = "fourth." + std::to_string(::getpid());
  write("fourth.json", "first");
  write(Mine + ".json", "second");
  EXPECT_EQ(luthier::outputPath("fourth.json"), path(Mine + "-2.json"));
}

TEST_F(OutputPathTest, MissingFolderIsCreated) {
  std::string Deep = path("a/b");
  ::setenv("LUTHIER_OUTPUT", Deep.c_str(), 1);
  EXPECT_EQ(luthier::outputPath("deep.json"), Deep + "/deep.json");
  EXPECT_TRUE(sys::fs::is_directory(Deep));
}

} // namespace
