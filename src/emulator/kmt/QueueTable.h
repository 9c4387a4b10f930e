// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process's queues, with the memory the driver provides for them.
#ifndef LUTHIER_EMULATOR_KMT_QUEUETABLE_H
#define LUTHIER_EMULATOR_KMT_QUEUETABLE_H

#include "emulator/cp/CommandProcessor.h"
#include "emulator/cp/Queue.h"
#include <cstdint>
#include <hsakmt.h>
#include <map>
#include <memory>
#include <mutex>

namespace luthier::emulator {

/// Thread-safe.
class QueueTable {
public:
  QueueTable();

  /// For AQL the read and write pointers are the caller's, in \p Resource; for
  /// SDMA they are ours, and returned there. So is the doorbell.
  HSAKMT_STATUS create(CommandProcessor &Processor, HSA_QUEUE_TYPE Type,
                       void *Ring, uint64_t RingBytes,
                       HsaQueueResource &Resource);
  HSAKMT_STATUS destroy(HSA_QUEUEID Id);
  HSAKMT_STATUS setActive(HSA_QUEUEID Id, bool Active);
  HSAKMT_STATUS allowGlobalSync(HSA_QUEUEID Id);
  bool contains(HSA_QUEUEID Id);

private:
  /// Runtimes find a queue by its doorbell's place among this many.
  static constexpr uint32_t Capacity = 1024;

  struct Entry {
    uint64_t ReadIndex = 0;
    uint64_t WriteIndex = 0;
    std::unique_ptr<Queue> TheQueue;
  };

  std::mutex Mutex;
  uint64_t *Doorbells = nullptr;
  std::map<HSA_QUEUEID, std::unique_ptr<Entry>> Entries;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KMT_QUEUETABLE_H
