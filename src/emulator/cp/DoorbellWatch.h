// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wakes queues when somebody rings. A doorbell is plain memory, so that nobody
// but who looks learns of a ring. Once all queues of a device have been idle
// for a while, the pages that they are rung through are write-protected, by
// userfaultfd(2): the first ring waits until the queues are awake and the pages
// are writable again.
#ifndef LUTHIER_EMULATOR_CP_DOORBELLWATCH_H
#define LUTHIER_EMULATOR_CP_DOORBELLWATCH_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace luthier::emulator {

/// Thread-safe. Times are the host's, in nanoseconds.
class DoorbellWatch {
public:
  /// How long queues have nothing to do before it is worth stopping who rings.
  static constexpr uint64_t QuietTime = 500'000;
  /// A sleep ends without a ring, too, should one not be noticed.
  static constexpr uint64_t UsualLongestSleep = 50'000'000;

  /// Why somebody is awake.
  enum class Woken {
    ByOwnRing, ///< Which is about to be seen: who rings goes on meanwhile.
    ByOthers,  ///< By another ring, or by wake().
    ByTime,
  };

  /// Of the doorbells of a device, which begin at \p Doorbells for the queues.
  /// Null where Linux has no such thing for shared memory (before 5.19), or
  /// does not let the process have it, as in some containers.
  static std::unique_ptr<DoorbellWatch>
  create(const uint64_t *Doorbells, uint64_t LongestSleep = UsualLongestSleep);
  ~DoorbellWatch();
  DoorbellWatch(const DoorbellWatch &) = delete;
  DoorbellWatch &operator=(const DoorbellWatch &) = delete;

  /// All of them are written through these whole pages of shared memory, too,
  /// until they are unmapped. What cannot be watched is not.
  void add(void *Begin, size_t Size);

  /// A queue of the device has handled a packet.
  void noteWork(uint64_t Now) {
    LastWork.store(Now, std::memory_order_relaxed);
  }

  /// Who looks at a doorbell after this, and finds nothing, can sleep().
  /// Nothing as long as queues are not quiet, or there is nothing to watch.
  std::optional<uint64_t> arm(uint64_t Now);
  /// Returns when a doorbell, \p Own or another one, was rung since \p Armed,
  /// which arm() gave, or wake() was called; else after the longest sleep.
  Woken sleep(uint64_t Armed, const uint64_t *Own);
  void wake();
  /// How many sleep now.
  unsigned sleepers();

private:
  struct Pages {
    uint64_t Begin, Size;
  };

  DoorbellWatch(const uint64_t *Doorbells, uint64_t LongestSleep, int Faults,
                int End);
  void listen();
  bool isOpen() const;
  std::optional<uint64_t> waitForFault() const;
  bool noteRing(uint64_t Address);
  void giveUp();
  bool setProtected(const Pages &Where, bool IsProtected) const;
  void setProtected(bool IsProtected);
  void release(const Pages &Where) const;

  const uint64_t *const Doorbells;
  const std::chrono::nanoseconds Longest;
  const int Faults;               ///< The file that tells of them.
  const int End;                  ///< An eventfd: the thread shall end.
  uint64_t Device = 0, Inode = 0; ///< Of Faults.
  std::mutex Lock;
  std::condition_variable Changed;
  std::vector<Pages> Watched;
  bool IsArmed = false;
  bool IsOver = false; ///< Nothing is watched any more.
  unsigned Sleepers = 0;
  uint64_t Rings = 0; ///< That were noticed, and calls of wake().
  const uint64_t *LastRung = nullptr; ///< As the queues see it.
  std::atomic<uint64_t> LastWork{0};
  std::thread Listener;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_DOORBELLWATCH_H
