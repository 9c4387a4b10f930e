// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets threads into the tools' callbacks until the tools have had their end.
#ifndef LUTHIER_RUNTIME_CALLBACKGATE_H
#define LUTHIER_RUNTIME_CALLBACKGATE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>

namespace luthier::runtime {

class CallbackGate {
public:
  /// False once the gate is closed; leave() follows otherwise.
  bool enter() {
    std::lock_guard Guard(Lock);
    if (IsClosed)
      return false;
    ++NumInside;
    replace(pthread_t(), ::pthread_self());
    return true;
  }
  void leave() {
    std::lock_guard Guard(Lock);
    --NumInside;
    // A tool may launch a kernel itself: the thread is in twice then.
    replace(::pthread_self(), pthread_t());
    Idle.notify_all();
  }
  /// Nobody enters from now on.
  void close() {
    std::lock_guard Guard(Lock);
    IsClosed = true;
  }
  /// Whether a thread is in a callback, as far as is remembered. May be called
  /// in signal handlers.
  bool isInside(pthread_t Thread) const {
    for (const std::atomic<pthread_t> &Each : Inside)
      if (Each == Thread)
        return true;
    return false;
  }
  /// Until everybody has left; false if \p GiveUp, which is asked now and then,
  /// comes first.
  bool waitUntilEmpty(llvm::function_ref<bool()> GiveUp) {
    constexpr std::chrono::milliseconds Slice(50);
    std::unique_lock Guard(Lock);
    while (!Idle.wait_for(Guard, Slice, [&] { return NumInside == 0; }))
      if (GiveUp())
        return false;
    return true;
  }

private:
  /// Under Lock.
  void replace(pthread_t Old, pthread_t New) {
    for (std::atomic<pthread_t> &Each : Inside)
      if (Each == Old) {
        Each = New;
        return;
      }
  }

  std::mutex Lock;
  std::condition_variable Idle;
  unsigned NumInside = 0;
  bool IsClosed = false;
  /// Of more threads than that at a time, some are not remembered.
  std::array<std::atomic<pthread_t>, 64> Inside = {};
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_CALLBACKGATE_H
