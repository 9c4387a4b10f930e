// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/ReplaceFile.h"
#include "pgo/Problem.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>

using namespace llvm;
using namespace luthier::pgo;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class ReplaceFileTest : public testing::Test {
protected:
  ReplaceFileTest() {
    EXPECT_FALSE(sys::fs::createUniqueDirectory("luthier-replace", Folder));
  }
  ~ReplaceFileTest() override { sys::fs::remove_directories(Folder); }

  std::string path(StringRef Name) { return (Folder + "/" + Name).str(); }
  static void put(const std::string &Path, StringRef Text) {
    std::error_code Failure;
    raw_fd_ostream(Path, Failure) << Text;
    EXPECT_FALSE(Failure) << Path;
  }
  static std::string replace(const std::string &Path, StringRef Text) {
    Error E = replaceFile(Path, [&](const std::string &New) {
      put(New, Text);
      return Error::success();
    });
    return E ? toString(std::move(E)) : "";
  }
  static std::string contents(const std::string &Path) {
    // A file of /proc has no size.
    auto Bytes = MemoryBuffer::getFileAsStream(Path);
    return Bytes ? (*Bytes)->getBuffer().str() : "cannot be read";
  }
  std::vector<std::string> names() {
    std::vector<std::string> Names;
    std::error_code Failure;
    for (sys::fs::directory_iterator I(Folder, Failure), End; I != End;
         I.increment(Failure))
      Names.push_back(I->path().substr(Folder.size() + 1));
    return Names;
  }

  SmallString<64> Folder;
};

TEST_F(ReplaceFileTest, WhatCannotBeWrittenLeavesWhatWasThere) {
  put(path("app"), "earlier");
  Error E = replaceFile(path("app"), [](const std::string &New) {
    put(New, "half");
    return problem(ProblemKind::Failure, "full");
  });
  EXPECT_EQ(toString(std::move(E)), "failure: full");
  EXPECT_EQ(contents(path("app")), "earlier");
  EXPECT_THAT(names(), ElementsAre("app"));
}

/// luthier pgo collect --add -o app writes app.new.
TEST_F(ReplaceFileTest, FilesOfOthersBesideItStay) {
  for (const char *Other : {"app.new", "app.writing-1"})
    put(path(Other), Other);
  EXPECT_EQ(replace(path("app"), "text"), "");
  EXPECT_EQ(contents(path("app")), "text");
  EXPECT_EQ(contents(path("app.new")), "app.new");
  EXPECT_EQ(contents(path("app.writing-1")), "app.writing-1");
  EXPECT_EQ(names().size(), 3u);
}

TEST_F(ReplaceFileTest, WhatCannotBePutInPlaceIsKeptAndNamed) {
  Error E = replaceFile(path("app"), [&](const std::string &New) {
    put(New, "text");
    EXPECT_FALSE(sys::fs::create_directory(path("app")));
    return Error::success();
  });
  const std::string Said = toString(std::move(E));
  const size_t At = Said.find("; it is in ");
  ASSERT_NE(At, std::string::npos) << Said;
  EXPECT_EQ(contents(Said.substr(At + 11)), "text");
}

TEST_F(ReplaceFileTest, PercentSignsInPathsAreAsTheyAre) {
  ASSERT_FALSE(sys::fs::create_directory(path("50%")));
  Error E = checkWritable(path("50%/app"));
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
  EXPECT_EQ(replace(path("50%/app"), "text"), "");
  EXPECT_EQ(contents(path("50%/app")), "text");
}

/// As those of /proc are, even for root.
TEST_F(ReplaceFileTest, FilesOfFoldersThatTakeNoOthersAreWrittenInPlace) {
  const std::string Path = "/proc/self/comm", Before = contents(Path);
  Error E = checkWritable(Path);
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
  EXPECT_EQ(replace(Path, "replaced"), "");
  EXPECT_EQ(contents(Path), "replaced\n");
  put(Path, Before);
  E = checkWritable("/proc/self/other");
  EXPECT_THAT(toString(std::move(E)),
              HasSubstr("cannot write /proc/self/other: "));
}

} // namespace
