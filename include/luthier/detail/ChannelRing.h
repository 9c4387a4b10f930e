// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ring of a channel (Channel.h): how many producers fill it. Compiled for
// devices, and for the host, where tests have threads in place of waves.
//
// Memory of the host, for each device:
//
//   ChannelControl | a word for each unit | the units, of 64 bytes each |
//   two marks for each group of units
//
// A block is some units in a row: a ChannelHeader and records. Producers take
// positions, which count units from the beginning of time; a block's place is
// its position modulo the number of units. When everything is written, the word
// of the block's first unit says so, with the number of the lap: what is left
// there of earlier laps is therefore never taken for a block, and nobody has to
// clear anything. The consumer goes from block to block, in the order of
// positions, and tells how far it has come.
//
// A block that would not end before the ring does is given up: its word says
// "skip", and the producer takes another position.
//
// Whoever asks how far producers have come cannot read their position, which is
// in the device's memory, and would have to look at all words. So producers
// also mark groups of units with the lap in which a block begins there. One lap
// has the first mark, the next one the second: a producer that is slow may mark
// later than one of the next lap, but not than one of the lap after that.
#ifndef LUTHIER_DETAIL_CHANNELRING_H
#define LUTHIER_DETAIL_CHANNELRING_H

#include <cstddef>
#include <cstdint>

#ifdef __HIP__
#define LUTHIER_HOST_AND_DEVICE __attribute__((host, device))
#else
#define LUTHIER_HOST_AND_DEVICE
#endif

// Devices distinguish who else may look; the host does not.
#ifdef __HIP_DEVICE_COMPILE__
#define LUTHIER_DETAIL_LOAD(From, Order, Scope)                                \
  __hip_atomic_load(From, Order, __HIP_MEMORY_SCOPE_##Scope)
#define LUTHIER_DETAIL_STORE(To, Value, Order, Scope)                          \
  __hip_atomic_store(To, Value, Order, __HIP_MEMORY_SCOPE_##Scope)
#define LUTHIER_DETAIL_ADD(To, Value, Scope)                                   \
  __hip_atomic_fetch_add(To, Value, __ATOMIC_RELAXED,                          \
                         __HIP_MEMORY_SCOPE_##Scope)
#define LUTHIER_DETAIL_REPLACE(In, Old, New, Scope)                            \
  __hip_atomic_compare_exchange_strong(In, Old, New, __ATOMIC_RELAXED,         \
                                       __ATOMIC_RELAXED,                       \
                                       __HIP_MEMORY_SCOPE_##Scope)
#define LUTHIER_DETAIL_GLOBAL __attribute__((address_space(1)))
#else
// A device does not store before the load that decides whether it may. The
// language asks for more than that, and the host gives it.
#define LUTHIER_DETAIL_LOAD(From, Order, Scope)                                \
  __atomic_load_n(From, __ATOMIC_ACQUIRE)
#define LUTHIER_DETAIL_STORE(To, Value, Order, Scope)                          \
  __atomic_store_n(To, Value, __ATOMIC_RELEASE)
#define LUTHIER_DETAIL_ADD(To, Value, Scope)                                   \
  __atomic_fetch_add(To, Value, __ATOMIC_RELAXED)
#define LUTHIER_DETAIL_REPLACE(In, Old, New, Scope)                            \
  __atomic_compare_exchange_n(In, Old, New, false, __ATOMIC_RELAXED,           \
                              __ATOMIC_RELAXED)
#define LUTHIER_DETAIL_GLOBAL
#endif

namespace luthier::detail {

inline constexpr uint32_t ChannelUnit = 64;

/// Of each device, in its own memory: the variable of the tool. All zero until
/// the host has opened the channel.
struct ChannelState {
  /// Where the next block begins.
  alignas(128) uint64_t Head;
  /// The consumer has come so far at least.
  uint64_t KnownTail;
  /// Set before anything runs.
  alignas(128) uint64_t Control; ///< The device's address of ChannelControl.
  uint32_t Units;                ///< A power of two,
  uint32_t Log2Units;            ///< this one.
  uint32_t Waits;                ///< Or drops what finds no room.
};

/// Memory of the host.
struct ChannelControl {
  alignas(128) uint64_t Tail;    ///< Of the consumer; read by devices.
  alignas(128) uint64_t Dropped; ///< Records.
  /// Where the block would end that found no room last.
  uint64_t Wanted;
};

/// In front of a block's records.
struct ChannelHeader {
  uint64_t Lanes; ///< Active ones; a record each, unless there is one for all.
  uint32_t Tag;   ///< Which kind of records, and perhaps OnceTag.
  uint32_t Bytes; ///< Of records.
};

/// In tags: one record for the wave.
inline constexpr uint32_t OnceTag = uint32_t(1) << 31;

// A word: the lap from one on, the number of units, whether they are nothing.
constexpr uint64_t channelWord(uint64_t Position, uint32_t Units,
                               uint32_t Log2Units, bool IsSkipped) {
  return ((Position >> Log2Units) + 1) << 32 | uint64_t(Units) << 1 | IsSkipped;
}

/// Units for \p Bytes of records.
constexpr uint32_t channelUnits(uint64_t Bytes) {
  return (sizeof(ChannelHeader) + Bytes + ChannelUnit - 1) / ChannelUnit;
}

/// Of the number of units in a group: about as many as there are groups.
constexpr uint32_t log2UnitsOfGroup(uint32_t Log2Units) {
  return (Log2Units + 1) / 2;
}

/// Which mark a group of units has in a lap.
constexpr uint32_t markOf(uint32_t Group, uint32_t Lap) {
  return 2 * Group + Lap % 2;
}

/// A block larger than that could for ever fail to end before the ring does.
constexpr uint32_t mostUnitsOfBlock(uint32_t RingUnits) {
  return RingUnits / 2;
}

/// A block that a producer has. Addresses are those of the device.
struct ChannelSlot {
  uint64_t Block = 0; ///< Where its header goes; 0 if there is none to be had.
  uint64_t Word = 0;  ///< Where Value goes in the end.
  uint64_t Value = 0;
};

using ChannelShared = LUTHIER_DETAIL_GLOBAL uint64_t;
using ChannelMark = LUTHIER_DETAIL_GLOBAL uint32_t;

LUTHIER_HOST_AND_DEVICE inline ChannelShared *channelAt(uint64_t Address) {
  return (ChannelShared *)Address;
}
LUTHIER_HOST_AND_DEVICE inline ChannelShared *channelMember(uint64_t &Member) {
  return (ChannelShared *)&Member;
}

/// The block is there for the consumer, with all that the wave has written.
LUTHIER_HOST_AND_DEVICE inline void publish(const ChannelSlot &Slot) {
  LUTHIER_DETAIL_STORE(channelAt(Slot.Word), Slot.Value, __ATOMIC_RELEASE,
                       SYSTEM);
}

/// Whether the consumer has left all before \p End but a ring's length.
LUTHIER_HOST_AND_DEVICE inline bool hasRoom(ChannelState &S, uint64_t End) {
  ChannelShared *Known = channelMember(S.KnownTail);
  // A tail that has passed a position that is out of date is none to wait for.
  const int64_t Before = int64_t(End - S.Units);
  if (Before <= int64_t(LUTHIER_DETAIL_LOAD(Known, __ATOMIC_RELAXED, AGENT)))
    return true;
  const uint64_t Tail =
      LUTHIER_DETAIL_LOAD(channelAt(S.Control), __ATOMIC_ACQUIRE, SYSTEM);
  // If others write an older one, they ask once more.
  LUTHIER_DETAIL_STORE(Known, Tail, __ATOMIC_RELAXED, AGENT);
  if (Before <= int64_t(Tail))
    return true;
  LUTHIER_DETAIL_STORE(channelAt(S.Control + offsetof(ChannelControl, Wanted)),
                       End, __ATOMIC_RELAXED, SYSTEM);
  return false;
}

/// The position of \p Units that are free, or ~0.
template <typename Wait>
LUTHIER_HOST_AND_DEVICE inline uint64_t
takePosition(ChannelState &S, uint32_t Units, Wait Pause) {
  ChannelShared *Head = channelMember(S.Head);
  if (S.Waits) {
    const uint64_t At = LUTHIER_DETAIL_ADD(Head, uint64_t(Units), AGENT);
    // All who are before this one can go on, so the consumer will.
    while (!hasRoom(S, At + Units))
      Pause();
    return At;
  }
  uint64_t At = LUTHIER_DETAIL_LOAD(Head, __ATOMIC_RELAXED, AGENT);
  do {
    if (!hasRoom(S, At + Units))
      return ~uint64_t(0);
  } while (!LUTHIER_DETAIL_REPLACE(Head, &At, At + Units, AGENT));
  return At;
}

/// Room for \p Bytes of \p Records records, or none: then they are counted as
/// dropped, unless there is no channel. By one thread, or one lane. \p Pause is
/// called while there is no room.
template <typename Wait>
LUTHIER_HOST_AND_DEVICE inline ChannelSlot
reserve(ChannelState &S, uint32_t Bytes, uint32_t Records, Wait Pause) {
  const uint32_t RingUnits = S.Units;
  if (!RingUnits)
    return {};
  const uint32_t Units = channelUnits(Bytes);
  const uint64_t Words = S.Control + sizeof(ChannelControl);
  while (Units <= mostUnitsOfBlock(RingUnits)) {
    const uint64_t At = takePosition(S, Units, Pause);
    if (At == ~uint64_t(0))
      break;
    const uint32_t First = At & (RingUnits - 1);
    const bool Fits = First + Units <= RingUnits;
    const ChannelSlot Slot = {Words + uint64_t(RingUnits) * 8 +
                                  uint64_t(First) * ChannelUnit,
                              Words + uint64_t(First) * 8,
                              channelWord(At, Units, S.Log2Units, !Fits)};
    if (Fits) {
      // There before the block is published.
      const uint64_t Marks =
          Words + uint64_t(RingUnits) * (sizeof(uint64_t) + ChannelUnit);
      const uint32_t Lap = Slot.Value >> 32;
      const uint32_t Mark = markOf(First >> log2UnitsOfGroup(S.Log2Units), Lap);
      LUTHIER_DETAIL_STORE((ChannelMark *)(Marks + Mark * sizeof(uint32_t)),
                           Lap, __ATOMIC_RELAXED, SYSTEM);
      return Slot;
    }
    publish(Slot);
  }
  LUTHIER_DETAIL_ADD(channelAt(S.Control + offsetof(ChannelControl, Dropped)),
                     uint64_t(Records), SYSTEM);
  return {};
}

} // namespace luthier::detail

#undef LUTHIER_DETAIL_LOAD
#undef LUTHIER_DETAIL_STORE
#undef LUTHIER_DETAIL_ADD
#undef LUTHIER_DETAIL_REPLACE
#undef LUTHIER_DETAIL_GLOBAL

#endif // LUTHIER_DETAIL_CHANNELRING_H
