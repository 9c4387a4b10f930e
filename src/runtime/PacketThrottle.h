// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps an intercepted queue from overflowing.
//
// The application sees a ring of its own; ROCr moves each packet on to a second
// ring, the hardware's, in the thread that rings the doorbell, and frees the
// application's slot at once. So the application cannot know when the hardware
// is behind, and ROCr up to 5.2 fails an assertion at the second packet that
// does not fit: a loop of a few thousand launches would end the program. (Later
// versions stop in time.) Therefore the submitting thread waits here for room,
// as it would wait for room in a queue that is not intercepted.
//
// The hardware ring's read index is not accessible, so every few packets a
// marker is submitted: a barrier packet without dependencies that signals when
// the packet processor gets to it. It holds up nothing.
//
// A processor may wait for something that the submitting thread does only after
// more packets. So where it stands still, the last part of the ring is used,
// too; what fits without Luthier by the last few packets alone does not fit.
#ifndef LUTHIER_RUNTIME_PACKETTHROTTLE_H
#define LUTHIER_RUNTIME_PACKETTHROTTLE_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <functional>
#include <hsa/hsa.h>

namespace luthier::runtime {

/// Of one queue. ROCr calls one thread at a time for a queue, so there is no
/// lock here.
class PacketThrottle {
public:
  PacketThrottle() = default;
  /// \p QueueSize in packets. Fails if signals cannot be had.
  hsa_status_t open(uint32_t QueueSize);
  /// The queue has to be destroyed already.
  ~PacketThrottle();
  PacketThrottle(const PacketThrottle &) = delete;
  PacketThrottle &operator=(const PacketThrottle &) = delete;

  /// Returns when there is room for \p Count packets. False if \p GiveUp said
  /// so first; it is asked several times a second while waiting.
  bool waitForRoom(uint64_t Count, const std::function<bool()> &GiveUp);

  /// Counts packets about to be submitted. Returns true when \p Marker was
  /// filled in and is to be submitted behind them.
  bool submitted(uint64_t Count, hsa_barrier_and_packet_t &Marker);

private:
  struct MarkerSlot {
    hsa_signal_t Signal = {0};
    uint64_t Position = 0; ///< Packets submitted up to and with the marker.
  };

  uint64_t Submitted = 0; ///< Packets of both kinds.
  uint64_t Reached = 0;   ///< Packets the packet processor is known to be past.
  uint64_t Capacity = 0;  ///< Packets under way, while they move.
  uint64_t Limit = 0;     ///< And where they do not.
  uint64_t Interval = 0;  ///< Packets from marker to marker.
  static constexpr unsigned SlicesToStandstill = 4;
  unsigned IdleSlices = 0; ///< Without progress, of waiting.
  // A ring: markers FirstBusy up to NextFree are under way.
  llvm::SmallVector<MarkerSlot, 0> Markers;
  uint64_t FirstBusy = 0, NextFree = 0;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_PACKETTHROTTLE_H
