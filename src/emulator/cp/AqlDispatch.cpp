// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel dispatch packets: checks, scratch, and the hand-over to the shaders.
#include "emulator/cp/AqlQueue.h"

#include "emulator/cp/Clock.h"
#include "emulator/cp/Report.h"
#include "emulator/cp/Signal.h"
#include "llvm/ADT/StringExtras.h"

namespace luthier::emulator {

static uint64_t workItemsPerGroup(const hsa_kernel_dispatch_packet_t &Packet) {
  return uint64_t(Packet.workgroup_size_x) * Packet.workgroup_size_y *
         Packet.workgroup_size_z;
}

QueueError AqlQueue::checkDispatch(const hsa_kernel_dispatch_packet_t &Packet,
                                   std::string &Reason) const {
  constexpr uint64_t MaxWorkItemsPerGroup = 1024;
  // Some runtimes leave the number at 0. Firmware refuses what is above 3, as
  // AMD's own test of the runtime expects (rocrtst,
  // Queue_Validation_InvalidDimension).
  constexpr unsigned MaxDimensions = 3;
  if (Packet.setup > MaxDimensions) {
    Reason = "setup " + std::to_string(Packet.setup) +
             " is more than three dimensions";
    return QueueError::InvalidDimensions;
  }
  const uint64_t WorkItems = workItemsPerGroup(Packet);
  if (WorkItems == 0 || Packet.grid_size_x == 0 || Packet.grid_size_y == 0 ||
      Packet.grid_size_z == 0) {
    Reason = "a grid or workgroup dimension is 0";
    return QueueError::InvalidDimensions;
  }
  if (WorkItems > MaxWorkItemsPerGroup) {
    Reason = "a workgroup of " + std::to_string(WorkItems) +
             " work-items is larger than " +
             std::to_string(MaxWorkItemsPerGroup);
    return QueueError::WorkgroupTooLarge;
  }
  if (Packet.group_segment_size > Device.model().ldsBytes()) {
    Reason = std::to_string(Packet.group_segment_size) +
             " bytes of group memory are more than the device's " +
             std::to_string(Device.model().ldsBytes());
    return QueueError::InvalidGroupMemory;
  }
  return QueueError::None;
}

AqlQueue::Outcome AqlQueue::dispatch(hsa_kernel_dispatch_packet_t &Packet) {
  std::string Reason;
  std::optional<KernelObject> Object =
      readKernelObject(Device.memory(), Packet.kernel_object);
  QueueError Error =
      Object ? checkDispatch(Packet, Reason) : QueueError::InvalidKernelObject;
  if (!Object)
    Reason = "there is no kernel object at 0x" +
             llvm::utohexstr(Packet.kernel_object, /*LowerCase=*/true);
  Dispatch Work;
  if (Object) {
    const KernelSymbol Symbol =
        Device.kernelNames().lookup(Packet.kernel_object, *Object);
    Work.KernelName = Symbol.Name;
    Work.CodeBase = Symbol.CodeBase;
  }
  if (Error != QueueError::None)
    return fail(Error,
                (Work.KernelName.empty() ? "dispatch" : Work.KernelName) +
                    ": " + Reason);

  ScratchBinding Bound = readScratchBinding(Device.model(), HsaQueue);
  if (Packet.private_segment_size != 0 &&
      bindScratch(Packet, *Object, Bound) != Outcome::Done)
    return Outcome::Stopped;

  Work.EntryPC = Object->EntryPC;
  Work.ComputePgmRsrc1 = Object->ComputePgmRsrc1;
  Work.ComputePgmRsrc2 = Object->ComputePgmRsrc2;
  Work.ComputePgmRsrc3 = Object->ComputePgmRsrc3;
  Work.KernelCodeProperties = Object->Properties;
  Work.KernargPreload = Object->KernargPreload;
  Work.GridSize = {Packet.grid_size_x, Packet.grid_size_y, Packet.grid_size_z};
  Work.WorkgroupSize = {Packet.workgroup_size_x, Packet.workgroup_size_y,
                        Packet.workgroup_size_z};
  Work.PrivateSegmentSize = Packet.private_segment_size;
  Work.GroupSegmentSize = Packet.group_segment_size;
  Work.KernargAddress = reinterpret_cast<uint64_t>(Packet.kernarg_address);
  Work.PacketAddress = reinterpret_cast<uint64_t>(&Packet);
  Work.DispatchId = Next;
  Work.QueueAddress = reinterpret_cast<uint64_t>(&HsaQueue);
  Work.ScratchResource = Bound.Resource;
  Work.ScratchBase = Bound.Base;
  Work.ScratchBytesPerWave = Bound.BytesPerWave;
  Work.ScratchWaves = Bound.Waves;
  {
    std::lock_guard Lock(MaskMutex);
    Work.UnitMask = UnitMask;
  }
  Work.Sync = HasSync.load() ? &Sync : nullptr;
  Work.Cancel = &stopping();
  if (DispatchJudge *Judge = Device.judge())
    Judge->judge(Packet, Work, Device.model(), Device.memory());

  DispatchCounts Counts;
  Statistics &Stats = Device.statistics();
  const uint64_t Start = hostNanoseconds(), StartThread = threadNanoseconds();
  Stats.begin(Start);
  std::optional<ExecutionFault> Fault = Device.shaders().run(Work, Counts);
  const uint64_t End = hostNanoseconds();
  Stats.end(End);
  Stats.add(Work.KernelName, Counts,
            {End - Start, threadNanoseconds() - StartThread});
  if (Fault)
    return fail(*Fault);
  return reclaimScratch();
}

/// A packet loses what is bound for it when the runtime lends it to another
/// queue, which it does now and then; never so often in a row.
static constexpr unsigned MostScratchRequests = 1000;

AqlQueue::Outcome
AqlQueue::bindScratch(const hsa_kernel_dispatch_packet_t &Packet,
                      const KernelObject &Object, ScratchBinding &Bound) {
  const unsigned WaveSize = Object.isWave32() ? 32 : 64;
  const uint64_t WavesPerGroup =
      (workItemsPerGroup(Packet) + WaveSize - 1) / WaveSize;
  bool Fits = false, MayUse = false;
  unsigned Answers = 0;
  auto Take = [&] {
    Bound = readScratchBinding(Device.model(), HsaQueue);
    Fits = sufficesFor(Bound, Packet.private_segment_size, WaveSize,
                       WavesPerGroup);
    MayUse = Fits && Lease.use(Next);
  };
  Lease.agree();
  while (whileActive(Take)) {
    if (MayUse)
      return Outcome::Done;
    // What was bound for this packet can have been taken back before it began.
    const bool IsTooLittle = Answers != 0 && !Fits && Bound.BytesPerWave != 0;
    if (IsTooLittle || (Answers != 0 && !Lease.agree()))
      return fail(QueueError::Exception,
                  "the runtime bound too little scratch: " +
                      std::to_string(Packet.private_segment_size) +
                      " bytes per work-item are needed, " +
                      std::to_string(Bound.BytesPerWave / WaveSize) +
                      " are there for " + std::to_string(Bound.Waves) +
                      " waves");
    if (Answers == MostScratchRequests)
      return fail(QueueError::Exception,
                  "the runtime bound no scratch, though it answered " +
                      std::to_string(Answers) + " requests: " +
                      std::to_string(Packet.private_segment_size) +
                      " bytes per work-item are needed");
    // ROCr looks the need up in the packet at the read index, so it must not
    // have advanced yet.
    if (!request(WaveSize == 32 ? QueueError::InsufficientScratchWave32
                                : QueueError::InsufficientScratchWave64))
      return Outcome::Stopped;
    ++Answers;
  }
  return Outcome::Stopped;
}

/// A large binding is for one dispatch only; the runtime wants it back.
AqlQueue::Outcome AqlQueue::reclaimScratch() {
  if (!(HsaQueue.queue_properties & AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE))
    return Outcome::Done;
  if (!request(QueueError::ReclaimScratch))
    return Outcome::Stopped;
  // ROCr clears the property after it has answered.
  const bool Cleared = waitUntil([&] {
    return !(__atomic_load_n(&HsaQueue.queue_properties, __ATOMIC_ACQUIRE) &
             AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE);
  });
  return Cleared ? Outcome::Done : Outcome::Stopped;
}

} // namespace luthier::emulator
