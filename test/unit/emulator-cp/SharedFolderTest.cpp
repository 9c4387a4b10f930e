// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders for temporary files that go with the last process that uses them.
#include "emulator/kfd/SharedFolder.h"
#include "gtest/gtest.h"
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
std::atomic<bool> RemovesSlowly{false};
} // namespace

/// In place of the C library's, so that others come while a folder is removed.
extern "C" int unlinkat(int Folder, const char *Name, int Flags) noexcept {
  if (RemovesSlowly)
    ::usleep(200);
  return int(::syscall(SYS_unlinkat, Folder, Name, Flags));
}

namespace luthier::emulator {
namespace {

namespace fs = std::filesystem;

class SharedFolderTest : public testing::Test {
protected:
  SharedFolderTest() {
    std::string Name = fs::temp_directory_path() / "shared-folder.XXXXXX";
    Place = ::mkdtemp(Name.data());
  }
  ~SharedFolderTest() override { fs::remove_all(Place); }

  SharedFolder open(const char *Key) const {
    return SharedFolder::open(Place, "files-", Key, [](const fs::path &Folder) {
      std::ofstream(Folder / "text") << "text";
    });
  }
  std::vector<std::string> names() const {
    std::vector<std::string> Names;
    for (const fs::directory_entry &E : fs::directory_iterator(Place))
      Names.push_back(E.path().filename());
    return Names;
  }

  /// Threads that use two folders, so that each is removed again and again.
  void useByTurns() const {
    constexpr unsigned Threads = 4, Rounds = 100;
    std::atomic<unsigned> Found{0};
    std::vector<std::thread> All;
    for (unsigned I = 0; I < Threads; ++I)
      All.emplace_back([&, I] {
        for (unsigned Round = 0; Round < Rounds; ++Round) {
          const SharedFolder Mine = open((I + Round) % 2 ? "a" : "b");
          Found += fs::exists(Mine.path() / "text") &&
                   fs::exists(Mine.path() / "in-use");
        }
      });
    for (std::thread &T : All)
      T.join();
    EXPECT_EQ(Found, Threads * Rounds);
  }

  /// A process that uses the folder of \p Key until it is killed.
  pid_t startUser(const char *Key, bool ClosesAll = false) const {
    int Ready[2];
    EXPECT_EQ(::pipe(Ready), 0);
    const pid_t Child = ::fork();
    if (Child == 0) {
      const SharedFolder Used = open(Key);
      if (ClosesAll)
        for (int Fd = 0; Fd < 1024; ++Fd)
          if (Fd != Ready[1])
            ::close(Fd);
      (void)!::write(Ready[1], "x", 1);
      for (;;)
        ::pause();
    }
    char Byte;
    EXPECT_EQ(::read(Ready[0], &Byte, 1), 1);
    ::close(Ready[0]);
    ::close(Ready[1]);
    return Child;
  }
  static void kill(pid_t Child) {
    ::kill(Child, SIGKILL);
    ::waitpid(Child, nullptr, 0);
  }

  fs::path Place;
};

using Names = std::vector<std::string>;

TEST_F(SharedFolderTest, IsOneForThoseWhoNeedTheSame) {
  const SharedFolder A = open("a"), Again = open("a");
  EXPECT_EQ(A.path(), Place / "files-a");
  EXPECT_EQ(Again.path(), A.path());
  EXPECT_TRUE(fs::exists(A.path() / "text"));
}

TEST_F(SharedFolderTest, OfAKilledProcessGoesWithTheNextOne) {
  const pid_t Child = startUser("a");
  {
    const SharedFolder B = open("b");
    EXPECT_TRUE(fs::exists(Place / "files-a" / "text"));
  }
  kill(Child);
  const SharedFolder C = open("c");
  EXPECT_EQ(names(), Names{"files-c"});
}

TEST_F(SharedFolderTest, StaysWhileOneOfTwoProcessesIsThere) {
  const pid_t First = startUser("a"), Second = startUser("a");
  kill(First);
  {
    const SharedFolder B = open("b");
  }
  EXPECT_TRUE(fs::exists(Place / "files-a"));
  kill(Second);
  const SharedFolder B = open("b");
  EXPECT_EQ(names(), Names{"files-b"});
}

TEST_F(SharedFolderTest, StaysForAProcessThatClosesAllDescriptors) {
  const pid_t Child = startUser("a", /*ClosesAll=*/true);
  const SharedFolder B = open("b");
  EXPECT_TRUE(fs::exists(Place / "files-a"));
  kill(Child);
}

TEST_F(SharedFolderTest, LeavesWhatIsNotItsOwnAlone) {
  fs::create_directory(Place / "other-a");
  std::ofstream(Place / "files-text") << "no folder";
  fs::create_directory(Place / "elsewhere");
  fs::create_directory_symlink(Place / "elsewhere", Place / "files-link");
  // Another process may be about to lock this one.
  fs::create_directory(Place / "files-a.XXXXXX");
  const SharedFolder B = open("b");
  EXPECT_EQ(names().size(), 6u);
}

TEST_F(SharedFolderTest, WithoutALockGoesWhenItIsOld) {
  fs::create_directory(Place / "files-a");
  fs::last_write_time(Place / "files-a", fs::file_time_type::clock::now() -
                                             std::chrono::hours(25));
  const SharedFolder B = open("b");
  EXPECT_EQ(names(), Names{"files-b"});
}

TEST_F(SharedFolderTest, IsThereForAllWhileOthersAreRemoved) {
  useByTurns();
  const SharedFolder C = open("c");
  EXPECT_EQ(names(), Names{"files-c"});
}

TEST_F(SharedFolderTest, IsRemovedWholeIfSeveralTryTo) {
  RemovesSlowly = true;
  useByTurns();
  RemovesSlowly = false;
  const SharedFolder C = open("c");
  EXPECT_EQ(names(), Names{"files-c"});
}

} // namespace
} // namespace luthier::emulator
