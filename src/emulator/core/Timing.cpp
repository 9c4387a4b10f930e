// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/core/Timing.h"
#include <algorithm>
#include <bit>
#include <iterator>

namespace luthier::emulator {

void WaveTime::reset() {
  Cycles = PathFree = 0;
  std::fill(std::begin(Busy), std::end(Busy), uint64_t(0));
  for (Queue &Q : Queues)
    Q.NumIssued = 0, Q.LastDone = 0;
}

void WaveTime::push(MemoryQueue Where, uint64_t Done) {
  Queue &Q = Queues[unsigned(Where)];
  Q.LastDone = std::max(Q.LastDone, Done);
  Q.Done[Q.NumIssued++ % MaxInFlight] = Q.LastDone;
}

void WaveTime::account(uint64_t Exec, const InstTiming &T) {
  if (T.What == InstTiming::Kind::Memory) {
    constexpr unsigned BytesPerCycle = 64;
    const unsigned Bytes = unsigned(std::popcount(Exec)) * T.BytesPerLane;
    const unsigned Transfer = (Bytes + BytesPerCycle - 1) / BytesPerCycle;
    // Beyond what every instruction of the unit takes.
    if (Transfer > T.Issue)
      Busy[unsigned(T.Where)] += Transfer - T.Issue;
    PathFree = std::max(PathFree, Cycles) + Transfer;
    push(T.Queue, PathFree + T.Latency);
    if (T.IsFlat)
      push(MemoryQueue::Lds, PathFree + T.Latency);
    return;
  }
  for (unsigned N = 0; N != NumMemoryQueues; ++N) {
    const Queue &Q = Queues[N];
    const unsigned Limit = T.Limits[N];
    if (Limit < MaxInFlight && Q.NumIssued > Limit)
      waitUntil(Q.Done[(Q.NumIssued - 1 - Limit) % MaxInFlight]);
  }
}

} // namespace luthier::emulator
