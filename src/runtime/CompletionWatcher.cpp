// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/CompletionWatcher.h"
#include "runtime/ApplicationThread.h"
#include "runtime/HsaApi.h"
#include <atomic>
#include <chrono>

using namespace llvm;

namespace luthier::runtime {

/// Where Done begins; no queue lives to see as many dispatches.
static constexpr hsa_signal_value_t Start = hsa_signal_value_t(1) << 62;

struct CompletionWatcher::State {
  struct Entry {
    Callback Work;
    uint64_t KernelObject;
  };

  hsa_signal_t Done = {0};
  hsa_signal_t Resume[2] = {{0}, {0}};
  uint64_t NumAdded = 0; ///< By submitting threads, one at a time.

  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<Entry> Pending; ///< The first one may be running.
  uint64_t NumReturned = 0;
  bool IsRunning = false; ///< The thread.
  pthread_t Thread = {};
  std::atomic<bool> Stopping = false;
  bool IsAbandoned = false; ///< The thread has not ended, but nobody waits.

  /// Until dispatch \p Number, from 1, has completed. False if stopped.
  bool waitFor(uint64_t Number);
  void resume(uint64_t Number);
  void run();
  /// Under Lock.
  bool isTelling() const;
};

bool CompletionWatcher::State::waitFor(uint64_t Number) {
  const hsa_signal_value_t Before =
      Start - static_cast<hsa_signal_value_t>(Number) + 1;
  while (!Stopping && isHsaOpen()) {
    constexpr uint64_t Slice = 25'000'000; // Ticks of 1 ns or 10 ns.
    if (coreApi().hsa_signal_wait_scacquire_fn(Done, HSA_SIGNAL_CONDITION_LT,
                                               Before, Slice,
                                               HSA_WAIT_STATE_BLOCKED) < Before)
      return !Stopping;
  }
  return false;
}

bool CompletionWatcher::State::isTelling() const {
  return isHsaOpen() && Start - coreApi().hsa_signal_load_scacquire_fn(Done) >
                            static_cast<hsa_signal_value_t>(NumReturned);
}

/// Under Lock.
void CompletionWatcher::State::resume(uint64_t Number) {
  if (Stopping || !isHsaOpen())
    return;
  // The dispatch before this one has been passed.
  coreApi().hsa_signal_store_relaxed_fn(Resume[(Number + 1) % 2], 1);
  coreApi().hsa_signal_store_screlease_fn(Resume[Number % 2], 0);
}

void CompletionWatcher::State::run() {
  const ApplicationThreadScope Scope;
  for (uint64_t Number = 1;; ++Number) {
    Callback *Work;
    {
      std::unique_lock Guard(Lock);
      Changed.wait(Guard, [&] { return Stopping || !Pending.empty(); });
      if (Stopping)
        return;
      Work = &Pending.front().Work;
    }
    if (!waitFor(Number))
      return;
    (*Work)();
    std::lock_guard Guard(Lock);
    resume(Number);
    Pending.pop_front();
    ++NumReturned;
    Changed.notify_all();
  }
}

/// False if there is no signal or no thread to be had.
bool CompletionWatcher::open() {
  if (S)
    return true;
  auto New = std::make_shared<State>();
  const CoreApiTable &Api = coreApi();
  auto make = [&](hsa_signal_value_t Value, hsa_signal_t &Signal) {
    return Api.hsa_signal_create_fn(Value, 0, nullptr, &Signal) ==
           HSA_STATUS_SUCCESS;
  };
  auto Share = std::make_unique<std::shared_ptr<State>>(New);
  auto Main = [](void *Of) -> void * {
    const std::unique_ptr<std::shared_ptr<State>> Share(
        static_cast<std::shared_ptr<State> *>(Of));
    State &S = **Share;
    S.run();
    std::lock_guard Guard(S.Lock);
    S.IsRunning = false;
    S.Changed.notify_all();
    return nullptr;
  };
  New->IsRunning = true;
  if (!make(Start, New->Done) || !make(1, New->Resume[0]) ||
      !make(1, New->Resume[1]) ||
      !startThread(Main, Share.get(), New->Thread)) {
    for (hsa_signal_t Signal : {New->Done, New->Resume[0], New->Resume[1]})
      if (Signal.handle)
        Api.hsa_signal_destroy_fn(Signal);
    return false;
  }
  Share.release(); // The thread has it.
  std::lock_guard Guard(OpenLock);
  S = std::move(New);
  return true;
}

std::shared_ptr<CompletionWatcher::State> CompletionWatcher::share() const {
  std::lock_guard Guard(OpenLock);
  return S;
}

bool CompletionWatcher::add(Callback Work, uint64_t KernelObject,
                            hsa_barrier_and_packet_t (&Barriers)[2]) {
  if (!open())
    return false;
  const uint64_t Number = ++S->NumAdded;
  {
    std::lock_guard Guard(S->Lock);
    if (S->Stopping)
      return false;
    S->Pending.push_back({std::move(Work), KernelObject});
    S->Changed.notify_all();
  }
  for (hsa_barrier_and_packet_t &Barrier : Barriers) {
    Barrier = {};
    Barrier.header =
        HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
        1 << HSA_PACKET_HEADER_BARRIER |
        HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
        HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  }
  Barriers[0].completion_signal = S->Done;
  Barriers[1].dep_signal[0] = S->Resume[Number % 2];
  return true;
}

size_t CompletionWatcher::numPending() const {
  const std::shared_ptr<State> S = share();
  if (!S)
    return 0;
  std::lock_guard Guard(S->Lock);
  return S->Stopping ? 0 : S->Pending.size();
}

bool CompletionWatcher::drain(function_ref<bool(const Progress &)> GiveUp,
                              function_ref<bool(uint64_t)> Concerns) const {
  const std::shared_ptr<State> S = share();
  if (!S)
    return true;
  std::unique_lock Guard(S->Lock);
  size_t Count = S->Pending.size();
  while (Concerns && Count && !Concerns(S->Pending[Count - 1].KernelObject))
    --Count;
  const uint64_t Last = S->NumReturned + Count;
  auto isWaiting = [&] {
    return S->NumReturned < Last && S->IsRunning && !S->Stopping;
  };
  while (isWaiting()) {
    S->Changed.wait_for(Guard, std::chrono::milliseconds(100));
    if (isWaiting() && GiveUp({Last - S->NumReturned, S->isTelling()}))
      return false;
  }
  return true;
}

void CompletionWatcher::stop() {
  const std::shared_ptr<State> S = share();
  if (!S)
    return;
  {
    std::unique_lock Guard(S->Lock);
    if (S->Stopping.exchange(true))
      return;
    S->Changed.notify_all();
    if (isHsaOpen())
      for (hsa_signal_t Signal : S->Resume)
        coreApi().hsa_signal_store_screlease_fn(Signal, 0);
    // A tool may sit in its callback for ever, or end the program from it.
    constexpr std::chrono::seconds Patience(2);
    S->IsAbandoned =
        ::pthread_equal(S->Thread, ::pthread_self()) ||
        !S->Changed.wait_for(Guard, Patience, [&] { return !S->IsRunning; });
  }
  if (S->IsAbandoned)
    ::pthread_detach(S->Thread);
  else
    ::pthread_join(S->Thread, nullptr);
}

CompletionWatcher::~CompletionWatcher() {
  stop();
  // A thread that was left behind may still look at them.
  if (S && !S->IsAbandoned && isHsaOpen())
    for (hsa_signal_t Signal : {S->Done, S->Resume[0], S->Resume[1]})
      coreApi().hsa_signal_destroy_fn(Signal);
}

} // namespace luthier::runtime
