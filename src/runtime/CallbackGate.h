// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets threads into the tools' callbacks until the tools have had their end.
#ifndef LUTHIER_RUNTIME_CALLBACKGATE_H
#define LUTHIER_RUNTIME_CALLBACKGATE_H

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace luthier::runtime {

class CallbackGate {
public:
  /// False once the gate is closed; leave() follows otherwise.
  bool enter() {
    std::lock_guard Guard(Lock);
    NumInside += !IsClosed;
    return !IsClosed;
  }
  void leave() {
    std::lock_guard Guard(Lock);
    --NumInside;
    Idle.notify_all();
  }
  /// Nobody enters from now on.
  void close() {
    std::lock_guard Guard(Lock);
    IsClosed = true;
  }
  /// Until everybody has left; false if that takes longer. \p Timeout of zero
  /// means for ever.
  bool waitUntilEmpty(std::chrono::seconds Timeout) {
    std::unique_lock Guard(Lock);
    auto isEmpty = [&] { return NumInside == 0; };
    if (Timeout.count())
      return Idle.wait_for(Guard, Timeout, isEmpty);
    Idle.wait(Guard, isEmpty);
    return true;
  }

private:
  std::mutex Lock;
  std::condition_variable Idle;
  unsigned NumInside = 0;
  bool IsClosed = false;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_CALLBACKGATE_H
