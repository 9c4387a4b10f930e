// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/verify/RedirectedPackets.h"
#include <algorithm>
#include <cstring>

namespace luthier::emulator {

void RedirectedPackets::note(const Packet &Original, const Packet &Submitted) {
  ByKernel[Submitted.kernel_object].push_back({Original, Submitted});
}

/// The header is written last, and a queue may change it.
static unsigned likeness(const hsa_kernel_dispatch_packet_t &A,
                         const hsa_kernel_dispatch_packet_t &B) {
  constexpr size_t Header = sizeof(A.header);
  if (A.kernarg_address != B.kernarg_address)
    return 0;
  if (A.completion_signal.handle != B.completion_signal.handle)
    return 1;
  const auto *Left = reinterpret_cast<const char *>(&A);
  const auto *Right = reinterpret_cast<const char *>(&B);
  return std::memcmp(Left + Header, Right + Header, sizeof(A) - Header) ? 2 : 3;
}

std::optional<RedirectedPackets::Packet>
RedirectedPackets::take(const Packet &Found) {
  auto Known = ByKernel.find(Found.kernel_object);
  if (Known == ByKernel.end())
    return std::nullopt;
  std::deque<Pair> &Pairs = Known->second;
  auto Best = std::ranges::max_element(
      Pairs, {}, [&](const Pair &P) { return likeness(P.Submitted, Found); });
  const Packet Original = Best->Original;
  Pairs.erase(Best);
  if (Pairs.empty())
    ByKernel.erase(Known);
  return Original;
}

} // namespace luthier::emulator
