// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding to half without the host's instruction for it, as the handlers for
// plain x86-64 do it. This file is compiled for such a host.
#include "SoftFloat.h"
#include "emulator/isa/FloatMath.h"
#include "gtest/gtest.h"
#include <bit>
#include <random>
#include <xmmintrin.h>

#ifdef __F16C__
#error "this test is about hosts without F16C"
#endif

namespace luthier::test {
namespace {

constexpr uint64_t Seed = 1105;

uint16_t roundOnHost(float Value, Rounding Round) {
  // The host orders nearest, down, up, zero.
  static constexpr unsigned HostOrder[] = {0, 2, 1, 3};
  unsigned Saved = _mm_getcsr();
  _mm_setcsr(0x1f80 | HostOrder[int(Round)] << 13);
  // Read here, so that nothing is computed before the mode is set.
  volatile float Source = Value;
  auto Half = emulator::LUTHIER_EMULATOR_SIMD::toHalf(Source);
  _mm_setcsr(Saved);
  return std::bit_cast<uint16_t>(Half);
}

TEST(HalfRounding, NeedsNoInstruction) {
  std::mt19937_64 Random(Seed);
  for (int N = 0; N != 400000; ++N) {
    auto Bits = uint32_t(Random());
    // Half of them near the range of halves.
    if (N % 2)
      Bits = (Bits & 0x807fffff) | uint32_t(100 + Random() % 48) << 23;
    for (Rounding Round :
         {Rounding::Nearest, Rounding::Up, Rounding::Down, Rounding::Zero}) {
      uint64_t Want = convert(Single, Half, Bits, {}, {Round, true, true});
      uint16_t Got = roundOnHost(std::bit_cast<float>(Bits), Round);
      ASSERT_EQ(Got, Want) << std::hex << Bits << ", rounding " << int(Round)
                           << " (seed " << Seed << ")";
    }
  }
}

} // namespace
} // namespace luthier::test
