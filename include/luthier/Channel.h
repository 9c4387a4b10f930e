// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A channel: records that hooks make, of any number of waves, arrive at the
// tool while the kernel runs, in memory of a fixed size (docs/channel.md).
//
//   struct Access { uint64_t Address; uint32_t Instruction, Bytes; };
//   __device__ luthier::Channel<Access> Accesses;      // one for each device
//
//   LUTHIER_HOOK_ANNOTATE note(uint32_t Instruction, uint64_t Address,
//                              uint32_t Bytes) {
//     luthier::push(Accesses, Access{Address, Instruction, Bytes});
//   }
//
//   luthier::ChannelReader<Access> Reader;             // in the tool's class
//   Reader.open(Accesses, [](const luthier::ChannelBlock<Access> &Block) {
//     for (const Access &A : Block.records()) ...
//   });
//
// What is pushed is consumed once, in the order in which a device's waves took
// room for it: so each wave's records come in the order in which it pushed
// them. Where a kernel has ended, all that it pushed arrives before the tool's
// onComplete() for it and onExit().
#ifndef LUTHIER_CHANNEL_H
#define LUTHIER_CHANNEL_H

#include "luthier/Export.h"
#include "luthier/detail/ChannelRing.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cassert>
#include <cstdint>
#include <functional>
#include <hsa/hsa.h>
#include <memory>
#include <type_traits>
#ifdef __HIP__
#include "luthier/Intrinsics.h"
#endif

namespace luthier {

namespace detail {
template <typename Wanted, typename... Records> constexpr uint32_t tagOf() {
  constexpr bool Same[] = {std::is_same_v<Wanted, Records>...};
  for (uint32_t Tag = 0; Tag < sizeof...(Records); ++Tag)
    if (Same[Tag])
      return Tag;
  return ~0u;
}
template <typename First, typename...> struct FirstOf {
  using Type = First;
};
template <typename T> constexpr uint32_t largest(std::initializer_list<T> Of) {
  uint32_t Result = 0;
  for (T Size : Of)
    Result = Size > Result ? Size : Result;
  return Result;
}
} // namespace detail

/// What a tool declares as a __device__ variable at namespace scope: each
/// device has one of its own. Carries records of one type or several, which are
/// copied byte by byte. Without a ChannelReader that has opened it, records go
/// nowhere.
template <typename... Records> struct Channel {
  static_assert(sizeof...(Records) > 0);
  static_assert((std::is_trivially_copyable_v<Records> && ...),
                "records are copied byte by byte");
  static_assert(((alignof(Records) <= sizeof(detail::ChannelHeader)) && ...),
                "records are aligned to 16 bytes at most");

  detail::ChannelState State; // Luthier's.
};

// In hooks.
#ifdef __HIP__

namespace detail {
template <typename T>
__attribute__((device)) inline void storeRecord(uint64_t To, const T &Record) {
  if constexpr (sizeof(T) % 4 == 0 && alignof(T) % 4 == 0) {
    uint32_t Words[sizeof(T) / 4];
    __builtin_memcpy(Words, &Record, sizeof(T));
#pragma unroll
    for (uint32_t I = 0; I < sizeof(T) / 4; ++I)
      ((GlobalMemory<uint32_t> *)To)[I] = Words[I];
  } else {
    unsigned char Bytes[sizeof(T)];
    __builtin_memcpy(Bytes, &Record, sizeof(T));
#pragma unroll
    for (uint32_t I = 0; I < sizeof(T); ++I)
      ((GlobalMemory<unsigned char> *)To)[I] = Bytes[I];
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

template <typename T>
__attribute__((device)) inline void pushTagged(ChannelState &S, uint32_t Tag,
                                               const T &Record) {
  const uint64_t Lanes = __builtin_amdgcn_read_exec();
  if (!Lanes)
    return;
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
/// active. Takes room once for all of them. Where there is none, the wave waits
/// until the tool has consumed enough, or the records are dropped and counted:
/// see ChannelOptions.
template <typename T, typename... Records>
__attribute__((device)) inline void push(Channel<Records...> &To,
                                         const T &Record) {
  constexpr uint32_t Tag = detail::tagOf<T, Records...>();
  static_assert(Tag != ~0u, "the channel has no records of this type");
  detail::pushTagged(To.State, Tag, Record);
}

/// One record for the wave, also where no lane is active. It must be made of
/// scalars (see "Scalars" in Intrinsics.h), and of members of 4 or 8 bytes.
template <typename T, typename... Records>
__attribute__((device)) inline void pushOnce(Channel<Records...> &To,
                                             const T &Record) {
  constexpr uint32_t Tag = detail::tagOf<T, Records...>();
  static_assert(Tag != ~0u, "the channel has no records of this type");
  static_assert(sizeof(T) % 4 == 0);
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

// On the host.

namespace detail {
struct RawBlock {
  const char *Records;
  uint32_t Bytes, Tag;
  uint64_t Lanes;
  hsa_agent_t Agent;
};
} // namespace detail

/// What one push has sent, in the channel's own memory, which is used again
/// when the call that it was given to has returned.
template <typename... Records> class ChannelBlock {
public:
  using First = typename detail::FirstOf<Records...>::Type;

  explicit ChannelBlock(const detail::RawBlock &Raw) : Raw(Raw) {}

  template <typename T> bool has() const {
    return Raw.Tag == detail::tagOf<T, Records...>();
  }
  /// None unless the block has<T>().
  template <typename T = First> llvm::ArrayRef<T> records() const {
    static_assert(detail::tagOf<T, Records...>() != ~0u);
    if (!has<T>())
      return {};
    return {reinterpret_cast<const T *>(Raw.Records), Raw.Bytes / sizeof(T)};
  }
  /// A bit for each lane that was active. Those of push() have a record each,
  /// the lowest the first.
  uint64_t lanes() const { return Raw.Lanes; }
  hsa_agent_t agent() const { return Raw.Agent; }

private:
  const detail::RawBlock &Raw;
};

struct ChannelOptions {
  enum FullChannel {
    /// The wave waits for the consumer: nothing is lost, and kernels are as
    /// slow
    /// as the consumer.
    Wait,
    /// Its records are dropped and counted: kernels do not wait for the tool.
    Drop
  };
  /// For each device, memory of the host; rounded up to a power of two. Twice
  /// what the lanes of a wave push at once is the least.
  size_t Bytes = size_t(4) << 20;
  FullChannel WhenFull = Wait;
};

struct ChannelCounts {
  uint64_t Records = 0, Blocks = 0; ///< Consumed.
  uint64_t Bytes = 0;               ///< Of these records.
  uint64_t Dropped = 0;             ///< Records that found no room.
  /// Bytes of memory for blocks of waves that never finished them, because
  /// their kernel was ended, as by a fault. Known in onExit().
  uint64_t Unfinished = 0;
  ChannelCounts &operator+=(const ChannelCounts &Other);
};

namespace detail {
class OpenChannel;
using RawConsumer = std::function<void(const RawBlock &)>;
/// \p Name is for messages.
LUTHIER_API llvm::Expected<std::shared_ptr<OpenChannel>>
openChannel(const void *Variable, uint32_t LargestRecord, RawConsumer Consume,
            const ChannelOptions &Options);
LUTHIER_API void flushChannel(OpenChannel &Of);
LUTHIER_API ChannelCounts channelCounts(const OpenChannel &Of);
} // namespace detail

/// The host's end of a channel. Any thread may use it.
template <typename... Records> class ChannelReader {
public:
  using Block = ChannelBlock<Records...>;

  /// From now on, \p Consume gets all blocks: in one thread, that of this
  /// channel, for all devices, and not after Tool::onExit() has begun. The
  /// kernels that push may wait for it, so it must not wait for the GPU, nor
  /// end the process. An exception that it throws is said on stderr.
  ///
  /// Fails if the channel is too small for what a wave pushes at once, is open
  /// already, or the variable's code is loaded: call it in the tool's
  /// constructor.
  llvm::Error open(const Channel<Records...> &Device,
                   std::function<void(const Block &)> Consume,
                   const ChannelOptions &Options = {}) {
    auto Raw = [Consume = std::move(Consume)](const detail::RawBlock &B) {
      Consume(Block(B));
    };
    auto Opened = detail::openChannel(
        &Device, detail::largest<size_t>({sizeof(Records)...}), std::move(Raw),
        Options);
    if (!Opened)
      return Opened.takeError();
    Open = std::move(*Opened);
    return llvm::Error::success();
  }

  /// Returns when all that has been pushed before has been consumed. Not in
  /// \p Consume. Luthier does so before it calls onComplete() and onExit().
  void flush() {
    if (Open)
      detail::flushChannel(*Open);
  }
  /// Of all devices. Of kernels that have ended, exact after flush().
  ChannelCounts counts() const {
    return Open ? detail::channelCounts(*Open) : ChannelCounts();
  }

private:
  std::shared_ptr<detail::OpenChannel> Open;
};

} // namespace luthier

#endif // LUTHIER_CHANNEL_H
