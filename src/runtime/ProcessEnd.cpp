// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ProcessEnd.h"
#include "runtime/ApplicationThread.h"
#include "runtime/Log.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <linux/futex.h>
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

void set(std::atomic<int> &Word, int Value) {
  Word = Value;
  constexpr int All = std::numeric_limits<int>::max();
  ::syscall(SYS_futex, &Word, FUTEX_WAKE_PRIVATE, All, nullptr, nullptr, 0);
}

/// Until \p Word is \p Wanted; false if that takes longer than \p Within.
bool waitFor(std::atomic<int> &Word, int Wanted, milliseconds Within) {
  using Clock = std::chrono::steady_clock;
  const auto Until = Clock::now() + Within;
  for (int Seen = Word; Seen != Wanted; Seen = Word) {
    const auto Left =
        std::chrono::duration_cast<milliseconds>(Until - Clock::now());
    if (Left.count() <= 0)
      return false;
    waitOn(Word, Seen, &Left);
  }
  return true;
}

std::string nameOfSignal(int Signal) {
  if (SIGRTMIN <= Signal && Signal <= SIGRTMAX)
    return "SIGRTMIN+" + std::to_string(Signal - SIGRTMIN);
  const char *Known = ::sigabbrev_np(Signal);
  return Known ? std::string("SIG") + Known
               : "signal " + std::to_string(Signal);
}

template <size_t Size> void copy(std::array<char, Size> &To, const char *From) {
  std::strncpy(To.data(), From, Size - 1);
}

} // namespace

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
  if (!start<&ProcessEnd::tellWhenWanted>() ||
      !start<&ProcessEnd::drainWhenWanted>()) {
    logWarning("there are no threads to be had; results are lost unless the "
               "program ends by exit()");
    return false;
  }
  PreparedIn = ::getpid();
  return true;
}

template <void (ProcessEnd::*Main)()> bool ProcessEnd::start() {
  auto Run = [](void *Of) -> void * {
    const ApplicationThreadScope Scope;
    // Allocators give threads places of their own at the first request: not
    // when another thread has been stopped inside of one.
    void *volatile First = std::malloc(1);
    std::free(First);
    (static_cast<ProcessEnd *>(Of)->*Main)();
    return nullptr;
  };
  pthread_t Thread;
  if (!startThread(Run, this, Thread))
    return false;
  ::pthread_detach(Thread);
  return true;
}

void ProcessEnd::endsHere(const char *How) {
  int Before = Running;
  if (!Now.compare_exchange_strong(Before, Ending)) {
    // A tool that calls exit() from its onExit() comes here again.
    if (isEnding(::pthread_self()))
      return;
    waitFor(Now, Ended, Limit);
    // What was put off is how the process ends: exit() would be faster than the
    // thread that did the work.
    if (Postponed)
      ToDo.Raise(Postponed);
    return;
  }
  Ender = ::pthread_self();
  if (std::strcmp(How, "exit") != 0)
    record({LUTHIER_END_EXIT, -1, How});
  ToDo.Drain(::pthread_self());
  ToDo.Tell();
  set(Now, Ended);
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
  // Who is inside a tool holds its locks and has to leave it. To the program,
  // the signal comes a little later.
  const bool GoesOn = How.kind == LUTHIER_END_SIGNAL && !isCrash(How) &&
                      ToDo.IsInTool(::pthread_self());
  if (GoesOn)
    Postponed = How.value;
  const Clock::duration Time = Clock::now().time_since_epoch();
  Clock::duration Until(0);
  if (EndsBy.compare_exchange_strong(Until, Time + Limit))
    begin(How);
  else if (Time >= Until) {
    if (Now != Ended)
      giveUp();
    return LUTHIER_END_NOW;
  }
  if (GoesOn)
    return LUTHIER_END_LATER;
  constexpr milliseconds Step(50);
  return waitFor(Now, Ended, Step) ? LUTHIER_END_NOW : LUTHIER_END_WAIT;
}

void ProcessEnd::giveUp() {
  if (!HasSaidLimit.test_and_set())
    writeLine("luthier: the tools have not come to an end; their results are "
              "lost (LUTHIER_END_LIMIT)\n");
}

void ProcessEnd::begin(const luthier_process_end &How) {
  record(How);
  int Before = Running;
  if (Now.compare_exchange_strong(Before, Wanted))
    set(Now, Wanted);
  ToDo.Hurry(isCrash(How) ? std::min(Limit / 2, milliseconds(1000))
                          : Limit / 2);
}

void ProcessEnd::tellWhenWanted() {
  for (int Seen = Now; Seen != Wanted; Seen = Now) {
    if (Seen != Running)
      return; // Another thread does the work.
    waitOn(Now, Seen);
  }
  Ender = ::pthread_self();
  set(Now, Ending);
  set(Drain, Wanted);
  // Half of the time for the kernels, half for the tools. Draining keeps to
  // that unless it hangs: who has been stopped may hold a lock of the GPU
  // runtime.
  if (!waitFor(Drain, Ended, Limit / 2 + Limit / 10))
    logWarning("gave up waiting for kernels in a GPU runtime that has been "
               "stopped; results may be incomplete");
  ToDo.Tell();
  set(Now, Ended);
  if (Postponed)
    ToDo.Raise(Postponed);
}

void ProcessEnd::drainWhenWanted() {
  while (Drain != Wanted)
    waitOn(Drain, Running);
  ToDo.Drain(Postponed ? pthread_t() : Caller);
  set(Drain, Ended);
  // Where no thread waits for the limit, because it went on.
  if (!waitFor(Now, Ended, Limit) && Postponed) {
    giveUp();
    ToDo.Raise(Postponed);
  }
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
    case LUTHIER_END_SIGNAL:
      How = nameOfSignal(Value);
      break;
    case LUTHIER_END_EXEC:
    case LUTHIER_END_NO_EXEC:
      How = "exec of " + Name;
      break;
    }
  }
  return HasFault ? How + " after a fault of the GPU (" + Fault.data() + ")"
                  : How;
}

} // namespace luthier::runtime
