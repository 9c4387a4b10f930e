// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that consumes, with threads in place of waves.
#include "runtime/OpenChannel.h"
#include "llvm/Support/Error.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using namespace luthier;
using namespace luthier::detail;

namespace {

class OpenChannelTest : public testing::Test {
protected:
  static constexpr unsigned Log2Units = 6;

  void SetUp() override {
    Channel = std::make_shared<OpenChannel>(
        Log2Units, /*Waits=*/true,
        [this](const RawBlock &Block) {
          Taken.push_back(*reinterpret_cast<const uint64_t *>(Block.Records));
        },
        "test");
  }
  void TearDown() override { Channel->removeRings(); }

  /// What a device pushes to.
  ChannelState addDevice(uint64_t Number) {
    void *Memory = std::aligned_alloc(128, Channel->bytes());
    std::memset(Memory, 0, Channel->bytes());
    Memories.emplace_back(Memory);
    return llvm::cantFail(Channel->addRing(
        {Number}, Memory, reinterpret_cast<uint64_t>(Memory), [] {}));
  }
  static ChannelSlot begin(ChannelState &To, uint64_t Word) {
    const ChannelSlot Slot =
        reserve(To, sizeof(Word), 1, [] { std::this_thread::yield(); });
    auto *Header = reinterpret_cast<ChannelHeader *>(Slot.Block);
    *Header = {1, 0, sizeof(Word)};
    std::memcpy(Header + 1, &Word, sizeof(Word));
    return Slot;
  }
  static void push(ChannelState &To, uint64_t Word) {
    publish(begin(To, Word));
  }

  struct Free {
    void operator()(void *P) const { std::free(P); }
  };
  std::vector<std::unique_ptr<void, Free>> Memories;
  std::vector<uint64_t> Taken; ///< By the channel's thread, until it finishes.
  std::shared_ptr<OpenChannel> Channel;
};

TEST_F(OpenChannelTest, FinishesWithWhatIsThere) {
  ChannelState One = addDevice(1);
  for (uint64_t N = 0; N < 20; ++N)
    push(One, N);
  Channel->finish();
  push(One, 20);
  ASSERT_EQ(Taken.size(), 20u);
  EXPECT_EQ(Taken.back(), 19u);
  EXPECT_EQ(Channel->counts().Records, 20u);
  EXPECT_EQ(Channel->counts().Unfinished, 0u);
}

TEST_F(OpenChannelTest, FinishesWhileAKernelNeverStopsSending) {
  ChannelState Killed = addDevice(1), Endless = addDevice(2);
  begin(Killed, 1); // Never published.
  push(Killed, 2);
  // By far more than are sent meanwhile, so that a failure comes to an end.
  constexpr uint64_t Most = 4'000'000;
  std::atomic<bool> HasToStop = false;
  std::atomic<uint64_t> Sent = 0;
  std::thread Wave([&] {
    while (!HasToStop && Sent < Most) {
      push(Endless, 3);
      ++Sent;
    }
  });
  while (Sent < 1000)
    std::this_thread::yield();
  Channel->finish();
  EXPECT_LT(Sent, Most);
  HasToStop = true;
  Wave.join();
  EXPECT_EQ(std::count(Taken.begin(), Taken.end(), 2), 1);
  EXPECT_GE(Taken.size(), 900u);
  EXPECT_EQ(Channel->counts().Records, Taken.size());
  EXPECT_EQ(Channel->counts().Unfinished, uint64_t(ChannelUnit));
}

TEST_F(OpenChannelTest, ClosesWithWhatStandsBehindAKilledWave) {
  ChannelState One = addDevice(1);
  begin(One, 1); // Never published.
  push(One, 2);
  begin(One, 3);
  push(One, 4);
  Channel->close();
  while (!Channel->isClosed())
    std::this_thread::yield();
  EXPECT_EQ(Taken, (std::vector<uint64_t>{2, 4}));
  EXPECT_EQ(Channel->counts().Records, 2u);
  EXPECT_EQ(Channel->counts().Unfinished, 2 * uint64_t(ChannelUnit));
}

/// Those of other queues go on, however little room there is.
TEST_F(OpenChannelTest, GoesOnBehindAWaveThatWasKilledWithItsQueue) {
  ChannelState One = addDevice(1);
  begin(One, 1); // Never published.
  Channel->expectKilledWaves({1});
  constexpr uint64_t Count = 1000; // The ring has room for 63 at a time.
  for (uint64_t N = 0; N < Count; ++N)
    push(One, N);
  Channel->flush();
  EXPECT_EQ(Channel->counts().Records, Count);
  EXPECT_EQ(Channel->counts().Unfinished, uint64_t(ChannelUnit));
  EXPECT_EQ(Channel->counts().Dropped, 0u);
}

/// Some were waiting for room, far behind what there is.
TEST_F(OpenChannelTest, GoesOnWhereKilledWavesHoldTheWholeRing) {
  ChannelState One = addDevice(1);
  push(One, 1);
  One.Head += 150;
  Channel->expectKilledWaves({1});
  std::thread Wave([&] { push(One, 2); });
  Wave.join();
  Channel->finish();
  EXPECT_EQ(Taken, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(Channel->counts().Unfinished, 150 * uint64_t(ChannelUnit));
}

/// Ten seconds would be half a second for each half ring.
TEST_F(OpenChannelTest, KilledWavesThatHoldManyRingsDoNotTakeLong) {
  constexpr uint64_t HalfRings = 20, Units = HalfRings << (Log2Units - 1);
  ChannelState One = addDevice(1);
  One.Head += Units;
  Channel->expectKilledWaves({1});
  const auto Begin = std::chrono::steady_clock::now();
  push(One, 1);
  EXPECT_LT(std::chrono::steady_clock::now() - Begin, std::chrono::seconds(5));
  Channel->finish();
  EXPECT_EQ(Taken, std::vector<uint64_t>{1});
  EXPECT_EQ(Channel->counts().Unfinished, Units * ChannelUnit);
}

TEST_F(OpenChannelTest, CountsWhatIsDroppedWhereKilledWavesHoldTheWholeRing) {
  Channel = std::make_shared<OpenChannel>(
      Log2Units, /*Waits=*/false, [](const RawBlock &) {}, "test");
  ChannelState One = addDevice(1);
  for (uint64_t N = 0; N < 64; ++N)
    begin(One, N); // Never published.
  Channel->expectKilledWaves({1});
  uint64_t Sent = 0;
  while (!Channel->counts().Records) {
    const ChannelSlot Slot =
        reserve(One, 8, 1, [] { std::this_thread::yield(); });
    ++Sent;
    if (!Slot.Block)
      continue;
    *reinterpret_cast<ChannelHeader *>(Slot.Block) = {1, 0, 8};
    publish(Slot);
    Channel->flush();
  }
  const ChannelCounts Counts = Channel->counts();
  EXPECT_EQ(Counts.Records + Counts.Dropped, Sent);
  EXPECT_GT(Counts.Dropped, 0u);
  Channel->removeRings();
}

TEST_F(OpenChannelTest, KeepsWavesOfOtherDevicesThanThatWhoseQueueHasStopped) {
  addDevice(1);
  ChannelState Two = addDevice(2);
  Channel->expectKilledWaves({1});
  const ChannelSlot Slow = begin(Two, 1);
  push(Two, 2);
  // Longer than a wave of a device with killed ones would be given.
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  publish(Slow);
  Channel->finish();
  EXPECT_EQ(Taken, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(Channel->counts().Unfinished, 0u);
}

TEST_F(OpenChannelTest, WaitsForAWaveThatTakesLong) {
  ChannelState One = addDevice(1);
  Channel->expectKilledWaves({1});
  const ChannelSlot Slow = begin(One, 1);
  push(One, 2);
  std::thread Wave([&] { publish(Slow); });
  Channel->flush();
  Wave.join();
  Channel->finish();
  EXPECT_EQ(Taken, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(Channel->counts().Unfinished, 0u);
}

} // namespace
