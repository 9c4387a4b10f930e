// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/QueueTable.h"

#include <algorithm>
#include <cerrno>

namespace luthier::emulator {

static bool isSdma(uint32_t Type) {
  return Type == KFD_IOC_QUEUE_TYPE_SDMA ||
         Type == KFD_IOC_QUEUE_TYPE_SDMA_XGMI ||
         Type == kfd::QueueTypeSdmaByEngine;
}

int QueueTable::create(CommandProcessor &Processor, uint64_t *Doorbells,
                       DoorbellWatch *Watch,
                       kfd_ioctl_create_queue_args &Args) {
  const bool IsAql = Args.queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
  // There is no queue of PM4 packets.
  if (!IsAql && !isSdma(Args.queue_type))
    return EINVAL;
  constexpr uint32_t PacketBytes = 64;
  if (!Args.ring_base_address || Args.ring_size < PacketBytes ||
      !Args.read_pointer_address || !Args.write_pointer_address)
    return EINVAL;
  std::lock_guard Lock(Mutex);
  uint32_t Id = 0;
  while (Queues.contains(Id))
    ++Id;
  if (Id >= Capacity)
    return ENOMEM;
  QueueMemory Memory;
  Memory.Ring = Args.ring_base_address;
  Memory.RingBytes = Args.ring_size;
  Memory.ReadIndex = reinterpret_cast<uint64_t *>(Args.read_pointer_address);
  Memory.WriteIndex = reinterpret_cast<uint64_t *>(Args.write_pointer_address);
  Memory.Doorbell = &Doorbells[Id];
  Memory.Watch = Watch;
  Memory.SaveArea =
      reinterpret_cast<const SaveAreaHeader *>(Args.ctx_save_restore_address);
  *Memory.Doorbell = IsAql ? UINT64_MAX : 0;
  Queues[Id] = IsAql ? Processor.createAqlQueue(Memory)
                     : Processor.createSdmaQueue(Memory);
  Args.queue_id = Id;
  Args.doorbell_offset = Id * sizeof(uint64_t);
  return 0;
}

int QueueTable::destroy(uint32_t Id) {
  std::unique_ptr<Queue> Old;
  {
    std::lock_guard Lock(Mutex);
    if (!find(Id))
      return EINVAL;
    Old = std::move(Queues[Id]);
  }
  // Ends its thread, which may take as long as the packet in flight.
  Old.reset();
  std::lock_guard Lock(Mutex);
  Queues.erase(Id);
  return 0;
}

Queue *QueueTable::find(uint32_t Id) {
  auto It = Queues.find(Id);
  return It == Queues.end() ? nullptr : It->second.get();
}

int QueueTable::setActive(uint32_t Id, bool Active) {
  std::lock_guard Lock(Mutex);
  Queue *Q = find(Id);
  if (!Q)
    return EINVAL;
  Q->setActive(Active);
  return 0;
}

int QueueTable::allowGlobalSync(uint32_t Id) {
  std::lock_guard Lock(Mutex);
  Queue *Q = find(Id);
  if (!Q)
    return EINVAL;
  return Q->allowGlobalSync() ? 0 : ENODEV;
}

/// As Linux's driver does it (kfd_ioctl_set_cu_mask()), which ignores what is
/// behind the first 1024 bits.
int QueueTable::setUnitMask(const kfd_ioctl_set_cu_mask_args &Args) {
  constexpr uint32_t Bits = 32, Most = 1024;
  if (Args.num_cu_mask == 0 || Args.num_cu_mask % Bits != 0)
    return EINVAL;
  const auto *Words = reinterpret_cast<const uint32_t *>(Args.cu_mask_ptr);
  if (!Words)
    return EFAULT;
  std::lock_guard Lock(Mutex);
  Queue *Q = find(Args.queue_id);
  if (!Q)
    return EFAULT;
  const bool IsTaken =
      Q->setUnitMask({Words, Words + std::min(Args.num_cu_mask, Most) / Bits});
  return IsTaken ? 0 : EINVAL;
}

} // namespace luthier::emulator
