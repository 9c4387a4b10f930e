// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals that end the process by default. Where the program leaves them at
// that, a handler here tells of the end before the default takes its course;
// the program is told SIG_DFL when it asks. Nothing else is remembered of what
// it set: the kernel knows.
#include "runtime/preload/Ends.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace luthier::preload {

static constexpr int Deadly[] = {
    SIGHUP,    SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,   SIGBUS,  SIGFPE,
    SIGUSR1,   SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM,   SIGXCPU, SIGXFSZ,
    SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR,  SIGSYS,  SIGSTKFLT,
};

/// Those below SIGRTMIN are libc's own.
static bool isRealTime(int Signal) {
  return SIGRTMIN <= Signal && Signal <= SIGRTMAX;
}

static bool isDeadly(int Signal) {
  for (int Each : Deadly)
    if (Each == Signal)
      return true;
  return isRealTime(Signal);
}

/// What executes again when the handler returns.
static bool isRepeated(int Signal, const siginfo_t &Info) {
  return Info.si_code > 0 && (Signal == SIGSEGV || Signal == SIGBUS ||
                              Signal == SIGFPE || Signal == SIGILL);
}

/// Somebody wants the process to end; others come from the process itself.
static constexpr int Requests[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static bool isRequest(int Signal) {
  for (int Each : Requests)
    if (Each == Signal)
      return true;
  return false;
}

static int64_t milliseconds() {
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return Now.tv_sec * 1000 + Now.tv_nsec / 1'000'000;
}

/// The first request of all decides. timeout(1) sends two, to the program and
/// to its group; what comes a second later is somebody who has lost patience.
enum class Order { First, Echo, Late };
static Order orderOfRequest() {
  static int64_t First = 0;
  const int64_t Now = milliseconds();
  int64_t Before = 0;
  if (__atomic_compare_exchange_n(&First, &Before, Now, /*weak=*/false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return Order::First;
  return Now - Before < 1000 ? Order::Echo : Order::Late;
}

/// While requests are blocked: whether one has come late.
static bool hasLateRequest() {
  sigset_t Set;
  sigemptyset(&Set);
  for (int Each : Requests)
    sigaddset(&Set, Each);
  const timespec Now = {};
  return sigtimedwait(&Set, nullptr, &Now) > 0 &&
         orderOfRequest() == Order::Late;
}

/// False if the process ends by another signal, or later by this one.
static bool tellOfSignal(int Signal) {
  const Order When = isRequest(Signal) ? orderOfRequest() : Order::First;
  if (When != Order::First)
    return When == Order::Late;
  const luthier_process_end How = {LUTHIER_END_SIGNAL, Signal, nullptr};
  luthier_end_answer Answer;
  do
    Answer = tellStep(How);
  while (Answer == LUTHIER_END_WAIT && !hasLateRequest());
  return Answer != LUTHIER_END_LATER;
}

static void onSignal(int Signal, siginfo_t *Info, void *) {
  const int Saved = errno;
  if (!isWatched() || tellOfSignal(Signal)) {
    struct sigaction Default = {};
    Default.sa_handler = SIG_DFL;
    LUTHIER_NEXT(sigaction)(Signal, &Default, nullptr);
    // What executes again ends there: a core file shows what went wrong.
    if (!isRepeated(Signal, *Info)) {
      sigset_t Only;
      sigemptyset(&Only);
      sigaddset(&Only, Signal);
      syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), Signal);
      pthread_sigmask(SIG_UNBLOCK, &Only, nullptr);
    }
  }
  errno = Saved;
}

static bool isOurs(const struct sigaction &Action) {
  return Action.sa_flags & SA_SIGINFO && Action.sa_sigaction == &onSignal;
}

static struct sigaction ours() {
  struct sigaction Action = {};
  Action.sa_sigaction = &onSignal;
  Action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&Action.sa_mask);
  for (int Each : Requests)
    sigaddset(&Action.sa_mask, Each);
  return Action;
}

static bool isCovered(int Signal) { return isDeadly(Signal) && isWatched(); }

static void cover(int Signal) {
  const struct sigaction Action = ours();
  LUTHIER_NEXT(sigaction)(Signal, &Action, nullptr);
}

static void coverDefault(int Signal) {
  struct sigaction Now;
  if (LUTHIER_NEXT(sigaction)(Signal, nullptr, &Now) == 0 &&
      !(Now.sa_flags & SA_SIGINFO) && Now.sa_handler == SIG_DFL)
    cover(Signal);
}

void coverSignals() {
  for (int Signal : Deadly)
    coverDefault(Signal);
  for (int Signal = SIGRTMIN; Signal <= SIGRTMAX; ++Signal)
    coverDefault(Signal);
}

/// Of the functions that set nothing but a handler.
static sighandler_t set(sighandler_t (*Next)(int, sighandler_t), int Signal,
                        sighandler_t Handler) {
  const sighandler_t Before = Next(Signal, Handler);
  if (Handler == SIG_DFL && Before != SIG_ERR && isCovered(Signal))
    cover(Signal);
  return reinterpret_cast<void *>(Before) == reinterpret_cast<void *>(&onSignal)
             ? SIG_DFL
             : Before;
}

} // namespace luthier::preload

using namespace luthier::preload;

LUTHIER_INTERPOSED int sigaction(int Signal, const struct sigaction *New,
                                 struct sigaction *Old) {
  const struct sigaction Ours = ours();
  if (New && !(New->sa_flags & SA_SIGINFO) && New->sa_handler == SIG_DFL &&
      isCovered(Signal))
    New = &Ours;
  const int Result = LUTHIER_NEXT(sigaction)(Signal, New, Old);
  if (Result == 0 && Old && isOurs(*Old)) {
    memset(Old, 0, sizeof(*Old));
    Old->sa_handler = SIG_DFL;
  }
  return Result;
}

#define LUTHIER_SET_HANDLER(NAME)                                              \
  LUTHIER_INTERPOSED sighandler_t NAME(int Signal,                             \
                                       sighandler_t Handler) noexcept {        \
    return set(LUTHIER_NEXT(NAME), Signal, Handler);                           \
  }
LUTHIER_SET_HANDLER(signal)
LUTHIER_SET_HANDLER(ssignal)
LUTHIER_SET_HANDLER(sigset)
// What signal() is where System V's rules are asked for.
LUTHIER_SET_HANDLER(sysv_signal)
LUTHIER_SET_HANDLER(__sysv_signal)
