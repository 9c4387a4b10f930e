// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packets that were changed to run instrumented versions, until they come out
// of their queues. Nothing in a packet says so: all its fields are the
// application's, or the tool's.
#ifndef LUTHIER_EMULATOR_VERIFY_REDIRECTEDPACKETS_H
#define LUTHIER_EMULATOR_VERIFY_REDIRECTEDPACKETS_H

#include <cstdint>
#include <deque>
#include <hsa/hsa.h>
#include <map>
#include <optional>

namespace luthier::emulator {

class RedirectedPackets {
public:
  using Packet = hsa_kernel_dispatch_packet_t;

  void note(const Packet &Original, const Packet &Submitted);

  /// The original of \p Found; none if it was not noted. Of several for the
  /// kernel, the one that is most alike, and of equal ones the oldest.
  std::optional<Packet> take(const Packet &Found);

private:
  struct Pair {
    Packet Original, Submitted;
  };
  std::map<uint64_t, std::deque<Pair>> ByKernel;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_VERIFY_REDIRECTEDPACKETS_H
