// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The half of a channel that hooks use (luthier/Channel.h, which includes
// this). By itself it is for sources of modules that are loaded or compiled at
// run time, which need nothing of LLVM.
#ifndef LUTHIER_CHANNELHOOKS_H
#define LUTHIER_CHANNELHOOKS_H

#include "luthier/detail/ChannelRing.h"
#include <cstdint>
#include <type_traits>
#ifdef __HIP__
#include "luthier/Intrinsics.h"
#endif

namespace luthier {

namespace detail {
/// The records of a wave are one block, whose size has 32 bits.
inline constexpr uint32_t MostBytesOfRecord = 1 << 24;

template <typename Wanted, typename... Records> constexpr uint32_t tagOf() {
  constexpr bool Same[] = {std::is_same_v<Wanted, Records>...};
  for (uint32_t Tag = 0; Tag < sizeof...(Records); ++Tag)
    if (Same[Tag])
      return Tag;
  return ~0u;
}
} // namespace detail

/// What a tool declares as a __device__ variable at namespace scope: each
/// device has one of its own. Carries records of one type or several, which are
/// copied byte by byte, of up to 16 MiB. One of more than 512 bytes (128, where
/// it is not made of words) is copied from where it is: a local variable of the
/// hook takes as much of its stack, a __device__ one nothing. Without a
/// ChannelReader that has opened it, records go nowhere.
template <typename... Records> struct Channel {
  static_assert(sizeof...(Records) > 0);
  static_assert((std::is_trivially_copyable_v<Records> && ...),
                "records are copied byte by byte");
  static_assert(((alignof(Records) <= sizeof(detail::ChannelHeader)) && ...),
                "records are aligned to 16 bytes at most");
  static_assert(((sizeof(Records) <= detail::MostBytesOfRecord) && ...),
                "records have 16 MiB at most");

  detail::ChannelState State; // Luthier's.
};

// In hooks.
#ifdef __HIP__

namespace detail {
/// Records of more parts are copied in a loop, from memory: from registers,
/// each part takes instructions of its own.
inline constexpr uint32_t MostPartsInRegisters = 128;

template <typename T>
__attribute__((device)) inline void storeRecord(uint64_t To, const T &Record) {
  using Part = std::conditional_t<sizeof(T) % 4 == 0 && alignof(T) % 4 == 0,
                                  uint32_t, unsigned char>;
  constexpr uint32_t Count = sizeof(T) / sizeof(Part);
  auto *Parts = (GlobalMemory<Part> *)To;
  if constexpr (Count > MostPartsInRegisters) {
    using AnyPart = Part __attribute__((may_alias));
    const auto *From = reinterpret_cast<const AnyPart *>(&Record);
#pragma unroll 4
    for (uint32_t I = 0; I < Count; ++I)
      Parts[I] = From[I];
  } else {
    Part Own[Count];
    __builtin_memcpy(Own, &Record, sizeof(T));
#pragma unroll
    for (uint32_t I = 0; I < Count; ++I)
      Parts[I] = Own[I];
  }
}

/// Room for the wave, by lane 0. EXEC is 1 then.
__attribute__((device)) inline ChannelSlot
reserveForTheWave(ChannelState &S, uint64_t Lanes, uint32_t Tag, uint32_t Bytes,
                  uint32_t Records) {
  writeExec(1);
  ChannelSlot Slot =
      reserve(S, Bytes, Records, [] { __builtin_amdgcn_s_sleep(4); });
  Slot = {inAllLanes(Slot.Block), inAllLanes(Slot.Word),
          inAllLanes(Slot.Value)};
  if (Slot.Block) {
    storeRecord(Slot.Block, ChannelHeader{Lanes, Tag, Bytes});
  }
  return Slot;
}

/// How many of \p Lanes come before this one.
__attribute__((device)) inline uint32_t lanesBefore(uint64_t Lanes) {
  return __builtin_amdgcn_mbcnt_hi(Lanes >> 32,
                                   __builtin_amdgcn_mbcnt_lo(Lanes, 0));
}

/// The first active lane does what is for the wave, as in any kernel. LLVM has
/// control flow for that wherever it stands, but it takes more instructions
/// than definitions of EXEC.
template <typename T>
__attribute__((device)) inline void
pushByFirstLane(ChannelState &S, uint64_t Lanes, uint32_t Tag,
                const T &Record) {
  const uint32_t Records = __builtin_popcountll(Lanes);
  const uint32_t Bytes = Records * sizeof(T), Before = lanesBefore(Lanes);
  ChannelSlot Slot;
  if (Before == 0) {
    Slot = reserve(S, Bytes, Records, [] { __builtin_amdgcn_s_sleep(4); });
    if (Slot.Block)
      storeRecord(Slot.Block, ChannelHeader{Lanes, Tag, Bytes});
  }
  Slot = {inAllLanes(Slot.Block), inAllLanes(Slot.Word),
          inAllLanes(Slot.Value)};
  if (!Slot.Block)
    return;
  storeRecord(Slot.Block + sizeof(ChannelHeader) + Before * sizeof(T), Record);
  // What the other lanes have written comes before the block's word, too.
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  if (Before == 0)
    publish(Slot);
}

template <typename T>
__attribute__((device)) inline void pushTagged(ChannelState &S, uint32_t Tag,
                                               const T &Record) {
  const uint64_t Lanes = __builtin_amdgcn_read_exec();
  if (!Lanes)
    return;
  if (!mayWriteExec())
    return pushByFirstLane(S, Lanes, Tag, Record);
  const uint32_t Records = __builtin_popcountll(Lanes);
  const ChannelSlot Slot =
      reserveForTheWave(S, Lanes, Tag, Records * sizeof(T), Records);
  writeExec(Lanes);
  if (!Slot.Block)
    return;
  storeRecord(Slot.Block + sizeof(ChannelHeader) +
                  lanesBefore(Lanes) * sizeof(T),
              Record);
  writeExec(1);
  publish(Slot);
  writeExec(Lanes);
}
} // namespace detail

/// A record for each active lane, in the order of lanes; none where no lane is
/// active. May stand in any condition and loop. Takes room once for all lanes.
/// Where there is none, the wave waits until the tool has consumed enough, or
/// the records are dropped and counted: see ChannelOptions.
template <typename T, typename... Records>
__attribute__((device)) inline void push(Channel<Records...> &To,
                                         const T &Record) {
  constexpr uint32_t Tag = detail::tagOf<T, Records...>();
  static_assert(Tag != ~0u, "the channel has no records of this type");
  detail::pushTagged(To.State, Tag, Record);
}

/// One record for the wave, also where no lane is active. It must be made of
/// scalars (see "Scalars" in Intrinsics.h), and of members of 4 or 8 bytes. Not
/// in a loop that lanes leave at different times.
template <typename T, typename... Records>
__attribute__((device)) inline void pushOnce(Channel<Records...> &To,
                                             const T &Record) {
  constexpr uint32_t Tag = detail::tagOf<T, Records...>();
  static_assert(Tag != ~0u, "the channel has no records of this type");
  static_assert(sizeof(T) % 4 == 0,
                "a record for the wave is made of scalars, of 4 or 8 bytes "
                "each: make its members uint32_t or uint64_t, or use push()");
  uint32_t Words[sizeof(T) / 4];
  __builtin_memcpy(Words, &Record, sizeof(T));
#pragma unroll
  for (uint32_t &Word : Words)
    Word = detail::scalar<uint32_t>(Word);
  const uint64_t Lanes = __builtin_amdgcn_read_exec();
  const detail::ChannelSlot Slot = detail::reserveForTheWave(
      To.State, Lanes, Tag | detail::OnceTag, sizeof(T), 1);
  if (Slot.Block) {
    T Same;
    __builtin_memcpy(&Same, Words, sizeof(T));
    detail::storeRecord(Slot.Block + sizeof(detail::ChannelHeader), Same);
    detail::publish(Slot);
  }
  writeExec(Lanes);
}

#endif // __HIP__

} // namespace luthier

#endif // LUTHIER_CHANNELHOOKS_H
