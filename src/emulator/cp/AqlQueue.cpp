// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/AqlQueue.h"

#include "emulator/cp/Clock.h"
#include "emulator/cp/Report.h"
#include "emulator/cp/Signal.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstdlib>
#include <hsa/hsa_ext_amd.h>

namespace luthier::emulator {

static constexpr uint64_t PacketBytes = 64;

/// The device is given the read index; the queue it belongs to surrounds it.
static amd_queue_t &queueAround(uint64_t *ReadIndex) {
  return *reinterpret_cast<amd_queue_t *>(
      reinterpret_cast<char *>(ReadIndex) -
      offsetof(amd_queue_t, read_dispatch_id));
}

AqlQueue::AqlQueue(DeviceState &Device, const QueueMemory &Memory)
    : Queue(Memory.Doorbell, Memory.Watch), Device(Device), Memory(Memory),
      HsaQueue(queueAround(Memory.ReadIndex)), Lease(Device.model(), HsaQueue),
      Next(__atomic_load_n(Memory.ReadIndex, __ATOMIC_ACQUIRE)), Limit(Next) {}

/// Producers may ring out of order, so the value alone does not say how far to
/// go: a doorbell for a later packet may have been overwritten before it was
/// seen. Any ring therefore covers all that was reserved until then; packets
/// not written yet are told by their header.
bool AqlQueue::packetAvailable() {
  constexpr uint64_t NotRung = ~uint64_t(0);
  if (__atomic_load_n(Memory.Doorbell, __ATOMIC_RELAXED) != NotRung) {
    const uint64_t Rung =
        __atomic_exchange_n(Memory.Doorbell, NotRung, __ATOMIC_ACQ_REL);
    if (Rung != NotRung)
      Limit = std::max({Limit, Rung + 1,
                        __atomic_load_n(Memory.WriteIndex, __ATOMIC_ACQUIRE)});
  }
  return Next < Limit;
}

bool AqlQueue::allowGlobalSync() {
  HasSync.store(true);
  return true;
}

/// Where units come in pairs, so do their bits, as Linux's driver wants it
/// (pqm_update_mqd()).
bool AqlQueue::setUnitMask(std::vector<uint32_t> Mask) {
  constexpr uint32_t First = 0x55555555;
  if (Device.model().target().HasWorkgroupPairs &&
      std::ranges::any_of(Mask, [](uint32_t Bits) {
        return (Bits & First) != (Bits >> 1 & First);
      }))
    return false;
  std::lock_guard Lock(MaskMutex);
  UnitMask = std::move(Mask);
  return true;
}

bool AqlQueue::processPacket() {
  if (HasFaulted)
    return false;
  if (FailedAt) {
    checkFailureHandled();
    return false;
  }
  if (!packetAvailable())
    return false;
  const uint64_t Slot = Next % (Memory.RingBytes / PacketBytes);
  const uint64_t Address = Memory.Ring + Slot * PacketBytes;
  uint16_t &Header = *reinterpret_cast<uint16_t *>(Address);
  const uint16_t HeaderValue = __atomic_load_n(&Header, __ATOMIC_ACQUIRE);
  const unsigned Type = HeaderValue & 0xff;
  if (Type == HSA_PACKET_TYPE_INVALID)
    return false;

  const uint64_t StartTicks = deviceTicks();
  auto *Dispatch = reinterpret_cast<hsa_kernel_dispatch_packet_t *>(Address);
  const auto *Barrier =
      reinterpret_cast<const hsa_barrier_and_packet_t *>(Address);
  Outcome Result;
  switch (Type) {
  case HSA_PACKET_TYPE_KERNEL_DISPATCH:
    Result = dispatch(*Dispatch);
    break;
  case HSA_PACKET_TYPE_BARRIER_AND:
    Result = barrier(*Barrier, /*All=*/true);
    break;
  case HSA_PACKET_TYPE_BARRIER_OR:
    Result = barrier(*Barrier, /*All=*/false);
    break;
  case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
    Result = vendorSpecific(Barrier);
    break;
  default:
    Result = fail(QueueError::InvalidPacket,
                  "packet type " + std::to_string(Type) +
                      " is not supported on a compute queue");
    break;
  }
  if (Result == Outcome::Done)
    // All packet types end in their completion signal.
    retire(Header, Dispatch->completion_signal, StartTicks);
  return true;
}

/// The slot is free before the signal says so: a producer that waited for the
/// signal may reuse it.
void AqlQueue::retire(uint16_t &Header, hsa_signal_t Completion,
                      uint64_t StartTicks) {
  __atomic_store_n(&Header, uint16_t(HSA_PACKET_TYPE_INVALID),
                   __ATOMIC_RELEASE);
  ++Next;
  __atomic_store_n(Memory.ReadIndex, Next, __ATOMIC_RELEASE);
  // Profilers divide by the duration.
  const uint64_t EndTicks = std::max(deviceTicks(), StartTicks + 1);
  completeSignal(Completion, StartTicks, EndTicks, Device.host());
}

AqlQueue::Outcome AqlQueue::barrier(const hsa_barrier_and_packet_t &Packet,
                                    bool All) {
  const bool Met = waitUntil([&] {
    bool AnySignal = false, AnyZero = false, AllZero = true;
    for (hsa_signal_t Dependency : Packet.dep_signal) {
      if (!Dependency.handle)
        continue;
      AnySignal = true;
      const bool Zero = loadSignal(Dependency) == 0;
      AnyZero |= Zero;
      AllZero &= Zero;
    }
    return All ? AllZero : AnyZero || !AnySignal;
  });
  return Met ? Outcome::Done : Outcome::Stopped;
}

AqlQueue::Outcome AqlQueue::vendorSpecific(const void *Packet) {
  // A PM4 indirect buffer; ROCr sends one after it has loaded code, to have
  // the instruction caches invalidated, and nothing else that concerns us.
  constexpr uint8_t FormatPm4IndirectBuffer = 1;
  const uint8_t Format =
      static_cast<const hsa_amd_vendor_packet_header_t *>(Packet)->AmdFormat;
  switch (Format) {
  case FormatPm4IndirectBuffer:
    Device.shaders().invalidateCode(0, ~uint64_t(0));
    return Outcome::Done;
  case HSA_AMD_PACKET_TYPE_BARRIER_VALUE:
    return barrierValue(Packet);
  default:
    return fail(QueueError::InvalidPacket, "vendor-specific packet format " +
                                               std::to_string(Format) +
                                               " is not supported");
  }
}

AqlQueue::Outcome AqlQueue::barrierValue(const void *Memory) {
  const auto &Packet =
      *static_cast<const hsa_amd_barrier_value_packet_t *>(Memory);
  if (!Packet.signal.handle)
    return Outcome::Done;
  const bool Met = waitUntil([&] {
    const int64_t Value = loadSignal(Packet.signal) & Packet.mask;
    switch (Packet.cond) {
    case HSA_SIGNAL_CONDITION_EQ:
      return Value == Packet.value;
    case HSA_SIGNAL_CONDITION_NE:
      return Value != Packet.value;
    case HSA_SIGNAL_CONDITION_LT:
      return Value < Packet.value;
    default:
      return Value >= Packet.value;
    }
  });
  return Met ? Outcome::Done : Outcome::Stopped;
}

bool AqlQueue::request(QueueError What) {
  const hsa_signal_t Inactive = HsaQueue.queue_inactive_signal;
  if (!Inactive.handle)
    return false;
  storeSignal(Inactive, int64_t(What), Device.host());
  int64_t Answer = 0;
  // While ROCr waits for another queue to return memory the value stays, with
  // the sign bit in use; -1 says that there is none to be had.
  const bool Answered = waitUntil([&] {
    Answer = loadSignal(Inactive);
    return Answer == 0 || Answer == -1;
  });
  return Answered && Answer == 0;
}

AqlQueue::Outcome AqlQueue::fail(QueueError Error, const std::string &Message,
                                 uint64_t PC) {
  reportError(Message);
  Device.host().explainFault(PC);
  Device.host().prepareForEnd();
  FailedAt = hostNanoseconds();
  tell(Error);
  return Outcome::Stopped;
}

/// As Linux's driver does it since 6.5 (send_exception_work_handler()).
void AqlQueue::tell(QueueError Error) {
  const SaveAreaHeader *Header = Memory.SaveArea;
  if (!Header || !Header->Exceptions) {
    storeSignal(HsaQueue.queue_inactive_signal, int64_t(Error), Device.host());
    return;
  }
  const uint32_t Event = Header->ExceptionEvent;
  __atomic_fetch_or(reinterpret_cast<uint64_t *>(Header->Exceptions),
                    exceptionMask(Error), __ATOMIC_SEQ_CST);
  Device.host().raiseEvent(Event);
}

AqlQueue::Outcome AqlQueue::fail(const ExecutionFault &Fault) {
  switch (Fault.What) {
  case ExecutionFault::Kind::MemoryViolation:
    // Not a queue error: the driver reports these for the whole process.
    reportError(Fault.Message);
    Device.host().explainFault(Fault.PC);
    Device.host().prepareForEnd();
    HasFaulted = true;
    Device.host().reportMemoryFault(Fault.Address);
    return Outcome::Stopped;
  case ExecutionFault::Kind::UnknownOperation:
  case ExecutionFault::Kind::IllegalInstruction:
    return fail(QueueError::IllegalInstruction, Fault.Message, Fault.PC);
  case ExecutionFault::Kind::Misaligned:
    return fail(QueueError::ApertureViolation, Fault.Message, Fault.PC);
  case ExecutionFault::Kind::InvalidDispatch:
    return fail(QueueError::WorkgroupTooLarge, Fault.Message);
  case ExecutionFault::Kind::Cancelled:
    return Outcome::Stopped;
  case ExecutionFault::Kind::Trap:
  case ExecutionFault::Kind::Deadlock:
  case ExecutionFault::Kind::Violation:
  case ExecutionFault::Kind::NoProgress:
    break;
  }
  return fail(QueueError::Exception, Fault.Message, Fault.PC);
}

/// ROCr suspends a queue whose error it has seen, after which packets are not
/// looked at any more. If nobody does, the application waits for ever.
void AqlQueue::checkFailureHandled() const {
  constexpr uint64_t Patience = 20'000'000'000;
  if (hostNanoseconds() - FailedAt < Patience)
    return;
  reportError("nobody reacted to the error above; giving up");
  std::abort();
}

} // namespace luthier::emulator
