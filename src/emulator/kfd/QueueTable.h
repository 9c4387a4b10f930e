// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process's queues. Their rings and indices are the runtime's; the
// doorbells are in a page for each device, which the runtime maps.
#ifndef LUTHIER_EMULATOR_KFD_QUEUETABLE_H
#define LUTHIER_EMULATOR_KFD_QUEUETABLE_H

#include "emulator/cp/CommandProcessor.h"
#include "emulator/cp/Queue.h"
#include "emulator/kfd/Interface.h"
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace luthier::emulator {

/// Thread-safe. Functions that return an int return 0 or what errno shall be.
class QueueTable {
public:
  /// Sets the id and the doorbell's place, counted from the begin of the
  /// device's, which the host has at \p Doorbells. \p Watch may be null.
  int create(CommandProcessor &Processor, uint64_t *Doorbells,
             DoorbellWatch *Watch, kfd_ioctl_create_queue_args &Args);
  int destroy(uint32_t Id);
  int setActive(uint32_t Id, bool Active);
  int allowGlobalSync(uint32_t Id);
  int setUnitMask(const kfd_ioctl_set_cu_mask_args &Args);

private:
  /// As many as a device has doorbells.
  static constexpr uint32_t Capacity = 1024;

  Queue *find(uint32_t Id);

  std::mutex Mutex;
  /// Null while it is being destroyed; then the id stays taken.
  std::map<uint32_t, std::unique_ptr<Queue>> Queues;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_QUEUETABLE_H
