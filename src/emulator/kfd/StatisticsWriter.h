// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the driver writes what was counted: at the process's end, however it
// ends, and from time to time before, for processes that are killed.
//
// At exit(), a destructor of the library does so. Of other ends (_exit(), a
// signal, exec) libluthier-ends.so tells, which `luthier run` preloads. The
// ending thread may be inside a signal handler then, with locks of anybody
// held: a thread that was made ready for this writes, and the ending thread
// waits for a limited time.
#ifndef LUTHIER_EMULATOR_KFD_STATISTICSWRITER_H
#define LUTHIER_EMULATOR_KFD_STATISTICSWRITER_H

#include "luthier/detail/ProcessEnds.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <pthread.h>

namespace luthier::emulator {

/// Never destroyed once it is started.
class StatisticsWriter {
public:
  enum class When {
    InBetween,
    /// After it, the process most likely ends.
    AtFault,
    AtEnd,
    /// Another program takes the process over, if it can be started.
    AtExec
  };
  using Write = std::function<void(When)>;

  explicit StatisticsWriter(Write ToDo) : ToDo(std::move(ToDo)) {}

  /// Without a thread to be had, there is the report at exit() alone.
  void start();
  /// In the calling thread; one report at a time.
  void write(When W);
  /// None comes behind it, not even one that waited for this to be written.
  void writeLast();
  /// Sudden ends are seen, too: none passes without a report.
  bool seesAllEnds() const { return SeesAllEnds; }

private:
  using Clock = std::chrono::steady_clock;
  enum Phase : int { Running, Wanted, Written };

  static luthier_end_answer onEnd(const luthier_process_end *How);
  luthier_end_answer endsSuddenly(const luthier_process_end &How);
  void run();
  /// How long until the next report in between.
  Clock::duration writeInBetween();

  // Or signal handlers could not use them.
  static_assert(std::atomic<Clock::duration>::is_always_lock_free);

  const Write ToDo;
  std::mutex Writing;
  bool HasEnded = false, HasFaulted = false; ///< Under Writing.
  std::chrono::milliseconds Limit{0};
  pthread_t Thread = {};
  std::atomic<bool> SeesAllEnds = false;
  std::atomic<int> Now = Running; ///< A futex.
  std::atomic<bool> IsExec = false;
  /// When the limit is reached, once an end has begun.
  std::atomic<Clock::duration> EndsBy = Clock::duration(0);
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_STATISTICSWRITER_H
