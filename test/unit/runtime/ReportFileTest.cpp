// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Report.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using testing::HasSubstr;

namespace {

/// A process keeps its files' names: each test has its own.
class ReportFileTest : public testing::Test {
protected:
  ReportFileTest() {
    sys::fs::createUniqueDirectory("luthier-report", Directory);
    ::setenv("LUTHIER_OUTPUT", Directory.c_str(), 1);
  }
  ~ReportFileTest() override {
    ::unsetenv("LUTHIER_OUTPUT");
    sys::fs::remove_directories(Directory);
  }

  std::string path(const Twine &Name) {
    return (Directory.str() + "/" + Name).str();
  }
  json::Object read(const Twine &Name) {
    auto Buffer = MemoryBuffer::getFile(path(Name));
    if (!Buffer)
      return {};
    auto Value = json::parse((*Buffer)->getBuffer());
    if (!Value) {
      consumeError(Value.takeError());
      return {};
    }
    return std::move(*Value->getAsObject());
  }
  std::string warningsOf(StringRef Name) {
    testing::internal::CaptureStderr();
    luthier::writeReport(Name, json::Object{{"number", 2}});
    return testing::internal::GetCapturedStderr();
  }

  /// What locks this process's file \p Name.
  int lockOf(const Twine &Name) {
    struct stat Wanted, Its;
    if (::stat(path(Name).c_str(), &Wanted) != 0)
      return -1;
    for (int Fd = 3; Fd != 1024; ++Fd)
      if (::fstat(Fd, &Its) == 0 && Its.st_ino == Wanted.st_ino &&
          Its.st_dev == Wanted.st_dev)
        return Fd;
    return -1;
  }

  SmallString<64> Directory;
};

TEST_F(ReportFileTest, TheReportAtTheEndTakesThePlaceOfTheOneInBetween) {
  luthier::writeReportInBetween("end.json", json::Object{{"number", 1}});
  const json::Object Before = read("end.json");
  EXPECT_EQ(Before.getInteger("number"), 1);
  EXPECT_TRUE(Before.getString("ended").value_or("").starts_with("not yet: "));
  EXPECT_EQ(warningsOf("end.json"), "");
  const json::Object After = read("end.json");
  EXPECT_EQ(After.getInteger("number"), 2);
  EXPECT_EQ(After.get("ended"), nullptr);
  EXPECT_FALSE(sys::fs::exists(path("end.json.new")));
}

TEST_F(ReportFileTest, WhereTheLastCannotBeWrittenTheOneInBetweenStays) {
  luthier::writeReportInBetween("full.json", json::Object{{"number", 1}});
  ASSERT_EQ(::symlink("/dev/full", path("full.json.new").c_str()), 0);
  EXPECT_THAT(warningsOf("full.json"),
              HasSubstr("full.json: No space left on device; it has what was "
                        "counted some time before"));
  EXPECT_EQ(read("full.json").getInteger("number"), 1);
}

TEST_F(ReportFileTest, WhereNoFileCanBePutBesideItIsWrittenInPlace) {
  ASSERT_FALSE(sys::fs::create_directory(path("beside.json.new")));
  EXPECT_EQ(warningsOf("beside.json"), "");
  EXPECT_EQ(read("beside.json").getInteger("number"), 2);
}

TEST_F(ReportFileTest, AReportInBetweenIsLockedLikeTheFileBefore) {
  luthier::writeReportInBetween("locked.json", json::Object{});
  const int First = lockOf("locked.json");
  ASSERT_GE(First, 0);
  luthier::writeReportInBetween("locked.json", json::Object{});
  ASSERT_GE(lockOf("locked.json"), 0);
  const int Other = ::open(path("locked.json").c_str(), O_RDONLY);
  EXPECT_NE(::flock(Other, LOCK_SH | LOCK_NB), 0) << "others may take it";
  ::close(Other);
  struct stat Its;
  EXPECT_TRUE(lockOf("locked.json") == First || ::fstat(First, &Its) != 0)
      << "the lock of a file that is gone is kept";
}

TEST_F(ReportFileTest, WhatHasTakenTheFilesPlaceStays) {
  luthier::writeReportInBetween("taken.json", json::Object{{"number", 1}});
  // As another run does, for which the lock is gone.
  ASSERT_FALSE(sys::fs::rename(path("taken.json"), path("taken.json.~1~")));
  std::error_code Failure;
  raw_fd_ostream(path("taken.json"), Failure) << "{\"number\": 3}";
  EXPECT_EQ(warningsOf("taken.json"), "");
  EXPECT_EQ(read("taken.json").getInteger("number"), 3);
  EXPECT_EQ(read("taken.json.~1~").getInteger("number"), 1);
  EXPECT_EQ(read("taken." + Twine(::getpid()) + ".json").getInteger("number"),
            2);
}

TEST_F(ReportFileTest, WhatTheProgramHasOpenedInPlaceOfTheLockStaysOpen) {
  luthier::writeReportInBetween("reused.json", json::Object{{"number", 1}});
  const int Lock = lockOf("reused.json");
  ASSERT_GE(Lock, 0);
  const int Mine = ::open("/dev/null", O_RDONLY);
  ASSERT_EQ(::dup2(Mine, Lock), Lock);
  ::close(Mine);
  EXPECT_EQ(warningsOf("reused.json"), "");
  EXPECT_EQ(read("reused.json").getInteger("number"), 2);
  struct stat Its;
  EXPECT_EQ(::fstat(Lock, &Its), 0) << "the program's file was closed";
  ::close(Lock);
}

TEST_F(ReportFileTest, LinksStayAndAreWrittenThrough) {
  ASSERT_EQ(::symlink("/dev/full", path("link.json").c_str()), 0);
  // As long ago as if it were not of this run.
  const timespec LongAgo[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path("link.json").c_str(), LongAgo,
                        AT_SYMLINK_NOFOLLOW),
            0);
  luthier::writeReportInBetween("link.json", json::Object{{"number", 1}});
  EXPECT_THAT(warningsOf("link.json"),
              HasSubstr("link.json: No space left on device"));
  EXPECT_TRUE(sys::fs::is_symlink_file(path("link.json")));
}

} // namespace
