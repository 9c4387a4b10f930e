// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/StatisticsWriter.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <limits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace luthier::emulator {

using std::chrono::milliseconds;

static constinit std::atomic<StatisticsWriter *> Current{nullptr};

/// While \p Word is \p Expected, and not longer than \p Within. May end early.
static void waitOn(std::atomic<int> &Word, int Expected, milliseconds Within) {
  const timespec Time = {Within.count() / 1000,
                         Within.count() % 1000 * 1'000'000};
  syscall(SYS_futex, &Word, FUTEX_WAIT_PRIVATE, Expected, &Time, nullptr, 0);
}

static void wake(std::atomic<int> &Word) {
  constexpr int All = std::numeric_limits<int>::max();
  syscall(SYS_futex, &Word, FUTEX_WAKE_PRIVATE, All, nullptr, nullptr, 0);
}

/// As the tools have it: docs/process-ends.md.
static milliseconds endLimit() {
  const char *Text = std::getenv("LUTHIER_END_LIMIT");
  char *End = nullptr;
  const unsigned long Seconds = Text ? std::strtoul(Text, &End, 10) : 0;
  constexpr unsigned long Default = 10, Most = 1'000'000;
  return std::chrono::seconds(End == Text || *End || Seconds > Most ? Default
                                                                    : Seconds);
}

/// Null without what `luthier run` has preloaded.
static decltype(&luthier_behind_process_end) findWatch() {
  return reinterpret_cast<decltype(&luthier_behind_process_end)>(
      dlsym(RTLD_DEFAULT, "luthier_behind_process_end"));
}

void StatisticsWriter::start() {
  Limit = endLimit();
  // No signal of the program's is for this thread, which inherits the mask.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  auto Main = [](void *Of) -> void * {
    // Allocators give threads places of their own at the first request: not
    // when another thread has been stopped inside of one.
    void *volatile First = std::malloc(1);
    std::free(First);
    static_cast<StatisticsWriter *>(Of)->run();
    return nullptr;
  };
  const bool Runs = pthread_create(&Thread, nullptr, Main, this) == 0;
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  if (!Runs)
    return;
  pthread_detach(Thread);
  Current.store(this);
  auto *Watch = findWatch();
  if (Watch && Limit.count()) {
    Watch(&onEnd);
    SeesAllEnds = true;
  }
}

/// In signal handlers.
luthier_end_answer StatisticsWriter::onEnd(const luthier_process_end *How) {
  StatisticsWriter *Its = Current.load();
  return Its ? Its->endsSuddenly(*How) : LUTHIER_END_NOW;
}

luthier_end_answer
StatisticsWriter::endsSuddenly(const luthier_process_end &How) {
  if (pthread_equal(Thread, pthread_self()))
    return LUTHIER_END_NOW; // It has crashed.
  if (How.kind == LUTHIER_END_NO_EXEC) {
    int Seen = Written;
    if (Now.compare_exchange_strong(Seen, Running))
      wake(Now);
    // It took too long: what is being written is not the last.
    Seen = Wanted;
    if (IsExec)
      (void)Now.compare_exchange_strong(Seen, Running);
    return LUTHIER_END_NOW;
  }
  int Seen = Running;
  if (Now == Running) {
    IsExec = How.kind == LUTHIER_END_EXEC;
    EndsBy = Clock::now().time_since_epoch() + Limit;
    if (Now.compare_exchange_strong(Seen, Wanted))
      wake(Now);
  }
  constexpr milliseconds Step(50);
  if (Now == Wanted)
    waitOn(Now, Wanted, Step);
  if (Now != Wanted)
    return LUTHIER_END_NOW;
  if (Clock::now().time_since_epoch() < EndsBy.load())
    return LUTHIER_END_WAIT;
  constexpr char Text[] = "luthier-emulator: what was counted could not be "
                          "written in time (LUTHIER_END_LIMIT)\n";
  (void)!::write(STDERR_FILENO, Text, sizeof(Text) - 1);
  return LUTHIER_END_NOW;
}

void StatisticsWriter::write(When W) {
  std::lock_guard Lock(Writing);
  // Where no end is seen, the report of a fault is the last of most processes.
  if (HasEnded || (W == When::InBetween && HasFaulted && !SeesAllEnds))
    return;
  HasFaulted |= W == When::AtFault;
  ToDo(W);
}

void StatisticsWriter::writeLast() {
  std::lock_guard Lock(Writing);
  if (!std::exchange(HasEnded, true))
    ToDo(When::AtEnd);
}

StatisticsWriter::Clock::duration StatisticsWriter::writeInBetween() {
  constexpr milliseconds Shortest(250);
  constexpr int Rest = 19; // For a twentieth of the time at most.
  const Clock::time_point Begin = Clock::now();
  write(When::InBetween);
  return std::max<Clock::duration>(Shortest, Rest * (Clock::now() - Begin));
}

void StatisticsWriter::run() {
  Clock::time_point Next = Clock::now() + milliseconds(250);
  for (;;) {
    const Clock::time_point Time = Clock::now();
    if (Now == Wanted) {
      write(IsExec ? When::AtExec : When::AtEnd);
      int Seen = Wanted; // Else exec has failed meanwhile.
      (void)Now.compare_exchange_strong(Seen, Written);
      wake(Now);
    } else if (Now == Written) {
      constexpr std::chrono::hours Long(1);
      waitOn(Now, Written, Long);
    } else if (Time >= Next) {
      Next = Time + writeInBetween();
    } else {
      waitOn(Now, Running,
             std::chrono::duration_cast<milliseconds>(Next - Time) +
                 milliseconds(1));
    }
  }
}

} // namespace luthier::emulator
