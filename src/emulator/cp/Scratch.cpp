// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/Scratch.h"

namespace luthier::emulator {

ScratchBinding readScratchBinding(const DeviceModel &Model,
                                  const amd_queue_t &Queue) {
  const TmpringLayout &Layout = Model.target().Tmpring;
  const uint32_t Tmpring = Queue.compute_tmpring_size;
  ScratchBinding Bound;
  for (unsigned I = 0; I < 4; ++I)
    Bound.Resource[I] = Queue.scratch_resource_descriptor[I];
  Bound.Base = Queue.scratch_backing_memory_location;
  Bound.BytesPerWave =
      uint64_t((Tmpring >> 12) & ((1u << Layout.WaveSizeBits) - 1)) *
      Layout.WaveSizeUnit;
  Bound.Waves = Tmpring & 0xfff;
  if (Layout.CountsPerEngine)
    Bound.Waves *= Model.ShaderEngines;
  return Bound;
}

bool sufficesFor(const ScratchBinding &Bound, uint32_t BytesPerLane,
                 unsigned WaveSize, uint64_t WavesPerGroup) {
  return uint64_t(BytesPerLane) * WaveSize <= Bound.BytesPerWave &&
         WavesPerGroup <= Bound.Waves;
}

} // namespace luthier::emulator
