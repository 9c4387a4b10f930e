// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ChannelRing.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace luthier::runtime {

using detail::ChannelControl;
using detail::ChannelUnit;

size_t ChannelRing::bytesFor(unsigned Log2Units) {
  return sizeof(ChannelControl) +
         (size_t(sizeof(uint64_t) + ChannelUnit) << Log2Units) +
         alignTo<128>(2 * sizeof(uint32_t)
                      << (Log2Units - detail::log2UnitsOfGroup(Log2Units)));
}

unsigned ChannelRing::log2UnitsFor(size_t Bytes) {
  // Words count laps and units in 32 bits, indices of units too.
  return std::clamp(Log2_64_Ceil(std::max<size_t>(Bytes, 1)),
                    Log2_32(ChannelUnit) + 4, Log2_32(ChannelUnit) + 30) -
         Log2_32(ChannelUnit);
}

ChannelRing::ChannelRing(void *Memory, unsigned Log2Units)
    : Control(static_cast<ChannelControl *>(Memory)),
      Words(reinterpret_cast<const uint64_t *>(Control + 1)),
      Units(reinterpret_cast<const char *>(Words + (size_t(1) << Log2Units))),
      Marks(reinterpret_cast<const uint32_t *>(
          Units + (size_t(ChannelUnit) << Log2Units))),
      Log2Units(Log2Units) {}

detail::ChannelState ChannelRing::stateFor(uint64_t Address, bool Waits) const {
  detail::ChannelState S = {};
  S.Control = Address;
  S.Units = uint32_t(1) << Log2Units;
  S.Log2Units = Log2Units;
  S.Waits = Waits;
  return S;
}

uint64_t ChannelRing::wordAt(uint64_t At) const {
  const uint64_t Mask = (uint64_t(1) << Log2Units) - 1;
  const uint64_t Word = __atomic_load_n(&Words[At & Mask], __ATOMIC_ACQUIRE);
  return uint32_t(Word >> 32) == uint32_t((At >> Log2Units) + 1) ? Word : 0;
}

std::optional<ChannelRing::Block> ChannelRing::next() {
  uint64_t Word;
  while ((Word = wordAt(Position)) && Word & 1)
    Position += unitsOf(Word);
  if (!Word)
    return std::nullopt;
  const uint64_t Mask = (uint64_t(1) << Log2Units) - 1;
  const char *At = Units + (Position & Mask) * ChannelUnit;
  return Block{reinterpret_cast<const detail::ChannelHeader *>(At),
               At + sizeof(detail::ChannelHeader)};
}

void ChannelRing::pass() { Position += unitsOf(wordAt(Position)); }

void ChannelRing::tell() {
  if (Told == Position)
    return;
  Told = Position;
  __atomic_store_n(&Control->Tail, Told, __ATOMIC_RELEASE);
}

uint64_t ChannelRing::passGap() {
  const uint64_t Begin = Position;
  for (uint64_t At = Begin; At != Begin + (uint64_t(1) << Log2Units); ++At)
    if (wordAt(At)) {
      Position = At;
      return At - Begin;
    }
  return 0;
}

bool ChannelRing::isFull() const {
  const uint64_t Wanted = __atomic_load_n(&Control->Wanted, __ATOMIC_ACQUIRE);
  return int64_t(Wanted - Position) > int64_t(1) << Log2Units;
}

uint64_t ChannelRing::passHalf() {
  if (!isFull())
    return 0;
  const uint64_t Half = uint64_t(1) << (Log2Units - 1);
  Position += Half;
  return Half;
}

uint64_t ChannelRing::lastEnd(uint64_t Begin, uint64_t End) const {
  uint64_t Last = Begin;
  for (uint64_t At = Begin; At < End;) {
    const uint64_t Word = wordAt(At);
    At += Word ? unitsOf(Word) : 1;
    Last = Word ? At : Last;
  }
  return Last;
}

uint64_t ChannelRing::publishedEnd() const {
  const unsigned OfGroup = detail::log2UnitsOfGroup(Log2Units);
  const uint64_t Groups = uint64_t(1) << (Log2Units - OfGroup);
  const uint64_t Begin = Position, End = Begin + (uint64_t(1) << Log2Units);
  // Begin may be behind the block for which its group is marked.
  const uint64_t First = Begin >> OfGroup;
  for (uint64_t Group = (End - 1) >> OfGroup; Group != First; --Group) {
    const uint64_t From = Group << OfGroup;
    const uint32_t Lap = uint32_t((From >> Log2Units) + 1);
    const uint32_t Mark = detail::markOf(Group & (Groups - 1), Lap);
    if (__atomic_load_n(&Marks[Mark], __ATOMIC_ACQUIRE) != Lap)
      continue;
    const uint64_t Last =
        lastEnd(From, std::min(From + (uint64_t(1) << OfGroup), End));
    // Otherwise, what is marked is not published yet.
    if (Last != From)
      return Last;
  }
  return lastEnd(Begin, std::min((First + 1) << OfGroup, End));
}

uint64_t ChannelRing::dropped() const {
  return __atomic_load_n(&Control->Dropped, __ATOMIC_ACQUIRE);
}

} // namespace luthier::runtime
