// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The application's queues, with Luthier between it and the hardware: every
// packet passes through a callback before it reaches the device. Queues that
// the GPU runtime makes for itself (copies) do not come here.
#ifndef LUTHIER_RUNTIME_INTERCEPTEDQUEUES_H
#define LUTHIER_RUNTIME_INTERCEPTEDQUEUES_H

#include "runtime/CallbackGate.h"
#include "runtime/CompletionWatcher.h"
#include "runtime/Dispatcher.h"
#include "runtime/HeldVersions.h"
#include "runtime/KernargCopies.h"
#include "runtime/LoadedCode.h"
#include "runtime/PacketThrottle.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <hsa/hsa.h>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <unordered_map>

namespace luthier::runtime {

/// Thread-safe.
class InterceptedQueues {
public:
  using ErrorCallback = void (*)(hsa_status_t, hsa_queue_t *, void *);
  /// A number that changes as hooks do their work.
  using Progress = std::function<uint64_t()>;

  InterceptedQueues(Dispatcher &Packets, CallbackGate &Tools, Progress Counts)
      : Packets(Packets), Tools(Tools), Counts(std::move(Counts)) {}

  using Create = decltype(&::hsa_queue_create);

  /// As hsa_queue_create(). Gives the queue that \p Otherwise makes where the
  /// runtime cannot intercept; its dispatches run unchanged.
  hsa_status_t create(hsa_agent_t Agent, uint32_t Size, hsa_queue_type32_t Type,
                      ErrorCallback OnError, void *Data,
                      uint32_t PrivateSegmentSize, uint32_t GroupSegmentSize,
                      hsa_queue_t **Queue, Create Otherwise);
  hsa_status_t destroy(hsa_queue_t *Queue);
  /// As hsa_queue_inactivate(): what is submitted from now on has no effect.
  hsa_status_t inactivate(hsa_queue_t *Queue);

  /// The application is told that the device has failed. For such events (a
  /// page fault, a memory error, a reset), the driver has stopped all queues of
  /// the process on that device before, and starts none of them again: no
  /// kernel runs there, and nothing is waited for but the tools that were being
  /// told of one that has completed. Queues take packets all the same.
  void deviceFailed(hsa_agent_t Agent);

  /// Ends the tools' part: dispatches from now on run unchanged, also those of
  /// other threads. Waits until all that tools were shown has been
  /// instrumented, every dispatch that was redirected has completed, and the
  /// tools were told.
  ///
  /// How: a barrier packet with a completion signal at the end of each queue
  /// that redirected something; it completes after everything before it.
  /// (Packets have room for one signal, and that is the application's.) A
  /// program may end while a queue waits for something that never comes, or
  /// runs a kernel without an end. So this gives up, and says so, when for
  /// LUTHIER_EXIT_TIMEOUT seconds (60; 0: never) there was no sign of progress
  /// (no queue became idle and no managed variable changed), and after
  /// LUTHIER_EXIT_LIMIT seconds (120; 0: never) in any case. Queues that failed
  /// are not waited for.
  ///
  /// Waits for nothing in a thread that is submitting packets or in a tool's
  /// callback, or if \p Ending, which stands still, is such a thread: it would
  /// be for what comes behind those.
  void drain(pthread_t Ending = ::pthread_self());
  /// Ends the tools' part and waits for nothing: a device has stopped.
  void abandon();
  /// Waiting that has to do with the process's end ends by then. May be called
  /// in signal handlers.
  void hurry(std::chrono::milliseconds Within);
  /// Before the code there is unloaded: until tools were told of the end of its
  /// kernels, which the application has waited for. Not in a tool's callback.
  void drainCompletionsOf(llvm::ArrayRef<AddressRange> Code);
  /// The GPU runtime has started, perhaps anew: waiting has no limit.
  void sessionStarts();
  /// The GPU runtime ends: all queues are gone.
  void clear();

private:
  union Packet;
  class ProgressWatch;
  struct Queue {
    Queue(InterceptedQueues &All, hsa_agent_t Agent)
        : All(All), Agent(Agent), Arguments(Agent) {}

    InterceptedQueues &All;
    const hsa_agent_t Agent;
    hsa_queue_t *Handle = nullptr;
    ErrorCallback OnError = nullptr;
    void *Data = nullptr;
    /// ROCr has one cooperative queue for each agent, and counts its users. An
    /// interceptor that is destroyed deletes the queue below it all the same,
    /// which ROCr then deletes again: 6.4 and 7.2 crash in hsa_shut_down. So
    /// there is one interceptor for all users, and what is destroyed after the
    /// last is the queue below.
    bool Cooperative = false;
    hsa_queue_t *Below = nullptr; ///< Of a cooperative queue.
    unsigned Users = 1;           ///< Under Lock.
    PacketThrottle Throttle;
    KernargCopies Arguments;
    HeldVersions Held;
    CompletionWatcher Completions;
    /// Set by a dispatch that was redirected, reset by drain().
    std::atomic<bool> Redirected = false;
    /// Nothing moves any more: an error, or the application said so.
    std::atomic<bool> Dead = false;
    std::atomic<bool> DeviceFailed = false;
    /// Nobody waits for room in it any more.
    std::atomic<bool> IsBeingDestroyed = false;

    /// Whether there may be no end of what it has been given.
    bool isLost() const { return Dead || DeviceFailed; }
    /// Whether drain() of Completions has to end.
    bool hasToGiveUp(const CompletionWatcher::Progress &Left,
                     ProgressWatch &Watch) const;
  };

  using Clock = std::chrono::steady_clock;

  static void onPackets(const void *Packets, uint64_t Count, uint64_t Index,
                        void *Data,
                        void (*Write)(const void *Packets, uint64_t Count));
  /// A queue that shows its packets to \p Q. Failing that, there is none.
  static hsa_status_t open(Queue &Q, Create Make, uint32_t Size,
                           hsa_queue_type32_t Type, uint32_t PrivateSegmentSize,
                           uint32_t GroupSegmentSize);
  static void onError(hsa_status_t Status, hsa_queue_t *Source, void *Data);
  /// The application's packets as they go to the device, with those that
  /// follow some of them.
  llvm::SmallVector<Packet, 4> showToTools(Queue &Q,
                                           llvm::ArrayRef<Packet> Packets);
  void show(Queue &Q, Packet P, llvm::SmallVectorImpl<Packet> &Out);
  /// Whether kernels with hooks run there that its end would kill.
  bool isBusy(Queue &Q);
  /// False if the queue does not get room for a packet.
  bool appendBarrier(Queue &Q, hsa_signal_t Signal);
  void waitForQueues();
  void waitForCompletions();
  /// False if it gave up.
  bool drainCompletionsOf(Queue &Q);
  bool isOverdue() const {
    return Clock::now().time_since_epoch() >= Deadline.load();
  }
  bool isGone(hsa_queue_t *Handle);
  /// Null if the agent has no cooperative queue yet.
  std::shared_ptr<Queue> shareCooperative(hsa_agent_t Agent);
  llvm::SmallVector<std::shared_ptr<Queue>, 4> listed();

  Dispatcher &Packets;
  CallbackGate &Tools;
  const Progress Counts;
  /// The process ends: waiting has a limit from now on.
  std::atomic<bool> IsEnding = false;
  std::atomic<Clock::duration> Deadline = Clock::duration::max();
  std::mutex Lock;
  /// Waiting threads have shares.
  std::unordered_map<hsa_queue_t *, std::shared_ptr<Queue>> Queues;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_INTERCEPTEDQUEUES_H
