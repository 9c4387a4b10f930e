// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/DoorbellWatch.h"
#include "emulator/cp/Queue.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace luthier::emulator {
namespace {

using Woken = DoorbellWatch::Woken;

constexpr uint64_t PageBytes = 4096, Bytes = 2 * PageBytes;
/// Longer than any test has.
constexpr uint64_t Forever = 600'000'000'000;
/// Than any clock says.
constexpr uint64_t Later = uint64_t(1) << 62;
constexpr uint64_t Quiet = DoorbellWatch::QuietTime;

/// Doorbells as the queues see them, and as who rings does.
class DoorbellWatchTest : public testing::Test {
protected:
  void SetUp() override {
    File = ::memfd_create("doorbells", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(File, Bytes), 0);
    Queues = map();
    Ringer = map();
    Watch = DoorbellWatch::create(Queues, Forever);
    // Where Linux offers it, it has to be there.
    if (!Watch)
      ASSERT_LT(::syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY), 0);
    if (!Watch)
      GTEST_SKIP() << "this process may not use userfaultfd";
    Watch->add(Ringer, Bytes);
  }
  void TearDown() override {
    Watch.reset();
    ::munmap(Queues, Bytes);
    if (Ringer)
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
    const auto Armed = Watch->arm(Later);
    ASSERT_TRUE(Armed);
    std::thread Other([&] { ring(Ringer, Doorbell); });
    EXPECT_EQ(Watch->sleep(*Armed, &Queues[Doorbell]), Woken::ByOwnRing);
    Other.join();
    EXPECT_TRUE(isRung(Doorbell));
    // Noting a ring is noting work.
    Watch->noteWork(0);
  }
}

TEST_F(DoorbellWatchTest, RingBeforeTheSleepEndsItAtOnce) {
  const auto Armed = Watch->arm(Later);
  ASSERT_TRUE(Armed);
  ring(Ringer, 5);
  EXPECT_TRUE(isRung(5));
  EXPECT_EQ(Watch->sleep(*Armed, &Queues[5]), Woken::ByOwnRing);
}

TEST_F(DoorbellWatchTest, RingsForOthersAreToldApart) {
  const auto Armed = Watch->arm(Later);
  ASSERT_TRUE(Armed);
  ring(Ringer, 5);
  EXPECT_EQ(Watch->sleep(*Armed, &Queues[6]), Woken::ByOthers);
}

TEST_F(DoorbellWatchTest, OnlyTheFirstRingIsStopped) {
  const auto Armed = Watch->arm(Later);
  ASSERT_TRUE(Armed);
  for (unsigned Doorbell : {5, 6, 7})
    ring(Ringer, Doorbell);
  Watch->noteWork(0);
  EXPECT_EQ(Watch->arm(Later), *Armed + 1);
}

TEST_F(DoorbellWatchTest, WithoutARingTimeEndsASleep) {
  const auto Brief = DoorbellWatch::create(Queues, 1);
  ASSERT_TRUE(Brief);
  uint64_t *Second = map();
  Brief->add(Second, Bytes);
  const auto Armed = Brief->arm(Later);
  ASSERT_TRUE(Armed);
  EXPECT_EQ(Brief->sleep(*Armed, &Queues[5]), Woken::ByTime);
  ::munmap(Second, Bytes);
}

TEST_F(DoorbellWatchTest, WakeEndsASleepAndIsNoRing) {
  const auto Armed = Watch->arm(Later);
  ASSERT_TRUE(Armed);
  std::thread Other([&] { Watch->wake(); });
  EXPECT_EQ(Watch->sleep(*Armed, &Queues[5]), Woken::ByOthers);
  Other.join();
}

TEST_F(DoorbellWatchTest, QueuesThatWorkAreNotWatched) {
  Watch->noteWork(1000);
  EXPECT_FALSE(Watch->arm(1000));
  EXPECT_FALSE(Watch->arm(1000 + Quiet - 1));
  EXPECT_TRUE(Watch->arm(1000 + Quiet));
}

TEST_F(DoorbellWatchTest, PagesThatComeLaterAreWatchedAtOnce) {
  const auto Armed = Watch->arm(Later);
  ASSERT_TRUE(Armed);
  uint64_t *Second = map();
  Watch->add(Second, Bytes);
  std::thread Other([&] { ring(Second, 5); });
  EXPECT_EQ(Watch->sleep(*Armed, &Queues[5]), Woken::ByOwnRing);
  Other.join();
  ::munmap(Second, Bytes);
}

TEST_F(DoorbellWatchTest, PagesThatAreGoneAreNotWatched) {
  uint64_t *Second = map();
  Watch->add(Second, Bytes);
  ::munmap(Second, Bytes);
  EXPECT_TRUE(Watch->arm(Later));
  // All pages are writable again at the end.
  ring(Ringer, 5);
  ::munmap(std::exchange(Ringer, nullptr), Bytes);
  Watch->noteWork(0);
  EXPECT_FALSE(Watch->arm(Later));
}

TEST_F(DoorbellWatchTest, WithoutPagesNobodyIsToldToSleep) {
  const auto Other = DoorbellWatch::create(Queues);
  ASSERT_TRUE(Other);
  EXPECT_FALSE(Other->arm(Later));
  // Not whole pages.
  Other->add(Ringer, 100);
  EXPECT_FALSE(Other->arm(Later));
}

TEST_F(DoorbellWatchTest, EndLeavesPagesWritable) {
  ASSERT_TRUE(Watch->arm(Later));
  Watch.reset();
  ring(Ringer, 5);
  EXPECT_TRUE(isRung(5));
}

/// The end of a mapping stops nobody who is in the middle of a ring.
TEST_F(DoorbellWatchTest, PagesThatAreReplacedInPartAreNotProtected) {
  // The first one can be protected, the second cannot.
  void *Second = reinterpret_cast<char *>(Ringer) + PageBytes;
  ASSERT_EQ(::mmap(Second, PageBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
            Second);
  EXPECT_FALSE(Watch->arm(Later));
  ring(Ringer, 5);
  EXPECT_TRUE(isRung(5));
}

TEST_F(DoorbellWatchTest, PagesThatComeAgainAreWatchedOnce) {
  const auto First = Watch->arm(Later);
  ASSERT_TRUE(First);
  ASSERT_EQ(::mmap(Ringer, Bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, File, 0),
            Ringer);
  Watch->add(Ringer, Bytes);
  ring(Ringer, 5);
  EXPECT_EQ(Watch->sleep(*First, &Queues[5]), Woken::ByOwnRing);
}

/// Closes all that it has, and opens files of its own. What it ends with is
/// what went wrong, or 0.
int closeDescriptorsThatAreNotMine(uint64_t *Doorbells, uint64_t *Through) {
  constexpr int First = 3, Pairs = 10;
  const auto Watch = DoorbellWatch::create(Doorbells, Forever);
  Watch->add(Through, Bytes);
  const auto Armed = Watch->arm(Later);
  if (!Armed)
    return 1;
  for (int Each = First; Each != 1000; ++Each)
    ::close(Each);
  for (int I = 0; I != Pairs; ++I) {
    int Sockets[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, Sockets) ||
        ::write(Sockets[0], "text", 4) != 4 ||
        ::write(Sockets[1], "text", 4) != 4)
      return 2;
  }
  __atomic_store_n(&Through[5], 1, __ATOMIC_RELEASE);
  if (Watch->sleep(*Armed, &Doorbells[5]) == Woken::ByTime)
    return 3;
  // Who is told of no more rings has nobody sleep.
  while (Watch->arm(Later))
    std::this_thread::yield();
  for (int Each = First; Each != First + 2 * Pairs; ++Each) {
    char Text[4];
    if (::read(Each, Text, 4) != 4)
      return 4;
  }
  return 0;
}

/// In a process of its own, whose the descriptors are.
TEST_F(DoorbellWatchTest, ProgramsMayCloseDescriptorsThatAreNotTheirs) {
  // This one has threads.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  uint64_t *Doorbells = map(), *Through = map();
  EXPECT_EXIT(std::_Exit(closeDescriptorsThatAreNotMine(Doorbells, Through)),
              testing::ExitedWithCode(0), "");
  ::munmap(Doorbells, Bytes);
  ::munmap(Through, Bytes);
}

/// Takes rings for packets.
class RungQueue final : public Queue {
public:
  RungQueue(uint64_t *Doorbell, DoorbellWatch *Watch)
      : Queue(Doorbell, Watch), Own(Doorbell) {}
  ~RungQueue() override { stop(); }
  std::atomic<unsigned> Handled{0};

private:
  bool processPacket() override {
    if (__atomic_exchange_n(Own, 0, __ATOMIC_ACQ_REL) == 0)
      return false;
    ++Handled;
    return true;
  }
  uint64_t *const Own;
};

/// Only a ring, or being told, ends their sleep.
class SleepingQueuesTest : public DoorbellWatchTest {
protected:
  void SetUp() override {
    DoorbellWatchTest::SetUp();
    if (!Watch)
      return;
    for (unsigned Doorbell : {5, 6}) {
      All.push_back(
          std::make_unique<RungQueue>(&Queues[Doorbell], Watch.get()));
      All.back()->start();
    }
  }
  void TearDown() override {
    All.clear();
    DoorbellWatchTest::TearDown();
  }
  void waitUntilAsleep() const {
    while (Watch->sleepers() != All.size())
      std::this_thread::yield();
  }
  static void waitUntilHandled(const RungQueue &Q, unsigned Count) {
    while (Q.Handled != Count)
      std::this_thread::yield();
  }
  std::vector<std::unique_ptr<RungQueue>> All;
};

TEST_F(SleepingQueuesTest, EachSeesItsRing) {
  for (unsigned Round = 1; Round != 4; ++Round) {
    waitUntilAsleep();
    ring(Ringer, 5);
    waitUntilHandled(*All[0], Round);
    waitUntilAsleep();
    ring(Ringer, 6);
    waitUntilHandled(*All[1], Round);
  }
}

TEST_F(SleepingQueuesTest, RingsBehindTheFirstAreSeen) {
  for (unsigned Round = 1; Round != 4; ++Round) {
    waitUntilAsleep();
    ring(Ringer, 5);
    ring(Ringer, 6);
    waitUntilHandled(*All[0], Round);
    waitUntilHandled(*All[1], Round);
  }
}

TEST_F(SleepingQueuesTest, BeingMadeActiveWakes) {
  All[0]->setActive(false);
  waitUntilAsleep();
  ring(Ringer, 5);
  waitUntilAsleep();
  EXPECT_EQ(All[0]->Handled, 0u);
  All[0]->setActive(true);
  waitUntilHandled(*All[0], 1);
}

TEST_F(SleepingQueuesTest, EndWakes) {
  waitUntilAsleep();
  All.pop_back();
  EXPECT_EQ(All.size(), 1u);
  waitUntilAsleep();
}

} // namespace
} // namespace luthier::emulator
