// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/Queue.h"

#include "emulator/cp/Clock.h"
#include "emulator/exec/Watchdog.h"
#include <algorithm>
#include <cassert>
#include <chrono>
#include <csignal>
#include <sys/prctl.h>
#include <utility>

namespace luthier::emulator {

/// Spins briefly, then sleeps for a share of the time already waited: what
/// comes soon is seen soon. A queue nobody uses costs about 20 short wake-ups a
/// second, and 250 where nobody watches its doorbell.
class Queue::IdleWait {
public:
  /// Without \p Watch, what is waited for does not come with a ring.
  IdleWait(Queue &Owner, DoorbellWatch *Watch) : Owner(Owner), Watch(Watch) {}

  void reset() {
    Since = 0;
    Armed.reset();
  }

  void wait() {
    Owner.Looks.fetch_add(1);
    const uint64_t Now = hostNanoseconds();
    if (Since == 0)
      Since = Now;
    const uint64_t Waited = Now - Since;
    if (Waited < SpinNanoseconds) {
      for (int I = 0; I < 32; ++I)
        __builtin_ia32_pause();
      return;
    }
    const bool MayBeWatched =
        Watch && Waited >= DoorbellWatch::QuietTime && Owner.waitsForRing();
    if (!MayBeWatched || !waitForRing(Now))
      sleepFor(Now - Since);
  }

private:
  /// False where the watch does not tell of the next ring.
  bool waitForRing(uint64_t Now) {
    if (Armed) {
      const uint64_t Rings = *std::exchange(Armed, std::nullopt);
      if (Watch->sleep(Rings, Owner.Doorbell) ==
          DoorbellWatch::Woken::ByOwnRing)
        beBrief();
      return true;
    }
    // The owner looks once more.
    Armed = Watch->arm(Now);
    if (Armed) {
      IsWatched = true;
      return true;
    }
    // Others have begun to work, and a ring that follows stops nobody.
    if (std::exchange(IsWatched, false))
      Since = Now - DoorbellWatch::QuietTime;
    return false;
  }

  void sleepFor(uint64_t Waited) {
    const uint64_t Longest =
        Waited < LongWait ? LongestSleep : LongestSleepWhenUnused;
    // A watch soon makes short sleeps needless, so that fewer will do.
    const uint64_t Share = Watch ? 8 : 16;
    const uint64_t Sleep = std::clamp(Waited / Share, ShortestSleep, Longest);
    std::unique_lock Lock(Owner.StopMutex);
    Owner.StopRequested.wait_for(Lock, std::chrono::nanoseconds(Sleep),
                                 [&] { return Owner.Stopping.load(); });
  }

  /// As if the wait had begun now, but for the spinning, which would keep who
  /// rings from the processor where there is only one.
  void beBrief() { Since = hostNanoseconds() - SpinNanoseconds; }

  static constexpr uint64_t SpinNanoseconds = 20'000;
  static constexpr uint64_t ShortestSleep = 20'000;
  static constexpr uint64_t LongestSleep = 1'000'000;
  static constexpr uint64_t LongWait = 500'000'000;
  static constexpr uint64_t LongestSleepWhenUnused = 4'000'000;
  Queue &Owner;
  DoorbellWatch *const Watch;
  uint64_t Since = 0;
  std::optional<uint64_t> Armed;
  bool IsWatched = false; ///< Has been armed, and not been refused since.
};

Queue::~Queue() { assert(!Thread.joinable() && "stop() comes first"); }

void Queue::start() {
  // The application's signal handlers are not meant to run on our threads; a
  // new thread inherits the mask.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  Thread = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void Queue::stop() {
  {
    std::lock_guard Lock(StopMutex);
    Stopping.store(true);
  }
  StopRequested.notify_all();
  if (Watch)
    Watch->wake();
  if (Thread.joinable())
    Thread.join();
}

void Queue::setActive(bool Active) {
  {
    std::lock_guard Lock(ActiveMutex);
    this->Active.store(Active);
  }
  if (Watch)
    Watch->wake();
}

bool Queue::waitUntil(llvm::function_ref<bool()> Ready) {
  IdleWait Idle(*this, /*Watch=*/nullptr);
  while (!Ready()) {
    if (Stopping.load(std::memory_order_relaxed))
      return false;
    Idle.wait();
  }
  return true;
}

bool Queue::whileActive(llvm::function_ref<void()> Act) {
  return waitUntil([&] {
    std::lock_guard Lock(ActiveMutex);
    const bool Is = Active.load();
    if (Is)
      Act();
    return Is;
  });
}

void Queue::run() {
  pthread_setname_np(pthread_self(), "luthier-queue");
  // The default slack would triple the shortest sleep.
  prctl(PR_SET_TIMERSLACK, 1000);
  IdleWait Idle(*this, Watch);
  while (!Stopping.load(std::memory_order_relaxed)) {
    if (Active.load(std::memory_order_relaxed) && processPacket()) {
      Watchdog::noteProgress();
      if (Watch)
        Watch->noteWork(hostNanoseconds());
      Idle.reset();
    } else {
      Idle.wait();
    }
  }
}

} // namespace luthier::emulator
