// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/memory/MemoryView.h"
#include <algorithm>
#include <type_traits>
#include <utility>

namespace luthier::emulator {

uint8_t *MemoryView::lookUp(uint64_t Address, uint64_t Size) {
  constexpr size_t NumRecent = std::extent_v<decltype(Recent)>;
  for (size_t N = 1; N != NumRecent; ++N)
    if (Recent[N].covers(Address, Size)) {
      std::swap(Recent[0], Recent[N]);
      return reinterpret_cast<uint8_t *>(Address + Recent[0].ToHost);
    }
  auto Range = Space->find(Address);
  if (!Range)
    return nullptr;
  std::rotate(Recent, Recent + NumRecent - 1, Recent + NumRecent);
  Recent[0] = {Range->Begin, Range->End - Range->Begin, Range->ToHost};
  auto *Host = reinterpret_cast<uint8_t *>(Address + Range->ToHost);
  // Neighbouring allocations may touch; an access may straddle them.
  if (Size <= Range->End - Address || Space->pointer(Address, Size))
    return Host;
  return nullptr;
}

void MemoryView::refresh() {
  uint64_t Now = Space->generation();
  if (Now == Generation)
    return;
  Generation = Now;
  for (Window &W : Recent)
    W = {};
}

} // namespace luthier::emulator
