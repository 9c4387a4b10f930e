// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/DoorbellWatch.h"
#include "gtest/gtest.h"
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace luthier::emulator {
namespace {

using Woken = DoorbellWatch::Woken;

constexpr uint64_t PageBytes = 4096, Bytes = 2 * PageBytes;
/// Longer than any test has.
constexpr uint64_t Forever = 600'000'000'000;
constexpr uint64_t Quiet = DoorbellWatch::QuietTime;

/// Doorbells as the queues see them, and as who rings does.
class DoorbellWatchTest : public testing::Test {
protected:
  void SetUp() override {
    File = ::memfd_create("doorbells", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(File, Bytes), 0);
    Queues = map();
    Ringer = map();
    Watch = DoorbellWatch::create(Queues);
    if (!Watch)
      GTEST_SKIP() << "this process may not use userfaultfd";
    Watch->add(Ringer, Bytes);
  }
  void TearDown() override {
    Watch.reset();
    ::munmap(Queues, Bytes);
    ::munmap(Ringer, Bytes);
    ::close(File);
  }

  uint64_t *map() const {
    void *Begin =
        ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_SHARED, File, 0);
    EXPECT_NE(Begin, MAP_FAILED);
    return static_cast<uint64_t *>(Begin);
  }

  /// Armed, it stops who rings.
  static void ring(uint64_t *Through, unsigned Doorbell) {
    __atomic_store_n(&Through[Doorbell], 1, __ATOMIC_RELEASE);
  }
  bool isRung(unsigned Doorbell) const {
    return __atomic_load_n(&Queues[Doorbell], __ATOMIC_ACQUIRE) == 1;
  }

  int File = -1;
  uint64_t *Queues = nullptr, *Ringer = nullptr;
  std::unique_ptr<DoorbellWatch> Watch;
};

TEST_F(DoorbellWatchTest, RingWakesWhoSleeps) {
  constexpr unsigned Last = Bytes / sizeof(uint64_t) - 1;
  for (unsigned Doorbell : {0u, 5u, Last}) {
    const auto Armed = Watch->arm(Forever);
    ASSERT_TRUE(Armed);
    std::thread Other([&] { ring(Ringer, Doorbell); });
    EXPECT_EQ(Watch->sleep(*Armed, &Queues[Doorbell], Forever),
              Woken::ByOwnRing);
    Other.join();
    EXPECT_TRUE(isRung(Doorbell));
    // Noting a ring is noting work.
    Watch->noteWork(0);
  }
}

TEST_F(DoorbellWatchTest, RingBeforeTheSleepEndsItAtOnce) {
  const auto Armed = Watch->arm(Forever);
  ASSERT_TRUE(Armed);
  ring(Ringer, 5);
  EXPECT_TRUE(isRung(5));
  EXPECT_EQ(Watch->sleep(*Armed, &Queues[5], Forever), Woken::ByOwnRing);
}

TEST_F(DoorbellWatchTest, RingsForOthersAreToldApart) {
  const auto Armed = Watch->arm(Forever);
  ASSERT_TRUE(Armed);
  ring(Ringer, 5);
  EXPECT_EQ(Watch->sleep(*Armed, &Queues[6], Forever), Woken::ByOthers);
}

TEST_F(DoorbellWatchTest, OnlyTheFirstRingIsStopped) {
  const auto Armed = Watch->arm(Forever);
  ASSERT_TRUE(Armed);
  for (unsigned Doorbell : {5, 6, 7})
    ring(Ringer, Doorbell);
  Watch->noteWork(0);
  EXPECT_EQ(Watch->arm(Forever), *Armed + 1);
}

TEST_F(DoorbellWatchTest, WithoutARingTimeEndsASleep) {
  const auto Armed = Watch->arm(Forever);
  ASSERT_TRUE(Armed);
  EXPECT_EQ(Watch->sleep(*Armed, &Queues[5], 1), Woken::ByTime);
}

TEST_F(DoorbellWatchTest, WakeEndsASleepAndIsNoRing) {
  const auto Armed = Watch->arm(Forever);
  ASSERT_TRUE(Armed);
  std::thread Other([&] { Watch->wake(); });
  EXPECT_EQ(Watch->sleep(*Armed, &Queues[5], Forever), Woken::ByOthers);
  Other.join();
}

TEST_F(DoorbellWatchTest, QueuesThatWorkAreNotWatched) {
  Watch->noteWork(1000);
  EXPECT_FALSE(Watch->arm(1000));
  EXPECT_FALSE(Watch->arm(1000 + Quiet - 1));
  EXPECT_TRUE(Watch->arm(1000 + Quiet));
}

TEST_F(DoorbellWatchTest, PagesThatComeLaterAreWatchedAtOnce) {
  const auto Armed = Watch->arm(Forever);
  ASSERT_TRUE(Armed);
  uint64_t *Second = map();
  Watch->add(Second, Bytes);
  std::thread Other([&] { ring(Second, 5); });
  EXPECT_EQ(Watch->sleep(*Armed, &Queues[5], Forever), Woken::ByOwnRing);
  Other.join();
  ::munmap(Second, Bytes);
}

TEST_F(DoorbellWatchTest, PagesThatAreGoneAreNotWatched) {
  uint64_t *Second = map();
  Watch->add(Second, Bytes);
  ::munmap(Second, Bytes);
  EXPECT_TRUE(Watch->arm(Forever));
  // All pages are writable again at the end.
  ring(Ringer, 5);
  ::munmap(Ringer, Bytes);
  Watch->noteWork(0);
  EXPECT_FALSE(Watch->arm(Forever));
}

TEST_F(DoorbellWatchTest, WithoutPagesNobodyIsToldToSleep) {
  const auto Other = DoorbellWatch::create(Queues);
  ASSERT_TRUE(Other);
  EXPECT_FALSE(Other->arm(Forever));
  // Not whole pages.
  Other->add(Ringer, 100);
  EXPECT_FALSE(Other->arm(Forever));
}

TEST_F(DoorbellWatchTest, EndLeavesPagesWritable) {
  ASSERT_TRUE(Watch->arm(Forever));
  Watch.reset();
  ring(Ringer, 5);
  EXPECT_TRUE(isRung(5));
}

} // namespace
} // namespace luthier::emulator
