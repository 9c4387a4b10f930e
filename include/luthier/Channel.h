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

#include "luthier/ChannelHooks.h"
#include "luthier/Export.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>
#include <hsa/hsa.h>
#include <initializer_list>
#include <memory>

namespace luthier {

class InstrumentationModule;

namespace detail {
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
    /// slow as the consumer.
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
  /// their kernel was ended, as by a fault. All of it is known in onExit().
  uint64_t Unfinished = 0;
  ChannelCounts &operator+=(const ChannelCounts &Other);
};

namespace detail {
class OpenChannel;
using RawConsumer = std::function<void(const RawBlock &)>;
LUTHIER_API llvm::Expected<std::shared_ptr<OpenChannel>>
openChannel(const void *Variable, uint32_t LargestRecord, RawConsumer Consume,
            const ChannelOptions &Options);
LUTHIER_API llvm::Expected<std::shared_ptr<OpenChannel>>
openChannel(const InstrumentationModule &Of, llvm::StringRef Variable,
            uint32_t LargestRecord, RawConsumer Consume,
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
    return detail::openChannel(&Device, Largest, raw(std::move(Consume)),
                               Options)
        .moveInto(Open);
  }
  /// The same for the variable \p Device of a module that was loaded or
  /// compiled, whose type has to be Channel<Records...>: nothing but its size
  /// is checked. Call it before the first hook of the module is inserted. What
  /// has been pushed until the module goes still arrives.
  llvm::Error open(const InstrumentationModule &Module, llvm::StringRef Device,
                   std::function<void(const Block &)> Consume,
                   const ChannelOptions &Options = {}) {
    return detail::openChannel(Module, Device, Largest, raw(std::move(Consume)),
                               Options)
        .moveInto(Open);
  }

  /// Returns when all that has been pushed before has been consumed, at once in
  /// \p Consume. Hold no lock that \p Consume takes. Luthier does so before it
  /// calls onComplete() and onExit().
  void flush() {
    if (Open)
      detail::flushChannel(*Open);
  }
  /// Of all devices. Of kernels that have ended, exact after flush().
  ChannelCounts counts() const {
    return Open ? detail::channelCounts(*Open) : ChannelCounts();
  }

private:
  static constexpr uint32_t Largest =
      detail::largest<size_t>({sizeof(Records)...});
  static detail::RawConsumer raw(std::function<void(const Block &)> Consume) {
    return [Consume = std::move(Consume)](const detail::RawBlock &B) {
      Consume(Block(B));
    };
  }

  std::shared_ptr<detail::OpenChannel> Open;
};

} // namespace luthier

#endif // LUTHIER_CHANNEL_H
