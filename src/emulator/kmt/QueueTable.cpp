// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kmt/QueueTable.h"

#include <sys/mman.h>

namespace luthier::emulator {

QueueTable::QueueTable() {
  void *Pages = ::mmap(nullptr, Capacity * 8, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Pages == MAP_FAILED)
    return;
  Doorbells = static_cast<uint64_t *>(Pages);
  // As the driver does. A forked child that goes on using the parent's queues
  // faults at once; it would wait for ever, because nobody serves them there.
  ::madvise(Doorbells, Capacity * 8, MADV_DONTFORK);
}

HSAKMT_STATUS QueueTable::create(CommandProcessor &Processor,
                                 HSA_QUEUE_TYPE Type, void *Ring,
                                 uint64_t RingBytes,
                                 HsaQueueResource &Resource) {
  const bool IsAql = Type == HSA_QUEUE_COMPUTE_AQL;
  if (!IsAql && Type != HSA_QUEUE_SDMA && Type != HSA_QUEUE_SDMA_XGMI)
    return HSAKMT_STATUS_NOT_SUPPORTED;
  if (!Ring || RingBytes < 64)
    return HSAKMT_STATUS_INVALID_PARAMETER;

  std::lock_guard Lock(Mutex);
  HSA_QUEUEID Id = 1; // ROCr takes 0 for "no queue".
  while (Entries.count(Id))
    ++Id;
  if (!Doorbells || Id >= Capacity)
    return HSAKMT_STATUS_OUT_OF_RESOURCES;

  auto New = std::make_unique<Entry>();
  if (!IsAql) {
    Resource.Queue_read_ptr_aql = &New->ReadIndex;
    Resource.Queue_write_ptr_aql = &New->WriteIndex;
  }
  QueueMemory Memory;
  Memory.Ring = reinterpret_cast<uint64_t>(Ring);
  Memory.RingBytes = RingBytes;
  Memory.ReadIndex = Resource.Queue_read_ptr_aql;
  Memory.WriteIndex = Resource.Queue_write_ptr_aql;
  Memory.Doorbell = &Doorbells[Id];
  *Memory.Doorbell = IsAql ? ~uint64_t(0) : 0;
  New->TheQueue = IsAql ? Processor.createAqlQueue(Memory)
                        : Processor.createSdmaQueue(Memory);
  Resource.QueueId = Id;
  Resource.Queue_DoorBell_aql = Memory.Doorbell;
  Entries[Id] = std::move(New);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS QueueTable::destroy(HSA_QUEUEID Id) {
  std::unique_ptr<Queue> Old;
  {
    std::lock_guard Lock(Mutex);
    auto It = Entries.find(Id);
    if (It == Entries.end() || !It->second->TheQueue)
      return HSAKMT_STATUS_INVALID_HANDLE;
    Old = std::move(It->second->TheQueue);
  }
  // Outside of the lock, because a packet in flight may take its time. The id
  // stays taken, so that nobody else gets the doorbell until then.
  Old.reset();
  std::lock_guard Lock(Mutex);
  Entries.erase(Id);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS QueueTable::setActive(HSA_QUEUEID Id, bool Active) {
  std::lock_guard Lock(Mutex);
  auto It = Entries.find(Id);
  if (It == Entries.end() || !It->second->TheQueue)
    return HSAKMT_STATUS_INVALID_HANDLE;
  It->second->TheQueue->setActive(Active);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS QueueTable::allowGlobalSync(HSA_QUEUEID Id) {
  std::lock_guard Lock(Mutex);
  auto It = Entries.find(Id);
  if (It == Entries.end() || !It->second->TheQueue)
    return HSAKMT_STATUS_INVALID_HANDLE;
  return It->second->TheQueue->allowGlobalSync() ? HSAKMT_STATUS_SUCCESS
                                                 : HSAKMT_STATUS_NOT_SUPPORTED;
}

bool QueueTable::contains(HSA_QUEUEID Id) {
  std::lock_guard Lock(Mutex);
  return Entries.count(Id);
}

} // namespace luthier::emulator
