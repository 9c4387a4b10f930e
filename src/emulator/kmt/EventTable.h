// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events as the driver has them: what interrupts from the device wake.
#ifndef LUTHIER_EMULATOR_KMT_EVENTTABLE_H
#define LUTHIER_EMULATOR_KMT_EVENTTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include <condition_variable>
#include <cstdint>
#include <hsakmt.h>
#include <map>
#include <memory>
#include <mutex>

namespace luthier::emulator {

/// Thread-safe.
class EventTable {
public:
  EventTable();

  /// The page of mailboxes, eight bytes an event, which the device writes.
  uint64_t mailboxes() const { return Mailboxes; }
  uint64_t mailboxBytes() const { return uint64_t(Capacity) * 8; }

  /// Null when all are in use.
  HsaEvent *create(const HsaEventDescriptor &Descriptor, bool ManualReset,
                   bool Signaled);
  bool destroy(HsaEvent *Event);

  void raise(uint32_t EventId);
  /// Raises every event whose mailbox the device has written.
  void raiseFromMailboxes();
  /// Raises the memory events. False if there are none.
  bool raiseMemoryFault(uint32_t NodeId, uint64_t Address);

  HSAKMT_STATUS wait(llvm::ArrayRef<HsaEvent *> Events, bool All,
                     uint32_t Milliseconds);
  /// Threads inside wait(): what is raised from now on wakes them.
  unsigned numWaiting();

private:
  /// As in the kernel driver; runtimes cope with running out.
  static constexpr uint32_t Capacity = 4096;

  struct Entry {
    std::unique_ptr<HsaEvent> Event;
    bool ManualReset = false;
    bool Signaled = false;
    /// Raising wakes all who wait at that time, of which one takes the signal.
    uint64_t NumRaised = 0;
    /// For memory events, once one was raised.
    HsaMemoryAccessFault Fault{};
  };

  uint64_t &mailbox(uint32_t EventId);
  static void signal(Entry &Event) {
    Event.Signaled = true;
    ++Event.NumRaised;
  }

  std::mutex Mutex;
  std::condition_variable Raised;
  std::map<uint32_t, Entry> Entries;
  uint32_t LastId = 0;
  unsigned NumWaiting = 0;
  uint64_t Mailboxes = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KMT_EVENTTABLE_H
