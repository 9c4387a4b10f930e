// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells tools when dispatches have completed: Tool::onComplete().
//
// Behind the dispatch, two barrier packets are submitted. The first completes
// when the dispatch has; a thread of the queue's own waits for that and calls
// the tools. The second completes when they have returned: until then nothing
// behind it runs. (The packet's own completion signal is the application's, and
// stays as it is.)
//
//   dispatch
//   barrier, after all before it      completes: Done - 1
//   barrier, waits for Resume[i] == 0
//
// A queue has three signals, however many dispatches are under way. Done counts
// down. Dispatches take turns with Resume: when one has completed, the barrier
// of the dispatch before it has been passed, whose signal can be set again.
#ifndef LUTHIER_RUNTIME_COMPLETIONWATCHER_H
#define LUTHIER_RUNTIME_COMPLETIONWATCHER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <hsa/hsa.h>
#include <memory>
#include <mutex>

namespace luthier::runtime {

/// Of one queue. Nothing is made before the first add().
class CompletionWatcher {
public:
  using Callback = std::function<void()>;

  CompletionWatcher() = default;
  /// Stops it. The queue has to be destroyed already.
  ~CompletionWatcher();
  CompletionWatcher(const CompletionWatcher &) = delete;
  CompletionWatcher &operator=(const CompletionWatcher &) = delete;

  /// Has \p Work run when what is submitted before \p Barriers, a dispatch of
  /// \p KernelObject, has completed. Nothing behind them runs before it has
  /// returned. False if the GPU runtime or the system has no means for that
  /// left. ROCr calls one thread at a time for a queue.
  bool add(Callback Work, uint64_t KernelObject,
           hsa_barrier_and_packet_t (&Barriers)[2]);

  /// Callbacks that have not returned.
  size_t numPending() const;
  struct Progress {
    size_t NumPending;
    /// A dispatch has completed whose callback has not returned.
    bool IsTelling;
  };
  /// Until those have returned that are pending now, or have been stopped.
  /// Waits for those up to the last one whose KernelObject \p Concerns, if
  /// given. False if \p GiveUp, which is asked several times a second, said so
  /// first. Other threads may go on adding.
  bool drain(
      llvm::function_ref<bool(const Progress &)> GiveUp,
      llvm::function_ref<bool(uint64_t KernelObject)> Concerns = nullptr) const;

  /// Calls nobody any more, and lets the queue go on.
  void stop();

private:
  struct State;
  bool open();
  std::shared_ptr<State> share() const;

  mutable std::mutex OpenLock; ///< Of S.
  /// The thread has a share of it.
  std::shared_ptr<State> S;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_COMPLETIONWATCHER_H
