// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A DMA engine's queue: copies, fills and the packets that order them.
#ifndef LUTHIER_EMULATOR_CP_SDMAQUEUE_H
#define LUTHIER_EMULATOR_CP_SDMAQUEUE_H

#include "emulator/cp/DeviceState.h"
#include "emulator/cp/Queue.h"
#include "emulator/cp/QueueMemory.h"

namespace luthier::emulator {

class SdmaQueue final : public Queue {
public:
  SdmaQueue(DeviceState &Device, const QueueMemory &Memory)
      : Queue(Memory.Doorbell, Memory.Watch), Device(Device), Memory(Memory) {}
  ~SdmaQueue() override { stop(); }

protected:
  bool processPacket() override;

private:
  /// Word \p Index of the packet at the read position; rings wrap anywhere.
  uint32_t word(unsigned Index) const;
  /// A 64-bit field, low word first.
  uint64_t wide(unsigned Index) const;

  // Each returns the packet's length in words, or 0 if the queue cannot go on.
  unsigned copy();
  unsigned copyLinear();
  unsigned copyRectangle();
  unsigned fill();
  unsigned fence();
  unsigned poll();
  unsigned atomic();
  unsigned timestamp();
  unsigned trap();

  /// Host address of the device's memory, or null and a fault.
  void *access(uint64_t Address, uint64_t Size);
  unsigned unsupported();

  DeviceState &Device;
  QueueMemory Memory;
  uint64_t Position = 0; ///< Bytes, never wraps.
  bool Failed = false;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_SDMAQUEUE_H
