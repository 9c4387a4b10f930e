// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets threads into the tools' callbacks until the tools have had their end.
#ifndef LUTHIER_RUNTIME_CALLBACKGATE_H
#define LUTHIER_RUNTIME_CALLBACKGATE_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
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
    if (!IsClosed)
      Inside.push_back(::pthread_self());
    return !IsClosed;
  }
  void leave() {
    std::lock_guard Guard(Lock);
    // A tool may launch a kernel itself: the thread is in twice then.
    Inside.erase(llvm::find(Inside, ::pthread_self()));
    Idle.notify_all();
  }
  /// Nobody enters from now on.
  void close() {
    std::lock_guard Guard(Lock);
    IsClosed = true;
  }
  bool isInside(pthread_t Thread) {
    std::lock_guard Guard(Lock);
    return llvm::is_contained(Inside, Thread);
  }
  /// Until everybody has left; false if \p GiveUp, which is asked now and then,
  /// comes first.
  bool waitUntilEmpty(llvm::function_ref<bool()> GiveUp) {
    constexpr std::chrono::milliseconds Slice(50);
    std::unique_lock Guard(Lock);
    while (!Idle.wait_for(Guard, Slice, [&] { return Inside.empty(); }))
      if (GiveUp())
        return false;
    return true;
  }

private:
  std::mutex Lock;
  std::condition_variable Idle;
  llvm::SmallVector<pthread_t, 8> Inside;
  bool IsClosed = false;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_CALLBACKGATE_H
