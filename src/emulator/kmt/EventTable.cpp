// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kmt/EventTable.h"

#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <sys/mman.h>

namespace luthier::emulator {

EventTable::EventTable() {
  void *Page = ::mmap(nullptr, mailboxBytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Mailboxes = Page == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(Page);
}

uint64_t &EventTable::mailbox(uint32_t EventId) {
  return reinterpret_cast<uint64_t *>(Mailboxes)[EventId];
}

HsaEvent *EventTable::create(const HsaEventDescriptor &Descriptor,
                             bool ManualReset, bool Signaled) {
  std::lock_guard Lock(Mutex);
  // Id 0 stands for "no event" in signals.
  if (!Mailboxes || Entries.size() >= Capacity - 1)
    return nullptr;
  do
    LastId = LastId % (Capacity - 1) + 1;
  while (Entries.count(LastId));

  auto Event = std::make_unique<HsaEvent>();
  *Event = {};
  Event->EventId = LastId;
  HsaEventData &Data = Event->EventData;
  Data.EventType = Descriptor.EventType;
  Data.EventData.SyncVar = Descriptor.SyncVar;
  mailbox(LastId) = 0;
  Data.HWData2 = reinterpret_cast<uint64_t>(&mailbox(LastId));
  Data.HWData3 = LastId;

  Entry &New = Entries[LastId];
  New.Event = std::move(Event);
  New.ManualReset = ManualReset;
  New.Signaled = Signaled;
  return New.Event.get();
}

bool EventTable::destroy(HsaEvent *Event) {
  {
    std::lock_guard Lock(Mutex);
    auto It = Entries.find(Event->EventId);
    if (It == Entries.end() || It->second.Event.get() != Event)
      return false;
    Entries.erase(It);
  }
  Raised.notify_all();
  return true;
}

void EventTable::raise(uint32_t EventId) {
  {
    std::lock_guard Lock(Mutex);
    auto It = Entries.find(EventId);
    if (It == Entries.end())
      return;
    signal(It->second);
    // Else the next raiseFromMailboxes() would find it again.
    mailbox(EventId) = 0;
  }
  Raised.notify_all();
}

void EventTable::raiseFromMailboxes() {
  {
    std::lock_guard Lock(Mutex);
    for (auto &[Id, Event] : Entries)
      if (__atomic_exchange_n(&mailbox(Id), 0, __ATOMIC_ACQ_REL) != 0)
        signal(Event);
  }
  Raised.notify_all();
}

bool EventTable::raiseMemoryFault(uint32_t NodeId, uint64_t Address) {
  bool Any = false;
  {
    std::lock_guard Lock(Mutex);
    for (auto &[Id, Event] : Entries) {
      if (Event.Event->EventData.EventType != HSA_EVENTTYPE_MEMORY)
        continue;
      Event.Fault = {};
      Event.Fault.NodeId = NodeId;
      Event.Fault.VirtualAddress = Address;
      Event.Fault.Failure.NotPresent = 1;
      Event.Fault.Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS;
      signal(Event);
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

HSAKMT_STATUS EventTable::wait(llvm::ArrayRef<HsaEvent *> Events, bool All,
                               uint32_t Milliseconds) {
  std::unique_lock Lock(Mutex);
  // The events themselves may be destroyed while this thread sleeps.
  struct Awaited {
    uint32_t Id;
    uint64_t NumRaised;
  };
  llvm::SmallVector<Awaited, 8> Ids;
  for (const HsaEvent *Event : Events) {
    auto It = Entries.find(Event->EventId);
    Ids.push_back(
        {Event->EventId, It == Entries.end() ? 0 : It->second.NumRaised});
  }
  // Nothing would ever signal an event that was destroyed meanwhile.
  auto Done = [&](const Awaited &A) {
    auto It = Entries.find(A.Id);
    return It == Entries.end() || It->second.Signaled ||
           It->second.NumRaised != A.NumRaised;
  };
  auto Ready = [&] {
    return All ? llvm::all_of(Ids, Done) : llvm::any_of(Ids, Done);
  };
  bool IsReady = true;
  ++NumWaiting;
  if (Milliseconds == HSA_EVENTTIMEOUT_INFINITE)
    Raised.wait(Lock, Ready);
  else
    IsReady =
        Raised.wait_for(Lock, std::chrono::milliseconds(Milliseconds), Ready);
  --NumWaiting;
  if (!IsReady)
    return HSAKMT_STATUS_WAIT_TIMEOUT;
  for (const Awaited &A : Ids) {
    auto It = Entries.find(A.Id);
    if (It == Entries.end() || !Done(A))
      continue;
    Entry &Found = It->second;
    HsaEvent *Event = Found.Event.get();
    if (!Found.ManualReset)
      Found.Signaled = false;
    // The waiter looks at its own event for what happened.
    if (Event->EventData.EventType == HSA_EVENTTYPE_MEMORY)
      Event->EventData.EventData.MemoryAccessFault = Found.Fault;
  }
  return HSAKMT_STATUS_SUCCESS;
}

} // namespace luthier::emulator
