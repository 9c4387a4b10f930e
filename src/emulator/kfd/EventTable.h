// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events as the kernel driver has them: what interrupts from the device wake.
// Signal events have a slot, eight bytes that the device writes, in a page that
// the runtime provides; all have an age, which tells a waiter what it missed.
#ifndef LUTHIER_EMULATOR_KFD_EVENTTABLE_H
#define LUTHIER_EMULATOR_KFD_EVENTTABLE_H

#include "emulator/kfd/Interface.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>

namespace luthier::emulator {

/// Thread-safe. Functions that return an int return 0 or what errno shall be.
class EventTable {
public:
  /// The slots, once there are any: Capacity times eight bytes.
  void setSlots(uint64_t *Page);
  bool hasSlots();

  /// 0 if all are in use. \p Type is KFD_IOC_EVENT_*. The slot of a signal
  /// event is its id.
  uint32_t create(uint32_t Type, bool AutoReset);
  int destroy(uint32_t Id);
  /// From the runtime.
  int set(uint32_t Id);
  int reset(uint32_t Id);

  /// From the device; ids of no event are ignored.
  void raise(uint32_t Id);
  /// Raises every event whose slot the device has written.
  void raiseFromSlots();
  /// Raises the memory events. False if there are none.
  bool raiseMemoryFault(uint32_t GpuId, uint64_t Address);

  enum class Outcome { Raised, TimedOut, Destroyed, NoSuchEvent };
  static constexpr uint32_t Forever = UINT32_MAX;
  /// Ids, and ages last seen (0 if the caller knows of none), come in with
  /// \p Events; of those that were raised, what happened goes out. Without
  /// ages, each thread is told once of each raise since the last reset(), also
  /// if another thread took it.
  Outcome wait(llvm::MutableArrayRef<kfd_event_data> Events, bool All,
               uint32_t Milliseconds);
  /// Threads inside wait(): what is raised from now on wakes them.
  unsigned numWaiting();

  /// Slots; those of id 0 is never used.
  static constexpr uint32_t Capacity = KFD_SIGNAL_EVENT_LIMIT;

private:
  /// What a thread that names no ages has seen of an event.
  struct Seen {
    uint64_t Thread;
    uint64_t NumRaised;
  };

  struct Event {
    uint32_t Type = 0;
    /// Ids are given again; this is not.
    uint64_t Serial = 0;
    bool AutoReset = false;
    bool Signaled = false;
    uint64_t Age = 1;
    /// Raising wakes all who wait at that time, also if one of them has taken
    /// the signal before the others look.
    uint64_t NumRaised = 0;
    unsigned NumWaiting = 0;
    /// What the threads that waited last have seen, the latest first. Others
    /// may be told once more.
    llvm::SmallVector<Seen, 2> SeenBy;
    uint64_t NumRaisedAtReset = 0;
    /// Of memory events, once one was raised.
    kfd_hsa_memory_exception_data Fault{};

    bool hasSlot() const {
      return Type == KFD_IOC_EVENT_SIGNAL || Type == KFD_IOC_EVENT_DEBUG_EVENT;
    }
  };
  struct Awaited;

  static void signal(Event &E);
  static bool hasMissed(const Event &E);
  static void noteSeen(Event &E);
  Event *find(uint32_t Id);
  /// Null if the event that was waited for has been destroyed.
  Event *find(const kfd_event_data &Data, const Awaited &A);
  void beginWait(Event &E, const kfd_event_data &Data, Awaited &A);
  void endWait(Event &E, kfd_event_data &Data, const Awaited &A, bool IsDone);

  std::mutex Mutex;
  std::condition_variable Raised;
  std::map<uint32_t, Event> Events;
  uint64_t NumCreated = 0;
  uint32_t LastSlot = 0;
  uint32_t LastOther = Capacity;
  unsigned NumWaiting = 0;
  uint64_t *Slots = nullptr;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_EVENTTABLE_H
