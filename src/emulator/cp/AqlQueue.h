// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compute queue of AQL packets. Packets run one after the other, which every
// header barrier bit and every barrier packet permits.
#ifndef LUTHIER_EMULATOR_CP_AQLQUEUE_H
#define LUTHIER_EMULATOR_CP_AQLQUEUE_H

#include "emulator/core/GlobalWaveSync.h"
#include "emulator/cp/DeviceState.h"
#include "emulator/cp/KernelObject.h"
#include "emulator/cp/Queue.h"
#include "emulator/cp/QueueError.h"
#include "emulator/cp/QueueMemory.h"
#include "emulator/cp/Scratch.h"
#include <hsa/amd_hsa_queue.h>
#include <hsa/hsa.h>

namespace luthier::emulator {

class AqlQueue final : public Queue {
public:
  AqlQueue(DeviceState &Device, const QueueMemory &Memory);
  ~AqlQueue() override { stop(); }
  bool allowGlobalSync() override;
  bool setUnitMask(std::vector<uint32_t> Mask) override;

protected:
  bool processPacket() override;
  /// Not for packets that were reserved before others were rung for, nor where
  /// time passes.
  bool waitsForRing() const override { return Next >= Limit && !FailedAt; }

private:
  /// What became of a packet.
  enum class Outcome {
    Done,    ///< To be retired and its signal completed.
    Stopped, ///< The queue is being stopped, or has failed, in its middle.
  };

  bool packetAvailable();
  Outcome dispatch(hsa_kernel_dispatch_packet_t &Packet);
  Outcome barrier(const hsa_barrier_and_packet_t &Packet, bool All);
  Outcome vendorSpecific(const void *Packet);
  Outcome barrierValue(const void *Packet);
  void retire(uint16_t &Header, hsa_signal_t Completion, uint64_t StartTicks);

  QueueError checkDispatch(const hsa_kernel_dispatch_packet_t &Packet,
                           std::string &Reason) const;
  /// Has ROCr bind more scratch until the dispatch fits.
  Outcome bindScratch(const hsa_kernel_dispatch_packet_t &Packet,
                      const KernelObject &Object, ScratchBinding &Bound);
  Outcome reclaimScratch();
  /// Asks through the inactive signal and waits for the answer.
  bool request(QueueError What);

  /// Nothing more runs on this queue; ROCr is told why.
  /// \p PC is where a kernel stopped, or zero.
  Outcome fail(QueueError Error, const std::string &Message, uint64_t PC = 0);
  Outcome fail(const ExecutionFault &Fault);
  void tell(QueueError Error);
  void checkFailureHandled() const;

  DeviceState &Device;
  QueueMemory Memory;
  amd_queue_t &HsaQueue;
  ScratchLease Lease;
  /// Index of the next packet, and of the first the doorbell did not ring for.
  uint64_t Next = 0;
  uint64_t Limit = 0;
  /// Host time of the failure, which somebody has to react to, or 0.
  uint64_t FailedAt = 0;
  /// The driver has told the process, and what that does about it is its own.
  bool HasFaulted = false;
  GlobalWaveSync Sync;
  std::atomic<bool> HasSync{false};
  std::mutex MaskMutex;
  std::vector<uint32_t> UnitMask;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_AQLQUEUE_H
