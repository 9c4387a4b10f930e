// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A channel that a tool has opened: a ring for each device, and the thread that
// gives what is in them to the tool.
#ifndef LUTHIER_RUNTIME_OPENCHANNEL_H
#define LUTHIER_RUNTIME_OPENCHANNEL_H

#include "luthier/Channel.h"
#include "runtime/ChannelRing.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <hsa/hsa.h>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace luthier::detail {

/// Thread-safe. The thread, once it runs, keeps it alive.
class OpenChannel : public std::enable_shared_from_this<OpenChannel> {
public:
  OpenChannel(unsigned Log2Units, bool Waits, RawConsumer Consume,
              std::string Owner)
      : Log2Units(Log2Units), Waits(Waits), Consume(std::move(Consume)),
        Owner(std::move(Owner)) {}

  size_t bytes() const { return runtime::ChannelRing::bytesFor(Log2Units); }
  bool waits() const { return Waits; }

  /// Consumes what \p Agent leaves in \p Memory, which is all zero and has
  /// bytes(). Gives what the device's variable is to hold, where the device has
  /// the memory at \p Address; nothing if there is no thread to be had.
  /// \p Free is called if the channel is closed.
  llvm::Expected<ChannelState> addRing(hsa_agent_t Agent, void *Memory,
                                       uint64_t Address,
                                       std::function<void()> Free);
  void flush();
  void finish();
  /// Looks at no ring from now on.
  void removeRings();
  /// A queue of \p Agent has stopped: some of its waves may never publish what
  /// they took room for. What stands before others' blocks, or takes the room
  /// of all others, for longer than waves need for that is left out. (That the
  /// waves' dispatches have completed would say more, but nobody knows: packets
  /// have one signal, which is the application's.)
  void expectKilledWaves(hsa_agent_t Agent);
  /// Nobody pushes any more: the thread consumes what there is, gives the
  /// memory back and ends.
  void close();
  bool isClosed() const;
  ChannelCounts counts() const;

private:
  using Clock = std::chrono::steady_clock;
  struct Ring {
    Ring(hsa_agent_t Agent, void *Memory, unsigned Log2Units,
         std::function<void()> Free)
        : Agent(Agent), Free(std::move(Free)), InMemory(Memory, Log2Units) {}

    const hsa_agent_t Agent;
    const std::function<void()> Free;
    runtime::ChannelRing InMemory;
    /// Once the channel is Finishing: where. By the thread, unless it is zero.
    uint64_t End = 0;
    /// A queue of the device has stopped. For good: how far the last of its
    /// waves got in line stands in the device's memory, and ChannelControl has
    /// only where the one ends that asked for room last.
    std::atomic<bool> MayHaveKilled = false;
    /// Nothing was published there then, but others waited for it to be. Of the
    /// thread.
    uint64_t StuckAt = ~uint64_t(0);
    Clock::time_point StuckSince;
    Clock::duration Patience = {}; ///< How long from then on.
  };
  /// Finished: what is pushed is nobody's, and makes room.
  enum class Phase { Running, Finishing, Finished };

  bool startThread();
  void run();
  bool consumeSome(Ring &R);
  void give(const runtime::ChannelRing::Block &Block, const Ring &R);
  void tryToFinish(bool IsPatient);
  /// What stands there is for the tool.
  bool isWanted(const Ring &R) const;
  void passKilled(Ring &R);
  bool passGaps(llvm::ArrayRef<std::shared_ptr<Ring>> Of);
  void leave();
  bool isOwnThread() const;
  bool hasPassed(const std::vector<uint64_t> &Ends) const;

  const unsigned Log2Units;
  const bool Waits;
  const RawConsumer Consume;
  const std::string Owner; ///< For messages.

  mutable std::mutex Lock;
  std::condition_variable Changed;
  std::vector<std::shared_ptr<Ring>> Rings; ///< Under Lock.
  bool IsBusy = false; ///< The thread is looking at rings; under Lock.
  std::atomic<bool> IsRemoving = false;
  bool IsClosing = false; ///< Under Lock.
  std::atomic<Phase> Now = Phase::Running;
  pid_t ThreadOf = 0; ///< The process that the thread runs in; under Lock.
  pthread_t Thread = {};

  std::atomic<uint64_t> Records = 0, Blocks = 0, Bytes = 0, Unfinished = 0;
  uint64_t DroppedBefore = 0; ///< In rings that are gone; under Lock.
};

} // namespace luthier::detail

#endif // LUTHIER_RUNTIME_OPENCHANNEL_H
