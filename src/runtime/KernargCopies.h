// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of dispatches whose kernels get more of them than the application
// gives: memory of ours that stays until those dispatches have completed.
//
// A packet has room for one completion signal, and that is the application's.
// So memory is handed out in chunks; when one is full, a barrier packet behind
// the last dispatch that uses it tells when all of them are done. It holds up
// what comes behind it, once in so many dispatches. Nobody ever waits for
// memory: the thread that submits may be the one for which the device waits.
#ifndef LUTHIER_RUNTIME_KERNARGCOPIES_H
#define LUTHIER_RUNTIME_KERNARGCOPIES_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <hsa/hsa.h>
#include <vector>

namespace luthier::runtime {

/// Of one queue. ROCr calls one thread at a time for a queue, so there is no
/// lock here.
class KernargCopies {
public:
  explicit KernargCopies(hsa_agent_t Agent) : Agent(Agent) {}
  /// The queue has to be destroyed already.
  ~KernargCopies();
  KernargCopies(const KernargCopies &) = delete;
  KernargCopies &operator=(const KernargCopies &) = delete;

  /// Memory for a dispatch that is submitted before the next call of
  /// submitting(). \p Align is a power of two, of a page at most, or 0 if
  /// nothing is asked for.
  llvm::Expected<uint8_t *> allocate(size_t Size, size_t Align = 0);

  /// Before packets are submitted. Returns true when \p Marker was filled in
  /// and is to be submitted behind them.
  bool submitting(hsa_barrier_and_packet_t &Marker);

  static constexpr size_t ChunkSize = 64 * 1024;

private:
  struct Chunk {
    uint8_t *Begin = nullptr;
    size_t Size = 0;
    hsa_signal_t Done = {0}; ///< 0 when no dispatch uses the chunk.
    bool IsFull = false;     ///< And its marker is still to be submitted.
  };
  llvm::Expected<Chunk *> nextChunk(size_t Size);
  llvm::Expected<Chunk> makeChunk(size_t Size);

  const hsa_agent_t Agent;
  std::vector<Chunk> Chunks;
  size_t Current = SIZE_MAX; ///< Of Chunks.
  size_t Used = 0;           ///< Bytes of the current one.
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_KERNARGCOPIES_H
