// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/core/Wave.h"

namespace luthier::emulator {

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
