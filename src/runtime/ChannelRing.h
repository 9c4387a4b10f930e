// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The consumer's side of a channel's ring (luthier/detail/ChannelRing.h).
#ifndef LUTHIER_RUNTIME_CHANNELRING_H
#define LUTHIER_RUNTIME_CHANNELRING_H

#include "luthier/detail/ChannelRing.h"
#include <atomic>
#include <cstddef>
#include <optional>

namespace luthier::runtime {

/// Reads by one thread; what is marked so may be asked by any.
class ChannelRing {
public:
  /// Memory that a ring of so many units takes up; a multiple of 128.
  static size_t bytesFor(unsigned Log2Units);
  /// What ring a channel of \p Bytes has: no smaller one.
  static unsigned log2UnitsFor(size_t Bytes);

  /// \p Memory is all zero.
  ChannelRing(void *Memory, unsigned Log2Units);

  /// What producers are to work with, if \p Memory is at \p Address for them.
  detail::ChannelState stateFor(uint64_t Address, bool Waits) const;

  struct Block {
    const detail::ChannelHeader *Header;
    const char *Records;
  };
  /// The block at position(), if it is published.
  std::optional<Block> next();
  /// Leaves it: producers may have its memory once they are told().
  void pass();
  /// Tells producers how far the consumer has come.
  void tell();
  /// Leaves what is before the next published block; gives its number of units,
  /// 0 if there is no such block.
  uint64_t passGap();
  /// Where there is no published block, but somebody lacks room: leaves half of
  /// the ring, and gives its number of units. Blocks that wait for room begin
  /// behind that, since none is longer than half of the ring.
  uint64_t passHalf();

  /// Where the last of the published blocks ends. Any thread. Looks at as many
  /// words and marks as a group has, and there are groups.
  uint64_t publishedEnd() const;
  /// Somebody has found no room since the consumer came to where it is.
  bool isFull() const;
  uint64_t position() const { return Position; } ///< Any thread.
  uint64_t dropped() const;                      ///< Any thread.

private:
  /// Of the block at \p At, or 0.
  uint64_t wordAt(uint64_t At) const;
  /// Where the last block ends that is published and begins there, or \p Begin.
  uint64_t lastEnd(uint64_t Begin, uint64_t End) const;
  static uint32_t unitsOf(uint64_t Word) { return uint32_t(Word) >> 1; }

  detail::ChannelControl *Control;
  const uint64_t *Words;
  const char *Units;
  const uint32_t *Marks;
  const unsigned Log2Units;
  std::atomic<uint64_t> Position = 0;
  uint64_t Told = 0;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_CHANNELRING_H
