// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The application's queues, with Luthier between it and the hardware: every
// packet passes through a callback before it reaches the device. Queues that
// the GPU runtime makes for itself (copies) do not come here.
#ifndef LUTHIER_RUNTIME_INTERCEPTEDQUEUES_H
#define LUTHIER_RUNTIME_INTERCEPTEDQUEUES_H

#include "runtime/InstrumentationCache.h"
#include "runtime/KernargCopies.h"
#include "runtime/PacketThrottle.h"
#include "llvm/ADT/ArrayRef.h"
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <hsa/hsa.h>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace luthier::runtime {

/// Thread-safe.
class InterceptedQueues {
public:
  using ErrorCallback = void (*)(hsa_status_t, hsa_queue_t *, void *);

  /// As hsa_queue_create(). Gives a plain queue where the runtime cannot
  /// intercept; its dispatches run unchanged.
  hsa_status_t create(hsa_agent_t Agent, uint32_t Size, hsa_queue_type32_t Type,
                      ErrorCallback OnError, void *Data,
                      uint32_t PrivateSegmentSize, uint32_t GroupSegmentSize,
                      hsa_queue_t **Queue);
  hsa_status_t destroy(hsa_queue_t *Queue);
  /// As hsa_queue_inactivate(): what is submitted from now on has no effect.
  hsa_status_t inactivate(hsa_queue_t *Queue);

  /// Ends the tools' part: dispatches from now on run unchanged, also those of
  /// other threads. Waits until all that tools were shown has been instrumented
  /// and every dispatch that was redirected has completed.
  ///
  /// How: a barrier packet with a completion signal at the end of each queue
  /// that redirected something; it completes after everything before it.
  /// (Packets have room for one signal, and that is the application's.) A
  /// program may end while a queue waits for something that never comes. So
  /// this gives up, and says so, when for LUTHIER_EXIT_TIMEOUT seconds (60; 0:
  /// never) there was no sign of progress: no queue became idle and no managed
  /// variable changed. Queues that failed are not waited for.
  ///
  /// Waits for nothing in a thread that is submitting packets: it would be for
  /// packets behind those.
  void drain();
  /// True in a thread that is submitting packets.
  static bool isSubmitting();
  /// What the packet asks for that tools are being shown in this thread, as the
  /// application wrote it; zero outside of Tool::onDispatch().
  static LaunchSizes currentLaunch();
  /// True if those packets are for a queue of cooperative launches.
  static bool isSubmittingCooperative();
  /// The arguments for \p Packet, not redirected yet, when it runs \p Target:
  /// the application's own, or a copy with those that hooks need besides. The
  /// copy stays until the packet that is being submitted has completed.
  static llvm::Expected<void *>
  argumentsFor(const hsa_kernel_dispatch_packet_t &Packet,
               const Redirection &Target);
  /// The GPU runtime has started, perhaps anew: waiting has no limit.
  void sessionStarts();
  /// The GPU runtime ends: all queues are gone.
  void clear();

private:
  union Packet;
  struct Queue {
    explicit Queue(hsa_agent_t Agent) : Arguments(Agent) {}

    hsa_queue_t *Handle = nullptr;
    ErrorCallback OnError = nullptr;
    void *Data = nullptr;
    bool Cooperative = false;
    PacketThrottle Throttle;
    KernargCopies Arguments;
    /// Set by a dispatch that was redirected, reset by drain().
    std::atomic<bool> Redirected = false;
    /// Nothing moves any more: an error, or the application said so.
    std::atomic<bool> Dead = false;
  };

  /// Lets tools see packets until they have their end, which waits for threads
  /// that are at it.
  class Showing {
  public:
    bool begin();
    void end();
    /// False if somebody stayed longer than exitTimeout().
    bool forbid(bool Waits);

  private:
    std::mutex Lock;
    std::condition_variable Idle;
    unsigned Inside = 0;
    bool Allowed = true;
  };

  /// The queue that this thread is submitting packets to.
  static thread_local Queue *Submitting;

  static void onPackets(const void *Packets, uint64_t Count, uint64_t Index,
                        void *Data,
                        void (*Write)(const void *Packets, uint64_t Count));
  static void onError(hsa_status_t Status, hsa_queue_t *Source, void *Data);
  void showToTools(Queue &Q, llvm::MutableArrayRef<Packet> Packets);
  /// False if the queue does not get room for a packet.
  static bool appendBarrier(Queue &Q, hsa_signal_t Signal);
  void waitForQueues();
  bool isGone(hsa_queue_t *Handle);

  Showing Tools;
  std::mutex Lock;
  std::unordered_map<hsa_queue_t *, std::unique_ptr<Queue>> Queues;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_INTERCEPTEDQUEUES_H
