// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that stay for the next dispatch: to wake one takes a fraction of what
// it takes to start one, and its memory is there already.
#ifndef LUTHIER_EMULATOR_EXEC_HELPERTHREADS_H
#define LUTHIER_EMULATOR_EXEC_HELPERTHREADS_H

#include <functional>
#include <memory>
#include <mutex>
#include <sys/types.h>

namespace luthier::emulator {

/// Thread-safe.
class HelperThreads {
public:
  HelperThreads();
  /// All tasks have been waited for.
  ~HelperThreads();

  /// Outlives its run; used once.
  class Task {
  public:
    explicit Task(std::function<void()> Work) : Work(std::move(Work)) {}

  private:
    friend HelperThreads;
    std::function<void()> Work;
    bool Done = false;
  };
  /// Begins at once, whatever other threads are busy with: dispatches may wait
  /// for one another. False if the host has no thread for it.
  bool start(Task &T);
  void wait(Task &T);

private:
  struct State;
  /// Threads do not follow into a forked child, which begins anew: what others
  /// waited for at that time can be neither used nor destroyed.
  State &state();

  std::mutex Mutex;
  std::unique_ptr<State> S;
  pid_t Process;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_HELPERTHREADS_H
