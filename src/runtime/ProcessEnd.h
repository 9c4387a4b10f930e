// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tools' end, whichever way the process ends. Where that is exit(), the
// ending thread does the work. Else (_exit(), a signal, exec) it may be inside
// a signal handler, with locks of anybody held: a thread that was made ready
// for this does the work, and the ending thread waits for a limited time.
#ifndef LUTHIER_RUNTIME_PROCESSEND_H
#define LUTHIER_RUNTIME_PROCESSEND_H

#include "luthier/detail/ProcessEnds.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <pthread.h>
#include <string>
#include <unistd.h>

namespace luthier::runtime {

/// Of this process; thread-safe. What is marked so may be called in signal
/// handlers.
class ProcessEnd {
public:
  struct Work {
    /// Has the tools' kernels end. The thread is the one that ends the process
    /// and stands still meanwhile.
    std::function<void(pthread_t Ending)> Drain;
    /// Has Drain end soon. Called in signal handlers.
    std::function<void(std::chrono::milliseconds Within)> Hurry;
    /// Calls the tools.
    std::function<void()> Tell;
    /// Whether the thread is inside a tool. Called in signal handlers.
    std::function<bool(pthread_t Thread)> IsInTool;
    /// Ends the process by a signal that was not left to take its course.
    std::function<void(int Signal)> Raise;
  };

  explicit ProcessEnd(Work ToDo) : ToDo(std::move(ToDo)) {}

  /// Makes the threads ready, once in each process. endsSuddenly() waits
  /// \p Limit at most. False if that is zero or there are no threads: then
  /// endsSuddenly() does nothing.
  bool prepare(std::chrono::seconds Limit);

  /// In the thread that calls exit() or shuts the GPU runtime down. \p How is
  /// for reports.
  void endsHere(const char *How = "exit");

  /// Any other end. The process is to end when the tools have been told, or the
  /// limit is reached. In signal handlers.
  luthier_end_answer endsSuddenly(const luthier_process_end &How);

  /// A device stopped, which usually ends the process. The first one counts.
  void noteFault(const std::string &What);
  bool hasFault() const { return HasFault; }

  /// Such as "exit", "_exit(3)", "SIGTERM", "exec of /bin/x".
  std::string describe() const;
  /// By exit(), as far as is known.
  bool isOrderly() const { return !HasCause; }

private:
  using Clock = std::chrono::steady_clock;
  enum Phase : int { Running, Wanted, Ending, Ended };

  bool isEnding(pthread_t Thread) const;
  bool record(const luthier_process_end &How);
  void begin(const luthier_process_end &How);
  void giveUp();
  template <void (ProcessEnd::*Main)()> bool start();
  void tellWhenWanted();
  void drainWhenWanted();

  // Or signal handlers could not use them.
  static_assert(std::atomic<pthread_t>::is_always_lock_free &&
                std::atomic<Clock::duration>::is_always_lock_free);

  const Work ToDo;
  std::chrono::milliseconds Limit{0};
  pid_t PreparedIn = 0;
  // Phases, and futexes.
  std::atomic<int> Now = Running;
  std::atomic<int> Drain = Running; ///< By the other prepared thread.
  std::atomic<pthread_t> Ender = {};
  /// When the limit is reached, once an end has begun.
  std::atomic<Clock::duration> EndsBy = Clock::duration(0);

  // How the process ends, once HasCause is set.
  std::atomic_flag IsRecorded;
  std::atomic<bool> HasCause = false;
  luthier_end_kind Kind = LUTHIER_END_EXIT;
  int Value = 0;
  pthread_t Caller = {};
  std::array<char, 256> Text = {}; ///< A program, or "quick_exit".

  std::atomic<int> Postponed = 0; ///< A signal.
  std::atomic_flag HasSaidLimit;

  std::atomic_flag FaultLock;
  std::atomic<bool> HasFault = false;
  std::array<char, 128> Fault = {};
};

/// Lives until the process is gone.
ProcessEnd &processEnd();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_PROCESSEND_H
