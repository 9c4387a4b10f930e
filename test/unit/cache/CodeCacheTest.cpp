// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that other processes, and other users, may have had their hands on.
#include "cache/CodeCache.h"
#include "cache/BuildIdentity.h"
#include "cache/EntryFormat.h"
#include "llvm/Support/Process.h"
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::cache;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t Limit = 1 << 20;

PayloadKey key(unsigned Number) {
  PayloadKey Key = {};
  Key[0] = Number;
  Key[1] = Number >> 8;
  return Key;
}

/// Tells which key it belongs to.
std::vector<uint8_t> contents(unsigned Number, size_t Size = 100) {
  return std::vector<uint8_t>(Size, uint8_t(Number));
}

class CodeCaches : public ::testing::Test {
protected:
  void SetUp() override {
    std::string Template = fs::temp_directory_path() / "luthier-cache-XXXXXX";
    ASSERT_TRUE(::mkdtemp(Template.data()));
    Root = Template;
    Folder = Root / "luthier" / "code";
  }
  void TearDown() override { fs::remove_all(Root); }

  CodeCache::Options options(uint64_t LimitBytes = Limit,
                             const std::string &Identity = "build") {
    return {Folder, LimitBytes, Identity,
            [this](const Twine &Text) { Warnings.push_back(Text.str()); },
            [this](const Twine &Text) { Notes.push_back(Text.str()); }};
  }
  /// By a cache of its own, as in another process.
  bool finds(unsigned Number, size_t Size = 100) {
    auto Found = CodeCache(options()).find(key(Number));
    if (Found)
      EXPECT_EQ(*Found, contents(Number, Size));
    return Found.has_value();
  }
  void keep(unsigned Number, size_t Size = 100, uint64_t LimitBytes = Limit) {
    CodeCache(options(LimitBytes))
        .keep(key(Number), "some hook", contents(Number, Size));
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> Files;
    if (fs::exists(Folder))
      for (const auto &File : fs::directory_iterator(Folder))
        Files.push_back(File.path());
    return Files;
  }
  fs::path onlyFile() const {
    EXPECT_EQ(files().size(), 1u);
    return files().front();
  }
  uint64_t bytes() const {
    uint64_t Sum = 0;
    for (const fs::path &File : files())
      Sum += fs::file_size(File);
    return Sum;
  }
  /// In a child: true if it ended by itself.
  template <typename F> bool inChild(F Work) {
    const pid_t Child = ::fork();
    if (!Child) {
      Work();
      ::_exit(0);
    }
    int Status = 0;
    ::waitpid(Child, &Status, 0);
    return WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
  }

  fs::path Root, Folder;
  std::vector<std::string> Warnings, Notes;
};

std::string readFile(const fs::path &Path) {
  std::ifstream File(Path, std::ios::binary);
  return {std::istreambuf_iterator<char>(File), {}};
}

void writeFile(const fs::path &Path, const std::string &Bytes) {
  std::ofstream(Path, std::ios::binary) << Bytes;
}

TEST_F(CodeCaches, WhatOneKeepsAnotherFinds) {
  EXPECT_FALSE(finds(1));
  EXPECT_FALSE(fs::exists(Folder)) << "looking leaves nothing behind";
  keep(1);
  keep(2);
  EXPECT_TRUE(finds(1));
  EXPECT_TRUE(finds(2));
  EXPECT_FALSE(finds(3));
  EXPECT_TRUE(Warnings.empty());
}

TEST_F(CodeCaches, OnlyTheUserHasAccess) {
  const mode_t Before = ::umask(0);
  keep(1);
  ::umask(Before);
  for (const fs::path &Path : {Root / "luthier", Folder})
    EXPECT_EQ(fs::status(Path).permissions(), fs::perms::owner_all) << Path;
  EXPECT_EQ(fs::status(onlyFile()).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CodeCaches, EachBuildHasItsOwn) {
  keep(1);
  EXPECT_FALSE(CodeCache(options(Limit, "other build")).find(key(1)));
  EXPECT_TRUE(finds(1));
}

TEST_F(CodeCaches, DamagedFilesCountForNothingAndAreReplaced) {
  keep(1);
  const fs::path File = onlyFile();
  const std::string Whole = readFile(File);
  std::vector<std::string> Damaged = {"", "LUTHCOD1", Whole + "x"};
  for (size_t Size = 1; Size < Whole.size(); Size += 7)
    Damaged.push_back(Whole.substr(0, Size));
  for (size_t At = 0; At < Whole.size(); ++At) {
    Damaged.push_back(Whole);
    Damaged.back()[At] ^= 1 << At % 8;
  }
  for (const std::string &Bytes : Damaged) {
    writeFile(File, Bytes);
    EXPECT_FALSE(finds(1)) << Bytes.size() << " bytes";
  }
  keep(1);
  EXPECT_EQ(readFile(onlyFile()), Whole);
  EXPECT_TRUE(finds(1));
}

TEST_F(CodeCaches, FilesOfOtherKeysCountForNothing) {
  keep(1);
  const fs::path First = onlyFile();
  const std::string Bytes = readFile(First);
  fs::remove(First);
  keep(2);
  writeFile(onlyFile(), Bytes);
  EXPECT_FALSE(finds(2));
}

TEST_F(CodeCaches, FilesThatOthersMayWriteAreReplacedAndReportedOnce) {
  for (fs::perms Others : {fs::perms::group_write, fs::perms::others_write}) {
    keep(1);
    keep(2);
    for (const fs::path &File : files())
      fs::permissions(File, Others, fs::perm_options::add);
    Warnings.clear();
    CodeCache Cache(options());
    EXPECT_FALSE(Cache.find(key(1)));
    EXPECT_FALSE(Cache.find(key(2)));
    EXPECT_THAT(Warnings, testing::ElementsAre(testing::HasSubstr(
                              "may be written by other users")));
    keep(1);
    EXPECT_TRUE(finds(1));
  }
}

TEST_F(CodeCaches, LinksAndPipesAreReplaced) {
  keep(1);
  const fs::path File = onlyFile(), Moved = Root / "moved";
  fs::rename(File, Moved);
  fs::create_symlink(Moved, File);
  EXPECT_FALSE(finds(1));
  EXPECT_EQ(Warnings.size(), 1u);
  keep(1);
  EXPECT_TRUE(finds(1));
  fs::remove(File);
  ASSERT_EQ(::mkfifo(File.c_str(), 0600), 0);
  EXPECT_FALSE(finds(1));
  keep(1);
  EXPECT_TRUE(finds(1));
}

TEST_F(CodeCaches, FoldersThatOthersMayWriteAreNotUsed) {
  keep(1);
  fs::permissions(Folder, fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(finds(1));
  EXPECT_EQ(Warnings.size(), 1u);
  keep(2);
  EXPECT_EQ(files().size(), 1u);
  fs::permissions(Folder, fs::perms::group_write, fs::perm_options::remove);
  const fs::path Moved = Root / "moved";
  fs::rename(Folder, Moved);
  fs::create_symlink(Moved, Folder);
  EXPECT_FALSE(finds(1));
  keep(2);
  EXPECT_EQ(files().size(), 1u);
}

/// Who owns a file can be changed by root alone; another user finds files of
/// root's in a folder of his own as little.
TEST_F(CodeCaches, FilesAndFoldersOfOthersAreNotUsed) {
  keep(1);
  constexpr uid_t Other = 54321;
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(onlyFile().c_str(), Other, Other), 0);
    EXPECT_FALSE(finds(1));
    EXPECT_THAT(Warnings, testing::ElementsAre(
                              testing::HasSubstr("belongs to another user")));
    keep(1);
    EXPECT_TRUE(finds(1));
    ASSERT_EQ(::chown(Folder.c_str(), Other, Other), 0);
    EXPECT_FALSE(finds(1));
    keep(2);
    EXPECT_EQ(files().size(), 1u);
  } else {
    Folder = "/usr";
    EXPECT_FALSE(finds(1));
    EXPECT_THAT(Warnings, testing::ElementsAre(
                              testing::HasSubstr("belongs to another user")));
  }
}

TEST_F(CodeCaches, WhereNothingCanBeWrittenNothingIsKept) {
  fs::create_directories(Root / "luthier");
  writeFile(Folder, "a file");
  CodeCache Cache(options());
  Cache.keep(key(1), "", contents(1));
  Cache.keep(key(2), "", contents(2));
  EXPECT_FALSE(Cache.find(key(1)));
  EXPECT_EQ(Notes.size(), 1u);
  EXPECT_EQ(readFile(Folder), "a file");
}

TEST_F(CodeCaches, FullDisksLeaveNothingHalf) {
  EXPECT_TRUE(inChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit Few = {50, 50};
    ::setrlimit(RLIMIT_FSIZE, &Few);
    keep(1);
  }));
  EXPECT_TRUE(files().empty());
  keep(1);
  EXPECT_TRUE(finds(1));
}

TEST_F(CodeCaches, WhoDiesWhileWritingLeavesNoEntry) {
  const auto writeHalf = [&] {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit Few = {50, 50}, NoCore = {0, 0};
    ::setrlimit(RLIMIT_CORE, &NoCore);
    ::setrlimit(RLIMIT_FSIZE, &Few);
    keep(1);
  };
  EXPECT_FALSE(inChild(writeHalf)) << "the system ends who writes too much";
  EXPECT_EQ(fs::file_size(onlyFile()), 50u);
  EXPECT_FALSE(finds(1));
  std::string Why;
  auto Opened = CacheFolder::open(Folder, Why);
  ASSERT_TRUE(Opened) << Why;
  EXPECT_TRUE(Opened->list().empty());
  EXPECT_EQ(files().size(), 1u) << "it may still be written";
  // Some day it is taken away.
  fs::last_write_time(onlyFile(),
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  keep(2);
  EXPECT_TRUE(finds(2));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CodeCaches, WhatWasNotUsedForLongestGoesFirst) {
  constexpr unsigned Count = 20;
  constexpr size_t Size = 4000;
  const auto Now = fs::file_time_type::clock::now();
  for (unsigned I = 0; I < Count; ++I) {
    std::set<fs::path> Before;
    for (const fs::path &File : files())
      Before.insert(File);
    keep(I, Size);
    for (const fs::path &File : files())
      if (!Before.contains(File))
        fs::last_write_time(File, Now - std::chrono::hours(Count - I));
  }
  EXPECT_TRUE(finds(0, Size)) << "which marks it as used";
  constexpr uint64_t Small = 50'000;
  keep(Count, Size, Small);
  EXPECT_LE(bytes(), Small);
  EXPECT_TRUE(finds(0, Size));
  EXPECT_TRUE(finds(Count, Size));
  EXPECT_TRUE(finds(Count - 1, Size));
  EXPECT_FALSE(finds(1, Size));
  EXPECT_FALSE(finds(2, Size));
}

TEST_F(CodeCaches, TheLimitHoldsAfterEachWrite) {
  constexpr uint64_t Small = 20'000;
  CodeCache Cache(options(Small));
  for (unsigned I = 0; I < 200; ++I) {
    Cache.keep(key(I), "", contents(I, 10 + 37 * I % 3000));
    ASSERT_LE(bytes(), Small);
  }
  EXPECT_GT(bytes(), Small / 2);
  Cache.keep(key(300), "", contents(300, Small));
  EXPECT_FALSE(Cache.find(key(300))) << "larger than all the room";
}

TEST_F(CodeCaches, ManyProcessesMayReadWriteAndClear) {
  constexpr unsigned Processes = 8, Rounds = 40, Keys = 10;
  std::vector<pid_t> Children;
  for (unsigned N = 0; N < Processes; ++N) {
    const pid_t Child = ::fork();
    if (!Child) {
      CodeCache Cache(options(30'000));
      bool IsRight = true;
      for (unsigned I = 0; I < Rounds; ++I) {
        const unsigned Number = (I * (N + 1)) % Keys;
        auto Found = Cache.find(key(Number));
        IsRight &= !Found || *Found == contents(Number, 5000);
        if (!Found)
          Cache.keep(key(Number), "", contents(Number, 5000));
        if (N == 0 && I % 4 == 0) {
          std::string Why;
          if (auto Opened = CacheFolder::open(Folder, Why))
            for (const CacheFolder::File &F : Opened->list(true))
              Opened->remove(F.Name);
        }
      }
      ::_exit(IsRight && Warnings.empty() && Notes.empty() ? 0 : 1);
    }
    Children.push_back(Child);
  }
  for (pid_t Child : Children) {
    int Status = 0;
    ::waitpid(Child, &Status, 0);
    EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
  }
  for (unsigned Number = 0; Number < Keys; ++Number)
    finds(Number, 5000);
}

TEST(CacheLimit, IsGivenInMebibytes) {
  EXPECT_EQ(limitOf("3"), uint64_t(3) << 20);
  EXPECT_EQ(limitOf("0"), 0u);
  EXPECT_EQ(limitOf(nullptr), uint64_t(256) << 20);
  for (const char *Wrong : {"", "-1", "1x", "many", "99999999999999999999"})
    EXPECT_FALSE(limitOf(Wrong)) << Wrong;
}

TEST(CacheFolders, AreWhereTheUserKeepsThem) {
  const auto folderWith = [](const char *Cache, const char *Home) {
    Cache ? ::setenv("XDG_CACHE_HOME", Cache, 1) : ::unsetenv("XDG_CACHE_HOME");
    Home ? ::setenv("HOME", Home, 1) : ::unsetenv("HOME");
    return defaultFolder();
  };
  EXPECT_EQ(folderWith("/c", "/h"), "/c/luthier/code");
  EXPECT_EQ(folderWith(nullptr, "/h"), "/h/.cache/luthier/code");
  EXPECT_EQ(folderWith("relative", "/h"), "/h/.cache/luthier/code");
  EXPECT_EQ(folderWith("", "/h"), "/h/.cache/luthier/code");
  EXPECT_EQ(folderWith(nullptr, nullptr), "");
  EXPECT_EQ(folderWith(nullptr, "relative"), "");
}

TEST(BuildIdentity, IsThatOfTheLibraryBehindAnAddress) {
  const auto *InLlvm =
      reinterpret_cast<const void *>(&sys::Process::getPageSizeEstimate);
  const auto *InLibc = reinterpret_cast<const void *>(&::getenv);
  const std::string Llvm = buildIdentity(InLlvm);
  EXPECT_THAT(Llvm, testing::MatchesRegex("[0-9A-F]+\n"));
  EXPECT_THAT(buildIdentity({InLlvm, InLibc}), testing::StartsWith(Llvm));
  const int OnStack = 0;
  EXPECT_EQ(buildIdentity(&OnStack), "");
  EXPECT_EQ(buildIdentity({InLlvm, &OnStack}), "");
}

} // namespace
