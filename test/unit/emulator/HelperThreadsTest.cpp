// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/HelperThreads.h"
#include "gtest/gtest.h"
#include <deque>
#include <latch>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace luthier::test {
namespace {

using emulator::HelperThreads;

TEST(HelperThreads, StayForTheNextTask) {
  HelperThreads Threads;
  std::thread::id First, Second;
  HelperThreads::Task A([&] { First = std::this_thread::get_id(); });
  ASSERT_TRUE(Threads.start(A));
  Threads.wait(A);
  HelperThreads::Task B([&] { Second = std::this_thread::get_id(); });
  ASSERT_TRUE(Threads.start(B));
  Threads.wait(B);
  EXPECT_EQ(First, Second);
  EXPECT_NE(First, std::this_thread::get_id());
}

TEST(HelperThreads, RunAllTasksAtTheSameTime) {
  constexpr unsigned Count = 5;
  HelperThreads Threads;
  // Twice, with threads that are new and threads that are there already.
  for (unsigned Round = 0; Round != 2; ++Round) {
    std::latch Meeting(Count);
    std::deque<HelperThreads::Task> Tasks;
    for (unsigned N = 0; N != Count; ++N)
      ASSERT_TRUE(Threads.start(
          Tasks.emplace_back([&] { Meeting.arrive_and_wait(); })));
    for (HelperThreads::Task &T : Tasks)
      Threads.wait(T);
    EXPECT_TRUE(Meeting.try_wait());
  }
}

TEST(HelperThreads, AreMadeAnewInAChild) {
  auto Threads = std::make_unique<HelperThreads>();
  HelperThreads::Task Before([] {});
  ASSERT_TRUE(Threads->start(Before));
  Threads->wait(Before);
  const pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (!Child) {
    alarm(60);
    int Answer = 1;
    HelperThreads::Task Task([&] { Answer = 0; });
    Threads->start(Task);
    Threads->wait(Task);
    Threads.reset();
    _exit(Answer);
  }
  int Status = -1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0) << Status;
}

} // namespace
} // namespace luthier::test
