// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/InterceptedQueues.h"
#include "runtime/ApplicationThread.h"
#include "runtime/CallContext.h"
#include "runtime/Channels.h"
#include "runtime/HsaApi.h"
#include "runtime/Log.h"
#include "runtime/ProcessEnd.h"
#include "runtime/Settings.h"
#include "runtime/TimedDispatch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <optional>
#include <thread>
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#endif

using namespace llvm;

namespace luthier::runtime {

/// Tells ThreadSanitizer what orders uses of a queue: a lock of ROCr, which is
/// built without it. ROCr shows a queue's packets to one thread at a time.
class InTurn {
public:
  explicit InTurn(void *Queue) : Queue(Queue) { acquire(); }
  ~InTurn() { release(); }
  InTurn(const InTurn &) = delete;
  InTurn &operator=(const InTurn &) = delete;

private:
#if __has_feature(thread_sanitizer)
  void acquire() { __tsan_acquire(Queue); }
  void release() { __tsan_release(Queue); }
#else
  void acquire() {}
  void release() {}
#endif
  [[maybe_unused]] void *const Queue;
};

/// All packets have one size; the header says how to read them.
union InterceptedQueues::Packet {
  uint16_t Header;
  hsa_kernel_dispatch_packet_t Dispatch;
  hsa_barrier_and_packet_t BarrierAnd;

  bool isDispatch() const {
    constexpr unsigned Mask = (1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1;
    return ((Header >> HSA_PACKET_HEADER_TYPE) & Mask) ==
           HSA_PACKET_TYPE_KERNEL_DISPATCH;
  }
};

/// How long nothing may happen, and how long all may take; zero for ever.
static std::chrono::seconds exitTimeout() {
  return secondsFrom("LUTHIER_EXIT_TIMEOUT", 60);
}
static std::chrono::seconds exitLimit() {
  return secondsFrom("LUTHIER_EXIT_LIMIT", 120);
}

/// Decides when waiting has become pointless.
class InterceptedQueues::ProgressWatch {
public:
  explicit ProgressWatch(const InterceptedQueues &All) : All(All) {}

  /// True if nothing has changed for longer than the time-out, or the process
  /// has to end now.
  bool isStuck(size_t Waiting) {
    if (All.isOverdue())
      return true;
    auto Now = Clock::now();
    uint64_t Fingerprint = All.Counts();
    if (Waiting != LastWaiting || Fingerprint != LastFingerprint) {
      LastWaiting = Waiting;
      LastFingerprint = Fingerprint;
      LastChange = Now;
    }
    return Timeout.count() && Now - LastChange > Timeout;
  }

private:
  const InterceptedQueues &All;
  const std::chrono::seconds Timeout = exitTimeout();
  Clock::time_point LastChange = Clock::now();
  size_t LastWaiting = 0;
  uint64_t LastFingerprint = 0;
};

/// Another tool that was loaded before has taken the place of
/// hsa_queue_create(). Null if that is the runtime's own.
static InterceptedQueues::Create otherToolsCreate(StringRef &Tool) {
  const auto Create = coreApi().hsa_queue_create_fn;
  Dl_info Runtime, Other;
  // Nobody has a reason to replace this one.
  if (!::dladdr(reinterpret_cast<void *>(
                    amdApi().hsa_amd_queue_intercept_register_fn),
                &Runtime) ||
      !::dladdr(reinterpret_cast<void *>(Create), &Other) ||
      Runtime.dli_fbase == Other.dli_fbase)
    return nullptr;
  Tool = Other.dli_fname;
  return Create;
}

hsa_status_t InterceptedQueues::open(Queue &Q, Create Make, uint32_t Size,
                                     hsa_queue_type32_t Type,
                                     uint32_t PrivateSegmentSize,
                                     uint32_t GroupSegmentSize) {
  auto make = [&](Create By, hsa_queue_t *&Handle) {
    return By(Q.Agent, Size, Type, Q.OnError ? &onError : nullptr, &Q,
              PrivateSegmentSize, GroupSegmentSize, &Handle);
  };
  const bool IsOverShared =
      Q.Cooperative && Make == amdApi().hsa_amd_queue_intercept_create_fn;
  if (IsOverShared)
    if (hsa_status_t Status = make(coreApi().hsa_queue_create_fn, Q.Below);
        Status != HSA_STATUS_SUCCESS)
      return Status;
  hsa_queue_t *Handle = nullptr;
  hsa_status_t Status = make(Make, Handle);
  // The interceptor counts as a user of it by now.
  if (IsOverShared)
    coreApi().hsa_queue_destroy_fn(Q.Below);
  if (Status == HSA_STATUS_SUCCESS)
    Status =
        amdApi().hsa_amd_queue_intercept_register_fn(Handle, &onPackets, &Q);
  if (Status == HSA_STATUS_SUCCESS)
    Status = Q.Throttle.open(Handle->size);
  if (Status == HSA_STATUS_SUCCESS) {
    Q.Handle = Handle;
    const InTurn BeforePackets(&Q);
  } else if (Handle)
    coreApi().hsa_queue_destroy_fn(IsOverShared ? Q.Below : Handle);
  return Status;
}

hsa_status_t InterceptedQueues::create(hsa_agent_t Agent, uint32_t Size,
                                       hsa_queue_type32_t Type,
                                       ErrorCallback OnError, void *Data,
                                       uint32_t PrivateSegmentSize,
                                       uint32_t GroupSegmentSize,
                                       hsa_queue_t **Result, Create Otherwise) {
  const bool Cooperative = Type == HSA_QUEUE_TYPE_COOPERATIVE;
  if (Cooperative)
    if (std::shared_ptr<Queue> Shared = shareCooperative(Agent)) {
      *Result = Shared->Handle;
      return HSA_STATUS_SUCCESS;
    }
  auto New = std::make_shared<Queue>(*this, Agent);
  New->OnError = OnError;
  New->Data = Data;
  New->Cooperative = Cooperative;
  auto openBy = [&](Create Make) {
    return open(*New, Make, Size, Type, PrivateSegmentSize, GroupSegmentSize);
  };
  hsa_status_t Status = HSA_STATUS_ERROR;
  StringRef Tool;
  if (Create Theirs = otherToolsCreate(Tool)) {
    Status = openBy(Theirs);
    static std::once_flag Once;
    if (Status == HSA_STATUS_ERROR_INVALID_QUEUE)
      std::call_once(Once, [&] {
        logWarning(Tool + " replaces hsa_queue_create() by queues that cannot "
                          "be intercepted; it does not see those of this "
                          "program");
      });
  }
  if (Status != HSA_STATUS_SUCCESS)
    Status = openBy(amdApi().hsa_amd_queue_intercept_create_fn);
  if (Status != HSA_STATUS_SUCCESS) {
    std::string Why = toString(checkHsa(Status, "creating it"));
    Status = Otherwise(Agent, Size, Type, OnError, Data, PrivateSegmentSize,
                       GroupSegmentSize, Result);
    static std::once_flag Once;
    if (Status == HSA_STATUS_SUCCESS)
      std::call_once(Once, [&] {
        logWarning(
            "a queue cannot be intercepted, its kernels run unchanged: " + Why);
      });
    return Status;
  }
  *Result = New->Handle;
  std::lock_guard Guard(Lock);
  Queues[*Result] = std::move(New);
  return HSA_STATUS_SUCCESS;
}

std::shared_ptr<InterceptedQueues::Queue>
InterceptedQueues::shareCooperative(hsa_agent_t Agent) {
  std::lock_guard Guard(Lock);
  for (auto &[Handle, Q] : Queues)
    if (Q->Cooperative && Q->Agent.handle == Agent.handle) {
      ++Q->Users;
      return Q;
    }
  return nullptr;
}

hsa_status_t InterceptedQueues::destroy(hsa_queue_t *Handle) {
  std::shared_ptr<Queue> Destroyed;
  {
    std::lock_guard Guard(Lock);
    if (auto It = Queues.find(Handle); It != Queues.end()) {
      Destroyed = It->second;
      if (Destroyed->Users > 1) {
        --Destroyed->Users;
        return HSA_STATUS_SUCCESS;
      }
    }
  }
  // The application has waited for its dispatches; what tools do behind them
  // may take a moment longer. If the program ends meanwhile, that waits for it
  // as well.
  bool KillsWaves = false;
  if (Destroyed) {
    drainCompletionsOf(*Destroyed);
    KillsWaves = isBusy(*Destroyed);
    // Not later: a new queue may get the handle.
    std::lock_guard Guard(Lock);
    Queues.erase(Handle);
    if (Destroyed->Below)
      Handle = Destroyed->Below;
  }
  // Callbacks may come until this returns, and not after.
  const hsa_status_t Status = coreApi().hsa_queue_destroy_fn(Handle);
  if (KillsWaves)
    channels().expectKilledWaves(Destroyed->Agent);
  return Status;
}

hsa_status_t InterceptedQueues::inactivate(hsa_queue_t *Handle) {
  std::shared_ptr<Queue> Stopped;
  {
    std::lock_guard Guard(Lock);
    if (auto It = Queues.find(Handle); It != Queues.end())
      Stopped = It->second;
  }
  if (Stopped)
    Stopped->Dead = true;
  const hsa_status_t Status = coreApi().hsa_queue_inactivate_fn(Handle);
  if (Stopped)
    channels().expectKilledWaves(Stopped->Agent);
  return Status;
}

void InterceptedQueues::deviceFailed(hsa_agent_t Agent) {
  for (const std::shared_ptr<Queue> &Q : listed())
    if (Q->Agent.handle == Agent.handle)
      Q->DeviceFailed = true;
  channels().expectKilledWaves(Agent);
}

/// Only where the application gave a callback: ROCr itself ends the process
/// where there is none.
void InterceptedQueues::onError(hsa_status_t Status, hsa_queue_t *Source,
                                void *Data) {
  // The source is the runtime's queue below ours, which the application has
  // never seen. An error while the queue is being made finds no handle yet.
  auto *Q = static_cast<Queue *>(Data);
  Q->Dead = true;
  channels().expectKilledWaves(Q->Agent);
  const char *What = nullptr;
  if (coreApi().hsa_status_string_fn(Status, &What) == HSA_STATUS_SUCCESS)
    processEnd().noteFault(What);
  Q->OnError(Status, Q->Handle ? Q->Handle : Source, Q->Data);
}

void InterceptedQueues::show(Queue &Q, Packet P, SmallVectorImpl<Packet> &Out) {
  if (!P.isDispatch())
    return Out.push_back(P);
  const uint64_t KernelObject = P.Dispatch.kernel_object;
  const Launch About = {
      Q.Handle,
      Q.Cooperative,
      &Q.Arguments,
      {P.Dispatch.private_segment_size, P.Dispatch.group_segment_size}};
  Dispatcher::Outcome Shown = Packets.show(P.Dispatch, About);
  if (Shown.IsRedirected)
    Q.Redirected = true;
  Q.Held.add(std::move(Shown.Version));
  std::shared_ptr<TimedDispatch> Timed;
  if (Shown.WithTimes)
    Timed = TimedDispatch::create(Q.Handle, Q.Agent, P.Dispatch);
  Out.push_back(P);
  if (!Shown.WhenComplete)
    return;
  auto Tell = [Timed, Call = std::move(Shown.WhenComplete)] {
    Call(Timed ? Timed->times() : std::nullopt);
  };
  hsa_barrier_and_packet_t Barriers[2];
  if (!Q.Completions.add(std::move(Tell), KernelObject, Barriers)) {
    static std::once_flag Once;
    std::call_once(Once, [] {
      logWarning("there are no signals or threads left to watch for the end of "
                 "kernels; tools do not hear of it");
    });
    return;
  }
  for (const hsa_barrier_and_packet_t &Barrier : Barriers)
    Out.emplace_back().BarrierAnd = Barrier;
}

SmallVector<InterceptedQueues::Packet, 4>
InterceptedQueues::showToTools(Queue &Q, ArrayRef<Packet> Given) {
  SmallVector<Packet, 4> Out;
  if (!Packets.hasTools() ||
      none_of(Given, [](const Packet &P) { return P.isDispatch(); })) {
    Out.append(Given.begin(), Given.end());
    return Out;
  }
  if (!Tools.enter()) {
    static std::once_flag Once;
    std::call_once(Once, [] {
      logWarning("kernels that are launched after onExit() of the tools run "
                 "unchanged");
    });
    Out.append(Given.begin(), Given.end());
    return Out;
  }
  runOnLargeStack([&] {
    for (const Packet &P : Given)
      show(Q, P, Out);
  });
  Tools.leave();
  return Out;
}

void InterceptedQueues::onPackets(const void *Packets, uint64_t Count, uint64_t,
                                  void *Data,
                                  void (*Write)(const void *, uint64_t)) {
  static_assert(sizeof(Packet) == 64);
  const ApplicationThreadScope Scope;
  auto &Q = *static_cast<Queue *>(Data);
  const InTurn AfterOthers(&Q);
  InterceptedQueues &All = Q.All;
  const CallContext Submitting;
  const CallScope InSubmission(Submitting);
  std::optional<ProgressWatch> Watch;
  // The application may wait as long as it likes, until it ends.
  auto GiveUp = [&] {
    if (Q.Dead || Q.IsBeingDestroyed)
      return true;
    if (!All.IsEnding)
      return false;
    if (!Watch)
      Watch.emplace(All);
    return Watch->isStuck(1);
  };
  // The ring is the application's to read; tools get copies.
  const auto *Begin = static_cast<const Packet *>(Packets);
  SmallVector<Packet, 4> Copies = All.showToTools(Q, ArrayRef(Begin, Count));
  // And one marker of each kind.
  if (!Q.Throttle.waitForRoom(Copies.size() + 2, GiveUp)) {
    Q.Completions.stop();
    return Write(Copies.data(), 0);
  }
  Packet Marker;
  if (Q.Arguments.submitting(Marker.BarrierAnd))
    Copies.push_back(Marker);
  if (Q.Held.submitting(Marker.BarrierAnd))
    Copies.push_back(Marker);
  if (Q.Throttle.submitted(Copies.size(), Marker.BarrierAnd))
    Copies.push_back(Marker);
  // Exactly once: ROCr up to 5.2 loses count of its handlers otherwise.
  Write(Copies.data(), Copies.size());
}

bool InterceptedQueues::appendBarrier(Queue &Q, hsa_signal_t Signal) {
  const CoreApiTable &Api = coreApi();
  hsa_queue_t *Queue = Q.Handle;
  // Room only appears as the device works; a full queue that stays full is as
  // stuck as one that does not answer.
  ProgressWatch Watch(*this);
  uint64_t Index = Api.hsa_queue_add_write_index_scacq_screl_fn(Queue, 1);
  while (Index - Api.hsa_queue_load_read_index_scacquire_fn(Queue) >=
         Queue->size) {
    if (Q.isLost() || Watch.isStuck(1))
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  auto *Slot = static_cast<hsa_barrier_and_packet_t *>(Queue->base_address) +
               (Index & (Queue->size - 1));
  hsa_barrier_and_packet_t Barrier = {};
  Barrier.completion_signal = Signal;
  // All but the header, which hands the packet over.
  std::memcpy(reinterpret_cast<char *>(Slot) + sizeof(uint16_t),
              reinterpret_cast<char *>(&Barrier) + sizeof(uint16_t),
              sizeof(Barrier) - sizeof(uint16_t));
  constexpr uint16_t Header =
      HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
      1 << HSA_PACKET_HEADER_BARRIER |
      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  __atomic_store_n(&Slot->header, Header, __ATOMIC_RELEASE);
  Api.hsa_signal_store_screlease_fn(Queue->doorbell_signal,
                                    static_cast<hsa_signal_value_t>(Index));
  return true;
}

/// By a barrier behind all packets, which completes at once in an idle queue.
bool InterceptedQueues::isBusy(Queue &Q) {
  const CoreApiTable &Api = coreApi();
  hsa_signal_t Signal;
  if (!Q.Redirected || Q.isLost() || channels().empty() ||
      Api.hsa_signal_create_fn(1, 0, nullptr, &Signal) != HSA_STATUS_SUCCESS)
    return false;
  Q.IsBeingDestroyed = true;
  constexpr std::chrono::milliseconds Patience(1000);
  const Clock::time_point Until = Clock::now() + Patience;
  bool IsBusy = !appendBarrier(Q, Signal);
  while (!IsBusy && Api.hsa_signal_load_scacquire_fn(Signal) != 0) {
    std::this_thread::yield();
    IsBusy = Clock::now() > Until;
  }
  // The device may still write to the signal: it stays.
  if (!IsBusy)
    Api.hsa_signal_destroy_fn(Signal);
  return IsBusy;
}

bool InterceptedQueues::isGone(hsa_queue_t *Handle) {
  std::lock_guard Guard(Lock);
  auto It = Queues.find(Handle);
  return It == Queues.end() || It->second->isLost();
}

void InterceptedQueues::hurry(std::chrono::milliseconds Within) {
  const Clock::duration Until = Clock::now().time_since_epoch() + Within;
  Clock::duration Before = Deadline;
  while (Until < Before && !Deadline.compare_exchange_weak(Before, Until))
    ;
}

void InterceptedQueues::abandon() {
  IsEnding = true;
  Tools.close();
  // Nor may others wait: the queue that a tool holds up goes on.
  for (const std::shared_ptr<Queue> &Q : listed())
    Q->Completions.stop();
}

void InterceptedQueues::drain(pthread_t Ending) {
  IsEnding = true;
  if (const std::chrono::seconds Limit = exitLimit(); Limit.count())
    hurry(Limit);
  Tools.close();
  if (CallContext::current() || Tools.isInside(Ending))
    return abandon();
  const Clock::time_point Begin = Clock::now();
  const std::chrono::seconds Timeout = exitTimeout();
  if (!Tools.waitUntilEmpty([&] {
        return isOverdue() ||
               (Timeout.count() && Clock::now() - Begin > Timeout);
      }))
    logWarning("gave up waiting for a thread that is instrumenting; results "
               "may be incomplete");
  waitForQueues();
  waitForCompletions();
}

SmallVector<std::shared_ptr<InterceptedQueues::Queue>, 4>
InterceptedQueues::listed() {
  SmallVector<std::shared_ptr<Queue>, 4> Result;
  std::lock_guard Guard(Lock);
  for (auto &[Handle, Q] : Queues)
    Result.push_back(Q);
  return Result;
}

bool InterceptedQueues::Queue::hasToGiveUp(
    const CompletionWatcher::Progress &Left, ProgressWatch &Watch) const {
  return (isLost() && !Left.IsTelling) || Watch.isStuck(Left.NumPending);
}

void InterceptedQueues::drainCompletionsOf(ArrayRef<AddressRange> Code) {
  // A tool's callback would wait for itself.
  if (Code.empty() || CallContext::current())
    return;
  auto isOfCode = [&](uint64_t KernelObject) {
    return any_of(Code, [&](const AddressRange &Range) {
      return Range.Begin <= KernelObject && KernelObject < Range.End;
    });
  };
  for (const std::shared_ptr<Queue> &Q : listed()) {
    ProgressWatch Watch(*this);
    Q->Completions.drain(
        [&](const auto &Left) { return Q->hasToGiveUp(Left, Watch); },
        isOfCode);
  }
}

bool InterceptedQueues::drainCompletionsOf(Queue &Q) {
  ProgressWatch Watch(*this);
  return Q.Completions.drain(
      [&](const auto &Left) { return Q.hasToGiveUp(Left, Watch); });
}

/// What has completed, tools may still be at work on. Those may make queues and
/// destroy them: nothing is locked here.
void InterceptedQueues::waitForCompletions() {
  size_t GivenUp = 0;
  for (const std::shared_ptr<Queue> &Q : listed()) {
    GivenUp += !drainCompletionsOf(*Q) && !Q->isLost();
    Q->Completions.stop();
  }
  if (GivenUp)
    logWarning("gave up waiting for tools that were told of the end of kernels "
               "on " +
               Twine(GivenUp) + " queue(s); results may be incomplete");
}

void InterceptedQueues::waitForQueues() {
  const CoreApiTable &Api = coreApi();
  SmallVector<std::pair<hsa_queue_t *, hsa_signal_t>, 4> Waiting;
  size_t GivenUp = 0;
  {
    // Keeps other threads from destroying a queue meanwhile.
    std::lock_guard Guard(Lock);
    for (auto &[Handle, Q] : Queues) {
      if (!Q->Redirected.exchange(false) || Q->isLost())
        continue;
      hsa_signal_t Signal;
      if (Api.hsa_signal_create_fn(1, 0, nullptr, &Signal) ==
              HSA_STATUS_SUCCESS &&
          appendBarrier(*Q, Signal))
        Waiting.push_back({Handle, Signal});
      else
        GivenUp += !Q->isLost();
    }
  }
  ProgressWatch Watch(*this);
  while (!Waiting.empty()) {
    // In ticks of the system clock, which are 1 ns or 10 ns: short enough
    // beside any time-out.
    constexpr uint64_t Slice = 25'000'000;
    Api.hsa_signal_wait_scacquire_fn(Waiting.back().second,
                                     HSA_SIGNAL_CONDITION_EQ, 0, Slice,
                                     HSA_WAIT_STATE_BLOCKED);
    erase_if(Waiting, [&](const auto &Barrier) {
      auto [Handle, Signal] = Barrier;
      if (Api.hsa_signal_load_scacquire_fn(Signal) != 0)
        // The device may still write to the signal: it stays.
        return isGone(Handle);
      Api.hsa_signal_destroy_fn(Signal);
      return true;
    });
    if (!Waiting.empty() && Watch.isStuck(Waiting.size())) {
      GivenUp += Waiting.size();
      break;
    }
  }
  if (GivenUp)
    logWarning("gave up waiting for kernels on " + Twine(GivenUp) +
               (isOverdue() ? " queue(s) that still run"
                            : " queue(s) without progress") +
               "; results may be incomplete");
}

void InterceptedQueues::sessionStarts() {
  IsEnding = false;
  Deadline = Clock::duration::max();
}

void InterceptedQueues::clear() {
  // Their threads may still ask for the list.
  const auto Gone = listed();
  std::lock_guard Guard(Lock);
  Queues.clear();
}

} // namespace luthier::runtime
