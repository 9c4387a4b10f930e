// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scratch memory a queue has bound, as its amd_queue_t describes it.
#ifndef LUTHIER_EMULATOR_CP_SCRATCH_H
#define LUTHIER_EMULATOR_CP_SCRATCH_H

#include "emulator/cp/DeviceModel.h"
#include <array>
#include <cstdint>
#include <hsa/amd_hsa_queue.h>

namespace luthier::emulator {

struct ScratchBinding {
  std::array<uint32_t, 4> Resource{};
  uint64_t Base = 0;
  uint64_t BytesPerWave = 0;
  uint32_t Waves = 0;
};

ScratchBinding readScratchBinding(const DeviceModel &Model,
                                  const amd_queue_t &Queue);

/// Whether a dispatch fits that needs \p BytesPerLane in waves of \p WaveSize,
/// and at least \p WavesPerGroup of them at a time.
bool sufficesFor(const ScratchBinding &Bound, uint32_t BytesPerLane,
                 unsigned WaveSize, uint64_t WavesPerGroup);

/// The runtime's right to take scratch back that a queue has bound, which ROCm
/// has since 6.2: it suspends the queue, learns which packet has used it last,
/// says up to which packet it may be used, and waits until that one is done.
/// What belongs to it in the queue's memory only newer headers name
/// (amd_queue_v2_t).
class ScratchLease {
public:
  ScratchLease(const DeviceModel &Model, amd_queue_t &Queue)
      : Lends(Model.LendsScratch), Queue(Queue) {}
  /// Whether the runtime takes scratch back and the device takes part, which
  /// the runtime is told then.
  bool agree();
  /// Whether the packet may use what is bound, and then it counts as the last.
  /// Not while the queue is suspended.
  bool use(uint64_t Packet);

private:
  template <class T> T &at(unsigned Offset) const;
  const bool Lends;
  amd_queue_t &Queue;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_SCRATCH_H
