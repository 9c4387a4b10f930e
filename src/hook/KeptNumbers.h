// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that a wave finds once, before its first hook, if its hooks ask for
// them: blockInDispatch() and its like, and groupMemory(). It keeps them in the
// low halves of its first counters.
#ifndef LUTHIER_HOOK_KEPTNUMBERS_H
#define LUTHIER_HOOK_KEPTNUMBERS_H

#include "codeobject/HiddenArguments.h"
#include <bit>
#include <cstdint>
#include <iterator>

namespace luthier {

/// As luthier::detail::KeptNumber has them.
enum class KeptNumber : uint8_t { Block, WaveInGroup, Wave, GroupMemory };
inline constexpr KeptNumber AllKeptNumbers[] = {
    KeptNumber::Block, KeptNumber::WaveInGroup, KeptNumber::Wave,
    KeptNumber::GroupMemory};
inline constexpr unsigned NumKeptNumbers = std::size(AllKeptNumbers);

/// A set of them: one bit each.
struct KeptNumbers {
  uint32_t Bits = 0;

  bool operator==(const KeptNumbers &) const = default;
  bool has(KeptNumber N) const { return Bits >> unsigned(N) & 1; }
  void add(KeptNumber N) { Bits |= 1 << unsigned(N); }
  void remove(KeptNumber N) { Bits &= ~(1u << unsigned(N)); }
  void operator|=(KeptNumbers Others) { Bits |= Others.Bits; }
  bool empty() const { return !Bits; }
  unsigned size() const { return std::popcount(Bits); }
  /// The number of the counter that has \p N, which is one of them.
  unsigned counterOf(KeptNumber N) const {
    return std::popcount(Bits & ((1u << unsigned(N)) - 1));
  }
  /// Those from which all others are computed, too.
  bool needsBlock() const {
    return has(KeptNumber::Block) || has(KeptNumber::Wave);
  }
  bool needsWaveInGroup() const {
    return has(KeptNumber::WaveInGroup) || has(KeptNumber::Wave);
  }
  /// hiddenBit() of each argument that they are computed from.
  uint32_t arguments() const {
    using enum HiddenArgument;
    return (needsBlock() ? hiddenBit(BlocksX) | hiddenBit(BlocksY) : 0) |
           (needsWaveInGroup() ? hiddenBit(ItemsX) | hiddenBit(ItemsY) : 0) |
           (has(KeptNumber::Wave) ? hiddenBit(WavesPerGroup) : 0) |
           (has(KeptNumber::GroupMemory)
                ? hiddenBit(HiddenArgument::GroupMemory)
                : 0);
  }
};

} // namespace luthier

#endif // LUTHIER_HOOK_KEPTNUMBERS_H
