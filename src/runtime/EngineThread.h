// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread in which hooks are compiled and kernels built. The application's
// threads wait for it, so it makes nothing parallel. But the memory that the
// compiler has used once is at hand for the next kernel, whichever thread
// launches it: allocators keep what a thread has freed for that thread, and
// several thousand pages that a thread touches for the first time take longer
// than to compile a hook. And what a process does only once, such as to read
// LLVM from disk and relocate it, can be done before there is a kernel.
#ifndef LUTHIER_RUNTIME_ENGINETHREAD_H
#define LUTHIER_RUNTIME_ENGINETHREAD_H

#include "runtime/CallContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

namespace luthier::runtime {

/// Thread-safe. Never destroyed: the thread is there until the process ends.
class EngineThread {
public:
  /// Runs \p Work in the thread, with EngineLock held, which the caller must
  /// not hold, and returns when it has ended. In the caller's thread instead:
  /// where that is the engine's, in a forked child, where no thread is to be
  /// had, and where tools have registered intrinsics, since their lowerings may
  /// ask in which thread they are and throw exceptions.
  void run(llvm::function_ref<void()> Work);
  /// Has \p Work run in the thread, with EngineLock held, before anybody waits
  /// for the thread; or never.
  void post(std::function<void()> Work);
  /// Has the allocator keep memory for the thread that it never gives back to
  /// the system, as much as a kernel takes. glibc's gives back what is free at
  /// the end of a thread's memory, and asks for it again in steps of a page.
  /// The pages are had now, at once, so that the next kernel waits for none.
  /// The thread begins with that; for post(), behind what has taken memory for
  /// good.
  static void keepMemory();
  /// Returns when nothing that was posted runs any more, or after ten seconds;
  /// what has not begun is left out. At once in the engine's thread, when the
  /// compiler ends the program.
  void settle();
  /// As settle(), and nothing that is posted from now on runs. Waits, as long,
  /// until nobody waits for the thread, too: exit() destroys what LLVM needs.
  /// May be called in a signal handler while the thread works for the one that
  /// the signal has interrupted.
  void end();
  /// Somebody waits for the thread, or the process ends: what was posted had
  /// better end, too.
  bool isWanted() const { return For.load() != pthread_t() || IsOver; }
  /// The thread that \p Thread works for, if it is the engine's and somebody
  /// waits for it; else \p Thread.
  pthread_t actingFor(pthread_t Thread) const;

private:
  /// In a child that was forked when there was a thread.
  bool isOfParent() const { return StartedIn && StartedIn != ::getpid(); }
  bool isHere() const { return IsStarted && isEngine(::pthread_self()); }
  bool isEngine(pthread_t Other) const {
    return ::pthread_equal(Thread, Other) != 0;
  }
  bool start();
  void serve();

  std::mutex Turn; ///< Of those who wait for the thread. Taken before Lock.
  std::mutex Lock;
  std::condition_variable Changed;
  // Under Lock, but for what is atomic:
  std::atomic<pid_t> StartedIn = 0; ///< 0: not tried yet.
  std::atomic<bool> IsStarted = false;
  pthread_t Thread = {}; ///< Set before IsStarted.
  std::atomic<const llvm::function_ref<void()> *> Wanted = nullptr;
  std::atomic<pthread_t> For = {}; ///< While Wanted is set.
  /// What For is in the middle of; null if that is nothing of ours.
  const CallContext *ContextOfWanted = nullptr;
  std::deque<std::function<void()>> Posted;
  std::atomic<bool> RunsPosted = false;
  std::atomic<bool> IsOver = false;
};

/// Lives until the process is gone.
EngineThread &engineThread();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_ENGINETHREAD_H
