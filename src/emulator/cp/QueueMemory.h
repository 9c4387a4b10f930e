// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a queue lives.
#ifndef LUTHIER_EMULATOR_CP_QUEUEMEMORY_H
#define LUTHIER_EMULATOR_CP_QUEUEMEMORY_H

#include <cstdint>

namespace luthier::emulator {

/// All memory belongs to the host and outlives the queue.
struct QueueMemory {
  uint64_t Ring = 0;
  uint64_t RingBytes = 0;
  /// In packets for AQL, where the read index is the one inside an
  /// amd_queue_t; in bytes for SDMA.
  uint64_t *ReadIndex = nullptr;
  uint64_t *WriteIndex = nullptr;
  /// AQL: index of the last packet written, initially all ones. SDMA: the write
  /// index in bytes, initially 0.
  uint64_t *Doorbell = nullptr;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_QUEUEMEMORY_H
