// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/EventTable.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <type_traits>

namespace luthier::emulator {

void EventTable::setSlots(uint64_t *Page) {
  std::lock_guard Lock(Mutex);
  Slots = Page;
}

bool EventTable::hasSlots() {
  std::lock_guard Lock(Mutex);
  return Slots;
}

EventTable::Event *EventTable::find(uint32_t Id) {
  auto It = Events.find(Id);
  return It == Events.end() ? nullptr : &It->second;
}

uint32_t EventTable::create(uint32_t Type, bool AutoReset) {
  std::lock_guard Lock(Mutex);
  Event New;
  New.Type = Type;
  New.Serial = ++NumCreated;
  New.AutoReset = AutoReset;
  uint32_t Id = 0;
  if (New.hasSlot()) {
    for (uint32_t Tries = 1; Tries < Capacity && !Id; ++Tries) {
      LastSlot = LastSlot % (Capacity - 1) + 1;
      if (!find(LastSlot))
        Id = LastSlot;
    }
    if (!Id)
      return 0;
    if (Slots)
      __atomic_store_n(&Slots[Id], 0, __ATOMIC_RELEASE);
  } else {
    Id = LastOther++;
  }
  Events[Id] = New;
  return Id;
}

int EventTable::destroy(uint32_t Id) {
  {
    std::lock_guard Lock(Mutex);
    if (!Events.erase(Id))
      return EINVAL;
  }
  Raised.notify_all();
  return 0;
}

void EventTable::signal(Event &E) {
  ++E.Age;
  ++E.NumRaised;
  // One of those who wait takes it.
  E.Signaled = !E.AutoReset || E.NumWaiting == 0;
}

int EventTable::set(uint32_t Id) {
  {
    std::lock_guard Lock(Mutex);
    Event *E = find(Id);
    if (!E)
      return EINVAL;
    signal(*E);
  }
  Raised.notify_all();
  return 0;
}

int EventTable::reset(uint32_t Id) {
  std::lock_guard Lock(Mutex);
  Event *E = find(Id);
  if (!E)
    return EINVAL;
  E->Signaled = false;
  E->NumRaisedAtReset = E->NumRaised;
  return 0;
}

void EventTable::raise(uint32_t Id) {
  {
    std::lock_guard Lock(Mutex);
    Event *E = find(Id);
    if (!E)
      return;
    // Else the next raiseFromSlots() would find it again.
    if (Slots && E->hasSlot())
      __atomic_store_n(&Slots[Id], 0, __ATOMIC_RELEASE);
    signal(*E);
  }
  Raised.notify_all();
}

void EventTable::raiseFromSlots() {
  {
    std::lock_guard Lock(Mutex);
    if (!Slots)
      return;
    for (auto &[Id, E] : Events)
      if (E.hasSlot() &&
          __atomic_exchange_n(&Slots[Id], 0, __ATOMIC_ACQ_REL) != 0)
        signal(E);
  }
  Raised.notify_all();
}

bool EventTable::raiseMemoryFault(uint32_t GpuId, uint64_t Address) {
  bool Any = false;
  {
    std::lock_guard Lock(Mutex);
    for (auto &[Id, E] : Events) {
      if (E.Type != KFD_IOC_EVENT_MEMORY)
        continue;
      E.Fault = {};
      E.Fault.gpu_id = GpuId;
      E.Fault.va = Address;
      E.Fault.failure.NotPresent = 1;
      signal(E);
      Any = true;
    }
  }
  Raised.notify_all();
  return Any;
}

unsigned EventTable::numWaiting() {
  std::lock_guard Lock(Mutex);
  return NumWaiting;
}

struct EventTable::Awaited {
  uint64_t Serial = 0;
  bool IsRaised = false;
  bool KnowsAges = false;
  /// The caller names an age that it was told is over, and nothing has happened
  /// since.
  bool IsStale = false;
  uint64_t NumRaised = 0;
};

namespace {
/// The ages that a thread was told when it last waited, which is all that a
/// thread can fail to remember. Threads may end after everything else, so it
/// has no destructor. Of events beyond its room, ages are taken as given.
class LastTold {
public:
  void begin(const EventTable &Table) {
    By = &Table;
    Count = 0;
  }
  void add(uint32_t Event, uint64_t Age) {
    if (Count < Ages.size())
      Ages[Count++] = {Event, Age};
  }
  bool has(const EventTable &Table, uint32_t Event, uint64_t Age) const {
    return By == &Table &&
           llvm::is_contained(llvm::ArrayRef(Ages).take_front(Count),
                              std::pair(Event, Age));
  }

private:
  const EventTable *By = nullptr;
  size_t Count = 0;
  std::array<std::pair<uint32_t, uint64_t>, 32> Ages;
};
static_assert(std::is_trivially_destructible_v<LastTold>);
} // namespace
static thread_local LastTold Told;

EventTable::Event *EventTable::find(const kfd_event_data &Data,
                                    const Awaited &A) {
  Event *E = find(Data.event_id);
  return E && E->Serial == A.Serial ? E : nullptr;
}

/// A number that no other thread has or gets.
static uint64_t thisThread() {
  static std::atomic<uint64_t> NumThreads = 0;
  static thread_local const uint64_t Number = ++NumThreads;
  return Number;
}

/// Several signals can share an event (in ROCr 5.2, those by which queues
/// report errors). One thread may then take what was raised for another that is
/// about to wait, and which would sleep for ever. Newer runtimes name ages to
/// prevent that. A thread that names none is told of each raise once, whoever
/// took it: it looks at its signals, and waits again.
bool EventTable::hasMissed(const Event &E) {
  const auto It = llvm::find_if(
      E.SeenBy, [](const Seen &S) { return S.Thread == thisThread(); });
  const uint64_t LastSeen = It == E.SeenBy.end() ? 0 : It->NumRaised;
  return E.NumRaised > std::max(LastSeen, E.NumRaisedAtReset);
}

void EventTable::noteSeen(Event &E) {
  constexpr size_t MaxThreads = 16;
  llvm::erase_if(E.SeenBy,
                 [](const Seen &S) { return S.Thread == thisThread(); });
  if (E.SeenBy.size() == MaxThreads)
    E.SeenBy.pop_back();
  E.SeenBy.insert(E.SeenBy.begin(), {thisThread(), E.NumRaised});
}

/// Who begins to wait takes what is there.
void EventTable::beginWait(Event &E, const kfd_event_data &Data, Awaited &A) {
  A.Serial = E.Serial;
  A.IsRaised = E.Signaled;
  A.NumRaised = E.NumRaised;
  if (E.AutoReset)
    E.Signaled = false;
  if (E.Type == KFD_IOC_EVENT_SIGNAL) {
    A.KnowsAges = kfd::lastAge(Data) != 0;
    if (!A.KnowsAges) {
      A.IsRaised |= hasMissed(E);
    } else if (kfd::lastAge(Data) != E.Age) {
      A.IsStale = Told.has(*this, Data.event_id, E.Age);
      A.IsRaised |= !A.IsStale;
    }
  }
  ++E.NumWaiting;
}

void EventTable::endWait(Event &E, kfd_event_data &Data, const Awaited &A,
                         bool IsDone) {
  --E.NumWaiting;
  if (E.Type == KFD_IOC_EVENT_SIGNAL && !A.KnowsAges)
    noteSeen(E);
  if (!IsDone || !A.IsRaised)
    return;
  if (E.Type == KFD_IOC_EVENT_MEMORY)
    Data.memory_exception_data = E.Fault;
  else if (A.KnowsAges) {
    kfd::setLastAge(Data, E.Age);
    Told.add(Data.event_id, E.Age);
  }
}

EventTable::Outcome
EventTable::wait(llvm::MutableArrayRef<kfd_event_data> Given, bool All,
                 uint32_t Milliseconds) {
  std::unique_lock Lock(Mutex);
  for (const kfd_event_data &Data : Given)
    if (!find(Data.event_id))
      return Outcome::NoSuchEvent;
  llvm::SmallVector<Awaited, 8> List(Given.size());
  for (auto [Data, A] : llvm::zip_equal(Given, List))
    beginWait(*find(Data.event_id), Data, A);

  // The events themselves may be destroyed while this thread sleeps.
  bool IsDestroyed = false;
  auto Ready = [&] {
    size_t NumRaised = 0;
    for (auto [Data, A] : llvm::zip_equal(Given, List)) {
      const Event *E = find(Data, A);
      if (!E) {
        IsDestroyed = true;
        return true;
      }
      A.IsRaised |= E->NumRaised != A.NumRaised;
      NumRaised += A.IsRaised;
    }
    return All ? NumRaised == List.size() : NumRaised > 0;
  };
  bool IsDone = true;
  ++NumWaiting;
  // ROCr since 6.4 forgets ages that it was told where two signals share an
  // event, and would keep a core busy with asking again.
  if (llvm::any_of(List, [](const Awaited &A) { return A.IsStale; })) {
    constexpr uint32_t BeforeToldAgain = 2;
    Raised.wait_for(
        Lock,
        std::chrono::milliseconds(std::min(Milliseconds, BeforeToldAgain)),
        Ready);
    for (Awaited &A : List)
      A.IsRaised |= A.IsStale;
  }
  if (Milliseconds == Forever)
    Raised.wait(Lock, Ready);
  else
    IsDone =
        Raised.wait_for(Lock, std::chrono::milliseconds(Milliseconds), Ready);
  --NumWaiting;
  Told.begin(*this);
  for (auto [Data, A] : llvm::zip_equal(Given, List))
    if (Event *E = find(Data, A))
      endWait(*E, Data, A, IsDone);
  return IsDestroyed ? Outcome::Destroyed
         : IsDone    ? Outcome::Raised
                     : Outcome::TimedOut;
}

} // namespace luthier::emulator
