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

// The places of members of amd_queue_v2_t.
static constexpr unsigned CapsOffset = 40, MaxUseOffset = 184,
                          LastUsedOffset = 256;
static constexpr uint32_t DeviceLends = 1 << 0, RuntimeTakesBack = 1 << 1;

template <class T> T &ScratchLease::at(unsigned Offset) const {
  return *reinterpret_cast<T *>(reinterpret_cast<char *>(&Queue) + Offset);
}

bool ScratchLease::agree() {
  auto &Caps = at<uint32_t>(CapsOffset);
  if (!Lends || !(__atomic_load_n(&Caps, __ATOMIC_ACQUIRE) & RuntimeTakesBack))
    return false;
  __atomic_fetch_or(&Caps, DeviceLends, __ATOMIC_RELEASE);
  return true;
}

bool ScratchLease::use(uint64_t Packet) {
  if (!agree())
    return true;
  if (Packet > __atomic_load_n(&at<uint64_t>(MaxUseOffset), __ATOMIC_ACQUIRE))
    return false;
  __atomic_store_n(&at<uint64_t>(LastUsedOffset), Packet, __ATOMIC_RELEASE);
  return true;
}

} // namespace luthier::emulator
