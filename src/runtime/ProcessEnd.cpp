// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ProcessEnd.h"
#include "runtime/ApplicationThread.h"
#include "runtime/Log.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <linux/futex.h>
#include <memory>
#include <mutex>
#include <sys/syscall.h>

using namespace llvm;

namespace luthier::runtime {

using std::chrono::milliseconds;

namespace {

/// While \p Word is \p Expected, and not longer than \p Within. May end early.
void waitOn(std::atomic<int> &Word, int Expected,
            const milliseconds *Within = nullptr) {
  timespec Time = {};
  if (Within) {
    Time.tv_sec = Within->count() / 1000;
    Time.tv_nsec = Within->count() % 1000 * 1'000'000;
  }
  ::syscall(SYS_futex, &Word, FUTEX_WAIT_PRIVATE, Expected,
            Within ? &Time : nullptr, nullptr, 0);
}

/// Then nothing is likely to go on.
bool isCrash(const luthier_process_end &How) {
  constexpr int Signals[] = {SIGABRT, SIGBUS,  SIGFPE, SIGILL,
                             SIGSEGV, SIGTRAP, SIGSYS};
  return How.kind == LUTHIER_END_SIGNAL && is_contained(Signals, How.value);
}

template <size_t Size> void copy(std::array<char, Size> &To, const char *From) {
  std::strncpy(To.data(), From, Size - 1);
}

} // namespace

void ProcessEnd::enter(Phase Next) {
  Now = Next;
  constexpr int All = std::numeric_limits<int>::max();
  ::syscall(SYS_futex, &Now, FUTEX_WAKE_PRIVATE, All, nullptr, nullptr, 0);
}

bool ProcessEnd::waitUntilEnded(milliseconds Within) {
  const auto Until = Clock::now() + Within;
  for (int Seen = Now; Seen != Ended; Seen = Now) {
    const auto Left =
        std::chrono::duration_cast<milliseconds>(Until - Clock::now());
    if (Left.count() <= 0)
      return false;
    waitOn(Now, Seen, &Left);
  }
  return true;
}

bool ProcessEnd::isEnding(pthread_t Thread) const {
  return Now == Ending && ::pthread_equal(Ender, Thread);
}

bool ProcessEnd::record(const luthier_process_end &How) {
  if (IsRecorded.test_and_set())
    return false;
  Kind = How.kind;
  Value = How.value;
  Caller = ::pthread_self();
  if (How.program)
    copy(Text, How.program);
  HasCause = true;
  return true;
}

bool ProcessEnd::prepare(std::chrono::seconds MostWait) {
  Limit = MostWait;
  if (PreparedIn == ::getpid() || !Limit.count())
    return Limit.count();
  auto Main = [](void *Of) -> void * {
    static_cast<ProcessEnd *>(Of)->runThread();
    return nullptr;
  };
  pthread_t Thread;
  if (!startThread(Main, this, Thread)) {
    logWarning("there is no thread to be had; results are lost unless the "
               "program ends by exit()");
    return false;
  }
  ::pthread_detach(Thread);
  PreparedIn = ::getpid();
  return true;
}

void ProcessEnd::endsHere(const char *How) {
  int Before = Running;
  if (!Now.compare_exchange_strong(Before, Ending)) {
    // A tool that calls exit() from its onExit() comes here again.
    if (!isEnding(::pthread_self()))
      waitUntilEnded(Limit);
    return;
  }
  Ender = ::pthread_self();
  if (std::strcmp(How, "exit") != 0)
    record({LUTHIER_END_EXIT, -1, How});
  ToDo.Drain(::pthread_self());
  ToDo.Tell();
  enter(Ended);
  if (Postponed)
    ToDo.Raise(Postponed);
}

luthier_end_answer ProcessEnd::endsSuddenly(const luthier_process_end &How) {
  if (PreparedIn != ::getpid())
    return LUTHIER_END_NOW;
  if (isEnding(::pthread_self())) {
    // A tool's onExit() itself may end the process, or crash.
    if (How.kind != LUTHIER_END_SIGNAL || isCrash(How))
      return LUTHIER_END_NOW;
    record(How);
    ToDo.Hurry(Limit / 2);
    Postponed = How.value;
    return LUTHIER_END_LATER;
  }
  const Clock::duration Time = Clock::now().time_since_epoch();
  Clock::duration Until(0);
  if (EndsBy.compare_exchange_strong(Until, Time + Limit))
    begin(How);
  else if (Time >= Until) {
    if (!HasSaidLimit.test_and_set())
      writeLine("luthier: the tools have not come to an end; their results are "
                "lost (LUTHIER_END_LIMIT)\n");
    return LUTHIER_END_NOW;
  }
  constexpr milliseconds Step(50);
  return waitUntilEnded(Step) ? LUTHIER_END_NOW : LUTHIER_END_WAIT;
}

void ProcessEnd::begin(const luthier_process_end &How) {
  record(How);
  int Before = Running;
  if (Now.compare_exchange_strong(Before, Wanted))
    enter(Wanted);
  ToDo.Hurry(isCrash(How) ? std::min(Limit / 2, milliseconds(1000))
                          : Limit / 2);
}

void ProcessEnd::runThread() {
  const ApplicationThreadScope Scope;
  // Allocators give threads places of their own at the first request: not when
  // another thread has been stopped inside of one.
  void *volatile First = std::malloc(1);
  std::free(First);
  for (int Seen = Now; Seen != Wanted; Seen = Now) {
    if (Seen != Running)
      return; // Another thread does the work.
    waitOn(Now, Seen);
  }
  Ender = ::pthread_self();
  enter(Ending);
  // Half of the time for the kernels, half for the tools.
  drainWithin(Limit / 2);
  ToDo.Tell();
  enter(Ended);
}

/// Who has been stopped may hold a lock of the GPU runtime.
void ProcessEnd::drainWithin(milliseconds Within) {
  struct Draining {
    ProcessEnd &Of;
    std::mutex Lock;
    std::condition_variable Changed;
    bool IsDone = false;
  };
  auto Shared = std::make_shared<Draining>(*this);
  auto Main = [](void *Argument) -> void * {
    const std::unique_ptr<std::shared_ptr<Draining>> Mine(
        static_cast<std::shared_ptr<Draining> *>(Argument));
    Draining &D = **Mine;
    const ApplicationThreadScope Scope;
    D.Of.ToDo.Drain(D.Of.Caller);
    std::lock_guard Guard(D.Lock);
    D.IsDone = true;
    D.Changed.notify_all();
    return nullptr;
  };
  auto Argument = std::make_unique<std::shared_ptr<Draining>>(Shared);
  pthread_t Thread;
  if (!startThread(Main, Argument.get(), Thread))
    return;
  Argument.release(); // The thread has it.
  ::pthread_detach(Thread);
  std::unique_lock Guard(Shared->Lock);
  // It keeps to the limit itself unless it hangs.
  if (!Shared->Changed.wait_for(Guard, Within + Within / 5,
                                [&] { return Shared->IsDone; }))
    logWarning("gave up waiting for kernels in a GPU runtime that has been "
               "stopped; results may be incomplete");
}

void ProcessEnd::noteFault(const std::string &What) {
  if (FaultLock.test_and_set())
    return;
  copy(Fault, What.c_str());
  HasFault = true;
}

std::string ProcessEnd::describe() const {
  std::string How = "exit";
  if (HasCause) {
    const std::string Name = Text.data();
    switch (Kind) {
    case LUTHIER_END_EXIT:
      How = Name.empty() ? "_exit(" + std::to_string(Value) + ")" : Name;
      break;
    case LUTHIER_END_SIGNAL: {
      const char *Known = ::sigabbrev_np(Value);
      How = Known ? std::string("SIG") + Known
                  : "signal " + std::to_string(Value);
      break;
    }
    case LUTHIER_END_EXEC:
      How = "exec of " + Name;
      break;
    }
  }
  return HasFault ? How + " after a fault of the GPU (" + Fault.data() + ")"
                  : How;
}

} // namespace luthier::runtime
