// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Wave.h"
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

/// Translates two MODE fields to MXCSR: masked exceptions, rounding, and
/// denormals (bit 0 keeps those of sources, bit 1 those of results).
static uint32_t hostControl(uint32_t Round, uint32_t Denorm) {
  // The device orders nearest, +inf, -inf, zero; the host nearest, -inf, +inf.
  static constexpr uint32_t HostRound[] = {0, 2, 1, 3};
  constexpr uint32_t MaskAll = 0x1f80, DenormalsAreZero = 0x40,
                     FlushToZero = 0x8000;
  return MaskAll | HostRound[Round & 3] << 13 |
         (Denorm & 1 ? 0 : DenormalsAreZero) | (Denorm & 2 ? 0 : FlushToZero);
}

void Wave::setMode(uint32_t Value) {
  Mode = Value | T->ImpliedMode;
  HostControl[1] =
      hostControl(Value >> mode::RoundSingle, Value >> mode::DenormSingle);
  HostControl[2] =
      hostControl(Value >> mode::RoundDouble, Value >> mode::DenormDouble);
  HostControl[3] = hostControl(Value >> mode::RoundSingle, 0);
  HostControl[4] = hostControl(0, 3);
  // Conversions: denormal sources are those of one format, rounding and
  // denormal results those of the other.
  auto Denorms = [&](unsigned From, unsigned To) {
    return (Value >> From & 1) | (Value >> To & 2);
  };
  HostControl[5] = hostControl(Value >> mode::RoundDouble,
                               Denorms(mode::DenormSingle, mode::DenormDouble));
  HostControl[6] = hostControl(Value >> mode::RoundSingle,
                               Denorms(mode::DenormDouble, mode::DenormSingle));
}

} // namespace luthier::emulator
