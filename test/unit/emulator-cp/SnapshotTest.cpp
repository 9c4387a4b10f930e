// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/memory/Snapshot.h"
#include "gtest/gtest.h"
#include <cstring>
#include <sys/mman.h>
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
  HostPages Pages(600);
  AddressSpace Space;
  Space.map(Pages.address(), Pages.Size);
  Pages.Begin[5] = 1;
  Pages.Begin[599 * Page] = 2;
  auto Copy = Snapshot::create(Space);
  ASSERT_TRUE(Copy);
  Pages.Begin[5] = 3;
  auto Second = Copy->clone();
  ASSERT_TRUE(Second);
  for (Snapshot *S : {Copy.get(), Second.get()}) {
    EXPECT_EQ(at(*S, Pages.address() + 5), 1);
    EXPECT_EQ(at(*S, Pages.address() + 599 * Page), 2);
    EXPECT_EQ(at(*S, Pages.address() + 300 * Page), 0);
    EXPECT_FALSE(S->space().contains(Pages.address() + Pages.Size, 1));
  }
}

TEST(SnapshotTest, AreApart) {
  HostPages Pages(1);
  AddressSpace Space;
  Space.map(Pages.address(), Pages.Size);
  Pages.Begin[0] = 1;
  auto First = Snapshot::create(Space);
  auto Second = First->clone();
  const uint8_t Two = 2;
  EXPECT_TRUE(First->write(Pages.address(), &Two, 1));
  EXPECT_EQ(at(*First, Pages.address()), 2);
  EXPECT_EQ(at(*Second, Pages.address()), 1);
  EXPECT_EQ(Pages.Begin[0], 1);
  EXPECT_FALSE(First->write(Pages.address() + Pages.Size - 1, "ab", 2));
}

TEST(SnapshotTest, CopiesFilesThatTheApplicationRegistered) {
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
  auto Copy = Snapshot::create(Space);
  EXPECT_EQ(at(*Copy, Device + 2 * Page), 'x');
  EXPECT_EQ(at(*Copy, Device), 0);
  munmap(Host, 3 * Page);
}

TEST(SnapshotTest, MemoryThatTheHostTookAwayIsZero) {
  HostPages Pages(3);
  std::memset(Pages.Begin, 7, Pages.Size);
  AddressSpace Space;
  constexpr uint64_t Device = 0x10000000;
  ASSERT_TRUE(Space.mapAt(Device, Pages.Size, Pages.Begin));
  ASSERT_EQ(mprotect(Pages.Begin + Page, Page, PROT_NONE), 0);
  ASSERT_EQ(munmap(Pages.Begin + Page, Page), 0);
  auto Copy = Snapshot::create(Space);
  ASSERT_TRUE(Copy);
  EXPECT_EQ(at(*Copy, Device + Page - 1), 7);
  EXPECT_EQ(at(*Copy, Device + Page), 0);
  EXPECT_EQ(at(*Copy, Device + 2 * Page), 7);
}

} // namespace
} // namespace luthier::emulator
