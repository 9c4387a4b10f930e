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

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_SCRATCH_H
