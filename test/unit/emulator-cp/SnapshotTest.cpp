// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/memory/Snapshot.h"
#include "gtest/gtest.h"
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace luthier::emulator {
namespace {

constexpr uint64_t Page = 4096;

/// Anonymous memory, of which nothing is written yet.
struct HostPages {
  explicit HostPages(uint64_t Count)
      : Size(Count * Page), Begin(static_cast<uint8_t *>(
                                mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~HostPages() { munmap(Begin, Size); }
  uint64_t address() const { return reinterpret_cast<uint64_t>(Begin); }
  uint64_t Size;
  uint8_t *Begin;
};

uint8_t at(Snapshot &S, uint64_t Address) {
  auto *Byte = static_cast<uint8_t *>(S.space().pointer(Address, 1));
  return Byte ? *Byte : 0xee;
}

TEST(SnapshotTest, HoldsWhatWasThereAtTheSameAddresses) {
  Snapshot::Storage In;
  HostPages Pages(600);
  AddressSpace Space;
  Space.map(Pages.address(), Pages.Size);
  Pages.Begin[5] = 1;
  Pages.Begin[599 * Page] = 2;
  auto Copy = Snapshot::create(Space, In);
  ASSERT_TRUE(Copy);
  Pages.Begin[5] = 3;
  auto Second = Copy->again();
  ASSERT_TRUE(Second);
  for (Snapshot *S : {Copy.get(), Second.get()}) {
    EXPECT_EQ(at(*S, Pages.address() + 5), 1);
    EXPECT_EQ(at(*S, Pages.address() + 599 * Page), 2);
    EXPECT_EQ(at(*S, Pages.address() + 300 * Page), 0);
    EXPECT_FALSE(S->space().contains(Pages.address() + Pages.Size, 1));
  }
}

TEST(SnapshotTest, AreApart) {
  Snapshot::Storage In;
  HostPages Pages(1);
  AddressSpace Space;
  Space.map(Pages.address(), Pages.Size);
  Pages.Begin[0] = 1;
  auto First = Snapshot::create(Space, In);
  auto Second = First->again();
  const uint8_t Two = 2;
  EXPECT_TRUE(First->write(Pages.address(), &Two, 1));
  EXPECT_EQ(at(*First, Pages.address()), 2);
  EXPECT_EQ(at(*Second, Pages.address()), 1);
  EXPECT_EQ(Pages.Begin[0], 1);
  EXPECT_FALSE(First->write(Pages.address() + Pages.Size - 1, "ab", 2));
}

TEST(SnapshotTest, AnotherHoldsNothingThatWasWrittenToTheFirst) {
  Snapshot::Storage In;
  HostPages Pages(2);
  AddressSpace Space;
  Space.map(Pages.address(), Pages.Size);
  Pages.Begin[0] = 1;
  auto First = Snapshot::create(Space, In);
  const uint8_t Two = 2;
  ASSERT_TRUE(First->write(Pages.address(), &Two, 1));
  ASSERT_TRUE(First->write(Pages.address() + Page, &Two, 1));
  auto Second = First->again();
  ASSERT_TRUE(Second);
  EXPECT_EQ(at(*Second, Pages.address()), 1);
  EXPECT_EQ(at(*Second, Pages.address() + Page), 0);
}

TEST(SnapshotTest, TellsThePagesThatWereWrittenSince) {
  Snapshot::Storage In;
  HostPages Before(3), Pages(600);
  AddressSpace Space;
  constexpr uint64_t Device = 0x10000000;
  ASSERT_TRUE(Space.mapAt(Device, Before.Size, Before.Begin));
  Space.map(Pages.address(), Pages.Size);
  std::memset(Pages.Begin, 7, 300 * Page);
  auto Copy = Snapshot::create(Space, In);
  EXPECT_EQ(at(*Copy, Pages.address() + Page), 7);
  EXPECT_EQ(at(*Copy, Pages.address() + 400 * Page), 0);
  const uint8_t One = 1;
  for (unsigned N : {0, 1, 299, 550})
    ASSERT_TRUE(Copy->write(Pages.address() + N * Page + 8, &One, 1));
  ASSERT_TRUE(Copy->write(Device + 2 * Page, &One, 1));
  std::vector<std::pair<uint64_t, uint64_t>> Written;
  for (const Snapshot::Extent &E : Copy->written())
    Written.push_back({E.Begin, E.End});
  const uint64_t At = Pages.address();
  EXPECT_EQ(Written, (std::vector<std::pair<uint64_t, uint64_t>>{
                         {Device + 2 * Page, Device + 3 * Page},
                         {At, At + 2 * Page},
                         {At + 299 * Page, At + 300 * Page},
                         {At + 550 * Page, At + 551 * Page}}));
  EXPECT_TRUE(Copy->again()->written().empty());
}

TEST(SnapshotTest, OfAnotherMomentHoldsNothingOfTheLast) {
  Snapshot::Storage In;
  HostPages Kept(1);
  uint64_t Gone;
  {
    HostPages Pages(4);
    Gone = Pages.address();
    AddressSpace Space;
    Space.map(Kept.address(), Kept.Size);
    Space.map(Gone, Pages.Size);
    Kept.Begin[0] = 1;
    std::memset(Pages.Begin, 2, Pages.Size);
    auto First = Snapshot::create(Space, In);
    EXPECT_EQ(at(*First, Gone + 3 * Page), 2);
  }
  AddressSpace Space;
  Space.map(Kept.address(), Kept.Size);
  {
    auto Second = Snapshot::create(Space, In);
    EXPECT_EQ(at(*Second, Kept.address()), 1);
    EXPECT_FALSE(Second->space().contains(Gone, 1));
  }
  // Other memory at the same place.
  HostPages New(4);
  ASSERT_TRUE(Space.mapAt(Gone, New.Size, New.Begin));
  auto Third = Snapshot::create(Space, In);
  EXPECT_EQ(at(*Third, Gone + 3 * Page), 0);
  // The third is still looked at.
  New.Begin[0] = Kept.Begin[0] = 5;
  auto Fourth = Snapshot::create(Space, In);
  EXPECT_EQ(at(*Third, Kept.address()), 1);
  EXPECT_EQ(at(*Fourth, Kept.address()), 5);
  EXPECT_EQ(at(*Third, Gone), 0);
  EXPECT_EQ(at(*Fourth, Gone), 5);
}

TEST(SnapshotTest, PagesThatAreNotWrittenAnyMoreAreZero) {
  Snapshot::Storage In;
  HostPages Pages(4);
  AddressSpace Space;
  Space.map(Pages.address(), Pages.Size);
  std::memset(Pages.Begin, 2, Pages.Size);
  EXPECT_EQ(at(*Snapshot::create(Space, In), Pages.address() + 2 * Page), 2);
  ASSERT_EQ(madvise(Pages.Begin + 2 * Page, Page, MADV_DONTNEED), 0);
  auto Copy = Snapshot::create(Space, In);
  EXPECT_EQ(at(*Copy, Pages.address() + Page), 2);
  EXPECT_EQ(at(*Copy, Pages.address() + 2 * Page), 0);
}

TEST(SnapshotTest, IsNoneIfFilesMayNotBeSoLarge) {
  HostPages Pages(1);
  AddressSpace Space;
  Space.map(Pages.address(), Pages.Size);
  rlimit Before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &Before), 0);
  rlimit Small = Before;
  Small.rlim_cur = 1 << 20;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Small), 0);
  Snapshot::Storage In;
  EXPECT_FALSE(Snapshot::create(Space, In));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Before), 0);
  EXPECT_TRUE(Snapshot::create(Space, In));
}

TEST(SnapshotTest, IsThereAgainWhenThereAreDescriptorsAgain) {
  HostPages Pages(1);
  AddressSpace Space;
  Space.map(Pages.address(), Pages.Size);
  Snapshot::Storage In;
  rlimit Before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &Before), 0);
  rlimit None = Before;
  None.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &None), 0);
  EXPECT_FALSE(Snapshot::create(Space, In));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &Before), 0);
  EXPECT_TRUE(Snapshot::create(Space, In));
}

/// A file in memory, which all who map it share.
struct SharedFile {
  explicit SharedFile(uint64_t Count) : Descriptor(memfd_create("shared", 0)) {
    EXPECT_EQ(ftruncate(Descriptor, off_t(Count * Page)), 0);
  }
  ~SharedFile() { close(Descriptor); }
  int Descriptor;
};

TEST(SnapshotTest, WritesToNoFileOfTheApplication) {
  HostPages Pages(1);
  AddressSpace Space;
  Space.map(Pages.address(), Pages.Size);
  Snapshot::Storage In;
  std::set<int> Open;
  for (int N = 0; N != 1024; ++N)
    if (fcntl(N, F_GETFD) >= 0)
      Open.insert(N);
  ASSERT_TRUE(Snapshot::create(Space, In));
  // The application closes what it does not know, and opens a file.
  SharedFile File(1);
  int Own = -1;
  for (int N = 0; N != 1024; ++N)
    if (N != File.Descriptor && !Open.contains(N) && fcntl(N, F_GETFD) >= 0) {
      Own = N;
      ASSERT_EQ(dup2(File.Descriptor, N), N);
    }
  ASSERT_GE(Own, 0);
  EXPECT_TRUE(Snapshot::create(Space, In));
  struct stat After;
  ASSERT_EQ(fstat(Own, &After), 0) << "it is still open";
  EXPECT_EQ(After.st_size, off_t(Page));
  close(Own);
}

TEST(SnapshotTest, HoldsWhatAnotherHasWrittenToMemoryThatIsShared) {
  Snapshot::Storage In;
  SharedFile File(2);
  void *Host = mmap(nullptr, 2 * Page, PROT_READ | PROT_WRITE, MAP_SHARED,
                    File.Descriptor, 0);
  ASSERT_NE(Host, MAP_FAILED);
  // Nobody has looked at it through this mapping.
  ASSERT_EQ(pwrite(File.Descriptor, "x", 1, Page), 1);
  AddressSpace Space;
  const auto Address = reinterpret_cast<uint64_t>(Host);
  Space.map(Address, 2 * Page);
  auto Copy = Snapshot::create(Space, In);
  ASSERT_TRUE(Copy);
  EXPECT_EQ(at(*Copy, Address + Page), 'x');
  EXPECT_EQ(at(*Copy, Address), 0);
  munmap(Host, 2 * Page);
}

TEST(SnapshotTest, CopiesFilesThatTheApplicationRegistered) {
  Snapshot::Storage In;
  char Name[] = "/tmp/luthier-snapshot-XXXXXX";
  const int File = mkstemp(Name);
  unlink(Name);
  ASSERT_EQ(pwrite(File, "x", 1, 2 * Page), 1);
  ASSERT_EQ(ftruncate(File, 3 * Page), 0);
  void *Host = mmap(nullptr, 3 * Page, PROT_READ, MAP_SHARED, File, 0);
  close(File);
  AddressSpace Space;
  constexpr uint64_t Device = 0x10000000;
  ASSERT_TRUE(Space.mapAt(Device, 3 * Page, Host));
  auto Copy = Snapshot::create(Space, In);
  EXPECT_EQ(at(*Copy, Device + 2 * Page), 'x');
  EXPECT_EQ(at(*Copy, Device), 0);
  munmap(Host, 3 * Page);
}

TEST(SnapshotTest, MemoryThatTheHostTookAwayIsZero) {
  Snapshot::Storage In;
  HostPages Pages(3);
  std::memset(Pages.Begin, 7, Pages.Size);
  AddressSpace Space;
  constexpr uint64_t Device = 0x10000000;
  ASSERT_TRUE(Space.mapAt(Device, Pages.Size, Pages.Begin));
  ASSERT_EQ(mprotect(Pages.Begin + Page, Page, PROT_NONE), 0);
  ASSERT_EQ(munmap(Pages.Begin + Page, Page), 0);
  auto Copy = Snapshot::create(Space, In);
  ASSERT_TRUE(Copy);
  EXPECT_EQ(at(*Copy, Device + Page - 1), 7);
  EXPECT_EQ(at(*Copy, Device + Page), 0);
  EXPECT_EQ(at(*Copy, Device + 2 * Page), 7);
}

} // namespace
} // namespace luthier::emulator
