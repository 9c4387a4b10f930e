// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a queue lives.
#ifndef LUTHIER_EMULATOR_CP_QUEUEMEMORY_H
#define LUTHIER_EMULATOR_CP_QUEUEMEMORY_H

#include <cstdint>

namespace luthier::emulator {

class DoorbellWatch;

/// The beginning of the memory to which a queue's waves would be saved
/// (kfd_context_save_area_header): where the runtime wants to hear of errors.
struct SaveAreaHeader {
  uint32_t WaveState[4];
  uint32_t DebugOffset, DebugSize;
  /// Of 64 bits in which exceptions are set; 0 if the runtime knows of none.
  uint64_t Exceptions;
  uint32_t ExceptionEvent; ///< Raised then.
  uint32_t Reserved;
};

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
  /// Null if there is none.
  const SaveAreaHeader *SaveArea = nullptr;
  /// Of the doorbell; null if nobody does.
  DoorbellWatch *Watch = nullptr;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_QUEUEMEMORY_H
