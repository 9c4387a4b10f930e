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
#include <atomic>
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

  /// Waits until every dispatch that was redirected has completed.
  ///
  /// How: a barrier packet with a completion signal at the end of each queue
  /// that redirected something; it completes after everything before it.
  /// (Packets have room for one signal, and that is the application's.) A
  /// program may end while a queue waits for something that never comes. So
  /// this gives up, and says so, when for LUTHIER_EXIT_TIMEOUT seconds (60; 0:
  /// never) there was no sign of progress: no queue became idle and no managed
  /// variable changed.
  void drain();
  /// True in a thread that is submitting packets: in it, drain() would wait for
  /// packets behind those.
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
  };

  /// The queue that this thread is submitting packets to.
  static thread_local Queue *Submitting;

  static void onPackets(const void *Packets, uint64_t Count, uint64_t Index,
                        void *Data,
                        void (*Write)(const void *Packets, uint64_t Count));
  static void onError(hsa_status_t Status, hsa_queue_t *Source, void *Data);
  /// False if the queue does not get room for a packet.
  static bool appendBarrier(hsa_queue_t *Queue, hsa_signal_t Signal);

  std::mutex Lock;
  std::unordered_map<hsa_queue_t *, std::unique_ptr<Queue>> Queues;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_INTERCEPTEDQUEUES_H
