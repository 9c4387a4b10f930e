// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One hardware queue: a host thread that takes packets from a ring in memory.
// Doorbells are plain memory, so an idle queue has to look; it looks less often
// the longer nothing came, and sleeps in the end, if somebody watches them.
#ifndef LUTHIER_EMULATOR_CP_QUEUE_H
#define LUTHIER_EMULATOR_CP_QUEUE_H

#include "emulator/cp/DoorbellWatch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace luthier::emulator {

class Queue {
public:
  /// \p Watch, which may be null, tells of rings of \p Doorbell.
  Queue(const uint64_t *Doorbell, DoorbellWatch *Watch)
      : Doorbell(Doorbell), Watch(Watch) {}
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;
  virtual ~Queue();

  void start();
  /// Ends the thread: at once when it is idle or waits for something, else as
  /// soon as the packet in flight can be left. Derived classes call this in
  /// their destructor, before what their packets use is gone.
  void stop();
  /// An inactive queue takes no new packet.
  void setActive(bool Active);
  /// How often it has looked and found that it has to wait: for a packet, or
  /// within one. After two more looks it has seen what was there before them.
  uint64_t looks() const { return Looks.load(); }
  /// Lets kernels use global wave sync. False where there is none.
  virtual bool allowGlobalSync() { return false; }
  /// The compute units that kernels which begin from now on run on, a bit for
  /// each. False if no device takes such a mask. Where no kernels run, it says
  /// nothing.
  virtual bool setUnitMask(std::vector<uint32_t> Mask) {
    (void)Mask;
    return true;
  }

protected:
  /// Handles one packet. False when there is none.
  virtual bool processPacket() = 0;

  /// Whether what comes next comes with a ring.
  virtual bool waitsForRing() const { return true; }

  /// True once the queue is to stop; what runs then shall end.
  const std::atomic<bool> &stopping() const { return Stopping; }

  /// Calls \p Act while the queue is active, which it stays meanwhile: who
  /// makes it inactive knows that it has been done, or will not be. Waits
  /// within a packet. False when the queue is being stopped instead.
  bool whileActive(llvm::function_ref<void()> Act);

  /// Waits within a packet. False when the queue is being stopped instead.
  bool waitUntil(llvm::function_ref<bool()> Ready);

private:
  class IdleWait;
  void run();

  const uint64_t *const Doorbell;
  DoorbellWatch *const Watch;
  std::atomic<bool> Stopping{false};
  std::mutex ActiveMutex;
  std::atomic<bool> Active{true};
  std::atomic<uint64_t> Looks{0};
  std::mutex StopMutex;
  std::condition_variable StopRequested;
  std::thread Thread;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_QUEUE_H
