// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/CompletionWatcher.h"
#include "FakeHsa.h"
#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

using namespace luthier::runtime;

namespace {

struct Submitted {
  hsa_barrier_and_packet_t Barriers[2];
};

class CompletionWatcherTest : public testing::Test {
protected:
  luthier::test::FakeHsa Hsa;
  CompletionWatcher Watcher;

  Submitted add(CompletionWatcher::Callback Work, uint64_t KernelObject = 0) {
    Submitted Result;
    EXPECT_TRUE(Watcher.add(std::move(Work), KernelObject, Result.Barriers));
    return Result;
  }
  std::atomic_ref<int64_t> value(hsa_signal_t Signal) {
    return std::atomic_ref(Hsa.Signals[Signal.handle - 1]);
  }
  /// As the packet processor does when all before the first barrier is done.
  void complete(const Submitted &S) {
    --value(S.Barriers[0].completion_signal);
  }
  /// Does the second barrier hold up what is behind it?
  bool isHeldUp(const Submitted &S) {
    return value(S.Barriers[1].dep_signal[0]) != 0;
  }
  using Progress = CompletionWatcher::Progress;
  static bool goOn(const Progress &) { return false; }
  static bool giveUp(const Progress &) { return true; }
  void drain() { EXPECT_TRUE(Watcher.drain(goOn)); }
};

TEST_F(CompletionWatcherTest, CallsInTheOrderOfSubmission) {
  std::vector<int> Called;
  Submitted First = add([&] { Called.push_back(1); }),
            Second = add([&] { Called.push_back(2); }),
            Third = add([&] { Called.push_back(3); });
  for (const Submitted &S : {First, Second, Third})
    complete(S);
  drain();
  EXPECT_EQ(Called, (std::vector{1, 2, 3}));
  EXPECT_EQ(Watcher.numPending(), 0u);
}

TEST_F(CompletionWatcherTest, CallsNobodyBeforeTheEndOfTheDispatch) {
  std::atomic<int> Called = 0;
  Submitted First = add([&] { ++Called; });
  add([&] { ++Called; });
  complete(First);
  // The thread waits for the second one.
  while (Watcher.numPending() != 1)
    std::this_thread::yield();
  EXPECT_EQ(Called, 1);
}

TEST_F(CompletionWatcherTest, HoldsUpTheQueueUntilTheCallbackReturns) {
  auto IsInside = std::make_shared<std::promise<void>>(),
       MayReturn = std::make_shared<std::promise<void>>();
  Submitted First = add([IsInside, MayReturn] {
    IsInside->set_value();
    MayReturn->get_future().wait();
  });
  Submitted Second = add([] {});
  EXPECT_TRUE(isHeldUp(First));
  complete(First);
  IsInside->get_future().wait();
  EXPECT_TRUE(isHeldUp(First));
  MayReturn->set_value();
  while (Watcher.numPending() != 1)
    std::this_thread::yield();
  EXPECT_FALSE(isHeldUp(First));
  EXPECT_TRUE(isHeldUp(Second));
  // The third one has the first one's signal, which has been passed.
  Submitted Third = add([] {});
  complete(Second);
  while (Watcher.numPending() != 1)
    std::this_thread::yield();
  EXPECT_FALSE(isHeldUp(Second));
  EXPECT_TRUE(isHeldUp(Third));
}

TEST_F(CompletionWatcherTest, TakesThreeSignalsHoweverManyDispatches) {
  std::vector<Submitted> All;
  for (int I = 0; I < 100; ++I)
    All.push_back(add([] {}));
  EXPECT_EQ(Hsa.Signals.size(), 3u);
  for (const Submitted &S : All)
    complete(S);
  drain();
}

TEST_F(CompletionWatcherTest, ThatIsStoppedCallsNobodyAndLetsTheQueueGoOn) {
  std::atomic<int> Called = 0;
  Submitted First = add([&] { ++Called; }), Second = add([&] { ++Called; });
  Watcher.stop();
  EXPECT_FALSE(isHeldUp(First));
  EXPECT_FALSE(isHeldUp(Second));
  EXPECT_EQ(Called, 0);
  EXPECT_EQ(Watcher.numPending(), 0u);
  Submitted Late;
  EXPECT_FALSE(Watcher.add([] {}, 0, Late.Barriers));
}

TEST_F(CompletionWatcherTest, IsNotWaitedForLongerThanSensible) {
  add([] {});
  size_t Seen = 0;
  EXPECT_FALSE(Watcher.drain([&](const Progress &Left) {
    Seen = Left.NumPending;
    EXPECT_FALSE(Left.IsTelling);
    return true;
  }));
  EXPECT_EQ(Seen, 1u);
}

/// Where the queue has failed, that alone is worth waiting for.
TEST_F(CompletionWatcherTest, TellsWhetherSomebodyIsToldOfACompletedDispatch) {
  auto MayReturn = std::make_shared<std::promise<void>>();
  complete(add([MayReturn] { MayReturn->get_future().wait(); }));
  add([] {}); // Never completes.
  std::vector<bool> Seen;
  EXPECT_FALSE(Watcher.drain([&](const Progress &Left) {
    Seen.push_back(Left.IsTelling);
    if (Seen.size() == 2)
      MayReturn->set_value();
    return !Left.IsTelling;
  }));
  EXPECT_GE(Seen.size(), 3u);
  EXPECT_FALSE(Seen.back());
  EXPECT_EQ(Watcher.numPending(), 1u);
}

TEST_F(CompletionWatcherTest, IsWaitedForNoLongerThanTheCodeAskedForIsAtWork) {
  std::atomic<int> Called = 0;
  Submitted First = add([&] { ++Called; }, 1);
  Submitted Second = add([&] { ++Called; }, 2);
  add([&] { ++Called; }, 1);
  complete(First);
  complete(Second);
  EXPECT_TRUE(Watcher.drain(goOn, [](uint64_t Code) { return Code == 2; }));
  EXPECT_EQ(Called, 2);
  EXPECT_TRUE(Watcher.drain(giveUp, [](uint64_t Code) { return Code == 2; }));
  EXPECT_FALSE(Watcher.drain(giveUp, [](uint64_t Code) { return Code == 1; }));
}

TEST_F(CompletionWatcherTest, MayBeStoppedFromACallback) {
  auto IsStopped = std::make_shared<std::promise<void>>();
  Submitted First = add([this, IsStopped] {
    Watcher.stop();
    IsStopped->set_value();
  });
  complete(First);
  IsStopped->get_future().wait();
  EXPECT_FALSE(isHeldUp(First));
}

} // namespace
