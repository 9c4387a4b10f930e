// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/PacketThrottle.h"
#include "runtime/HsaApi.h"
#include <algorithm>

namespace luthier::runtime {

hsa_status_t PacketThrottle::open(uint32_t QueueSize) {
  // The processor publishes its read index in blocks of a few packets, and ROCr
  // wants a free slot besides; a quarter of the ring covers both generously.
  Capacity = std::max(QueueSize - QueueSize / 4, 2u);
  // A processor that stands still has published it.
  Limit = std::max(QueueSize - QueueSize / 64 - 1, 2u);
  // Few markers, and few packets that nobody knows to be done.
  Interval = std::max({QueueSize / 32, std::min(QueueSize / 8, 16u), 1u});
  Markers.resize(Limit / Interval + 1);
  for (MarkerSlot &Marker : Markers)
    if (hsa_status_t Status =
            coreApi().hsa_signal_create_fn(0, 0, nullptr, &Marker.Signal);
        Status != HSA_STATUS_SUCCESS)
      return Status;
  return HSA_STATUS_SUCCESS;
}

PacketThrottle::~PacketThrottle() {
  if (!isHsaOpen())
    return;
  for (MarkerSlot &Marker : Markers)
    if (Marker.Signal.handle)
      coreApi().hsa_signal_destroy_fn(Marker.Signal);
}

bool PacketThrottle::waitForRoom(uint64_t Count,
                                 const std::function<bool()> &GiveUp) {
  // With the marker that may follow. More than the ring holds go in pieces, by
  // ROCr's own means.
  auto isFull = [&] {
    return Submitted + Count + 1 - Reached >
           (IdleSlices < SlicesToStandstill ? Capacity : Limit);
  };
  while (isFull() && FirstBusy != NextFree) {
    MarkerSlot &Oldest = Markers[FirstBusy % Markers.size()];
    constexpr uint64_t Slice = 25'000'000; // Ticks of 1 ns or 10 ns.
    if (coreApi().hsa_signal_wait_scacquire_fn(
            Oldest.Signal, HSA_SIGNAL_CONDITION_LT, 1, Slice,
            HSA_WAIT_STATE_BLOCKED) < 1) {
      Reached = Oldest.Position;
      ++FirstBusy;
      IdleSlices = 0;
    } else if (GiveUp()) {
      return false;
    } else if (IdleSlices < SlicesToStandstill) {
      ++IdleSlices;
    }
  }
  return true;
}

bool PacketThrottle::submitted(uint64_t Count,
                               hsa_barrier_and_packet_t &Marker) {
  Submitted += Count;
  uint64_t LastMarker =
      NextFree ? Markers[(NextFree - 1) % Markers.size()].Position : 0;
  // The limit holds fewer intervals than there are slots, so one is free.
  if (Submitted - LastMarker < Interval ||
      NextFree - FirstBusy == Markers.size())
    return false;
  MarkerSlot &Slot = Markers[NextFree++ % Markers.size()];
  Slot.Position = ++Submitted;
  coreApi().hsa_signal_store_relaxed_fn(Slot.Signal, 1);
  Marker = {};
  Marker.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE;
  Marker.completion_signal = Slot.Signal;
  return true;
}

} // namespace luthier::runtime
