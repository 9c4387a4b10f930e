// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/EngineThread.h"
#include "luthier/IntrinsicLowering.h"
#include "runtime/EngineLock.h"
#include <atomic>
#include <csignal>
#include <future>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace luthier::runtime;

namespace {

pthread_t threadOf(EngineThread &Engine) {
  pthread_t Result = {};
  Engine.run([&] { Result = ::pthread_self(); });
  return Result;
}

class EngineThreadTest : public testing::Test {
protected:
  EngineThread &Engine = *new EngineThread; // Never destroyed.
};

TEST_F(EngineThreadTest, RunsTheWorkOfAllThreadsInOneOfItsOwn) {
  const pthread_t First = threadOf(Engine);
  EXPECT_FALSE(::pthread_equal(First, ::pthread_self()));
  std::thread([&] {
    EXPECT_TRUE(::pthread_equal(First, threadOf(Engine)));
  }).join();
}

TEST_F(EngineThreadTest, RunsOneAtATimeAndEachToItsEnd) {
  unsigned Inside = 0, Done = 0, Overlapping = 0;
  std::vector<std::thread> Callers;
  for (unsigned I = 0; I < 4; ++I)
    Callers.emplace_back([&] {
      for (unsigned J = 0; J < 100; ++J)
        Engine.run([&] {
          Overlapping += Inside++ != 0;
          ++Done;
          --Inside;
        });
    });
  for (std::thread &Caller : Callers)
    Caller.join();
  EXPECT_EQ(Done, 400u);
  EXPECT_EQ(Overlapping, 0u);
}

TEST_F(EngineThreadTest, RunsWhatItsOwnWorkAsksForAtOnce) {
  bool IsDone = false;
  Engine.run([&] { Engine.run([&] { IsDone = true; }); });
  EXPECT_TRUE(IsDone);
}

TEST_F(EngineThreadTest, HoldsTheEnginesLockMeanwhile) {
  Engine.run(
      [&] { std::thread([] { EXPECT_FALSE(EngineLock.try_lock()); }).join(); });
  ASSERT_TRUE(EngineLock.try_lock());
  EngineLock.unlock();
}

TEST_F(EngineThreadTest, DoesWhatWasPostedBeforeWhatIsWaitedFor) {
  std::promise<void> Began, MayEnd;
  bool IsDone = false;
  Engine.post([&] {
    Began.set_value();
    MayEnd.get_future().wait();
    IsDone = true;
  });
  Began.get_future().wait();
  MayEnd.set_value();
  Engine.run([&] { EXPECT_TRUE(IsDone); });
}

TEST_F(EngineThreadTest, LeavesOutWhatHasNotBegunWhenSomebodyWaits) {
  std::promise<pthread_t> Began;
  std::promise<void> MayEnd;
  bool IsDone = false;
  Engine.post([&] {
    Began.set_value(::pthread_self());
    MayEnd.get_future().wait();
  });
  Engine.post([&] { IsDone = true; });
  const pthread_t Own = Began.get_future().get();
  std::thread Waiting([&] { Engine.run([] {}); });
  while (::pthread_equal(Engine.actingFor(Own), Own))
    std::this_thread::yield();
  MayEnd.set_value();
  Waiting.join();
  EXPECT_FALSE(IsDone);
}

TEST_F(EngineThreadTest, SettlesWhenNothingThatWasPostedRuns) {
  std::promise<void> Began;
  std::atomic<bool> IsDone = false;
  Engine.post([&] {
    Began.set_value();
    Engine.settle(); // Does not wait for itself.
    IsDone = true;
  });
  Began.get_future().wait();
  Engine.settle();
  EXPECT_TRUE(IsDone);
}

/// As an exit handler does, when the compiler ends the program.
TEST_F(EngineThreadTest, SettlesForWhoHoldsTheEnginesLock) {
  std::atomic<bool> IsDone = false;
  {
    std::lock_guard Guard(EngineLock);
    Engine.post([&] { IsDone = true; });
    Engine.settle();
    EXPECT_FALSE(IsDone);
  }
  Engine.run([] {});
  EXPECT_FALSE(IsDone);
}

/// So that what a tool ends the program from is known there, too.
TEST_F(EngineThreadTest, WorksInTheContextOfItsCaller) {
  Engine.run([] { EXPECT_EQ(CallContext::current(), nullptr); });
  const CallContext Here;
  const CallScope Scope(Here);
  Engine.run([&] { EXPECT_EQ(CallContext::current(), &Here); });
}

TEST_F(EngineThreadTest, TakesNothingMoreBehindItsEnd) {
  Engine.end();
  bool IsDone = false;
  Engine.post([&] { IsDone = true; });
  Engine.run([] {});
  EXPECT_FALSE(IsDone);
}

/// A handler that ends the engine, as one does that calls exit().
class EngineThreadInHandlers : public EngineThreadTest {
protected:
  void SetUp() override {
    EngineOfHandler = &Engine;
    HasBegun = HasEnded = IsDone = WasDoneAtEnd = false;
    struct sigaction End = {};
    End.sa_handler = [](int) {
      HasBegun = true;
      EngineOfHandler->end();
      WasDoneAtEnd = IsDone.load();
      HasEnded = true;
    };
    ASSERT_EQ(::sigaction(SIGUSR1, &End, &Before), 0);
  }
  void TearDown() override { ::sigaction(SIGUSR1, &Before, nullptr); }

  static void interrupt(pthread_t Thread) {
    ::pthread_kill(Thread, SIGUSR1);
    while (!HasBegun)
      std::this_thread::yield();
    // Long enough for an end that does not wait.
    for (unsigned I = 0; I < 10'000 && !HasEnded; ++I)
      std::this_thread::yield();
  }

  static inline EngineThread *EngineOfHandler = nullptr;
  static inline std::atomic<bool> HasBegun, HasEnded, IsDone, WasDoneAtEnd;
  struct sigaction Before = {};
};

TEST_F(EngineThreadInHandlers, EndsBehindTheWorkForTheThreadBelow) {
  const pthread_t Caller = ::pthread_self();
  Engine.run([&] {
    interrupt(Caller);
    IsDone = true;
  });
  EXPECT_TRUE(HasEnded);
  EXPECT_TRUE(WasDoneAtEnd);
}

TEST_F(EngineThreadInHandlers, EndsBehindWorkThatHasNotBegun) {
  const pthread_t Caller = ::pthread_self();
  std::promise<void> Began;
  Engine.post([&] {
    Began.set_value();
    const pthread_t Own = ::pthread_self();
    while (::pthread_equal(Engine.actingFor(Own), Own))
      std::this_thread::yield();
    // Takes the lock that the caller has until it waits.
    Engine.post([] {});
    interrupt(Caller);
  });
  Began.get_future().wait();
  Engine.run([&] { IsDone = true; });
  EXPECT_TRUE(HasEnded);
  EXPECT_TRUE(WasDoneAtEnd);
}

TEST_F(EngineThreadTest, SaysWhichThreadItWorksFor) {
  const pthread_t Caller = ::pthread_self(), Own = threadOf(Engine);
  Engine.run([&] {
    EXPECT_TRUE(::pthread_equal(Engine.actingFor(::pthread_self()), Caller));
    EXPECT_TRUE(::pthread_equal(Engine.actingFor(Caller), Caller));
  });
  EXPECT_TRUE(::pthread_equal(Engine.actingFor(Own), Own));
}

TEST_F(EngineThreadTest, ForkedChildrenWorkInTheirOwnThread) {
  threadOf(Engine);
  const pid_t Child = ::fork();
  if (!Child) {
    const bool IsHere = ::pthread_equal(threadOf(Engine), ::pthread_self());
    ::_exit(IsHere ? 0 : 1);
  }
  int Status = -1;
  ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
}

TEST_F(EngineThreadTest, LoweringsOfToolsRunInTheThreadThatAsks) {
  luthier::registerIntrinsic(
      "tool::nothing",
      [](luthier::IntrinsicCall &) -> llvm::Expected<llvm::Value *> {
        return nullptr;
      });
  EXPECT_TRUE(::pthread_equal(threadOf(Engine), ::pthread_self()));
  luthier::registerIntrinsic("tool::nothing", nullptr);
  EXPECT_FALSE(::pthread_equal(threadOf(Engine), ::pthread_self()));
}

} // namespace
