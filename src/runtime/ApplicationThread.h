// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The application's threads, in which the engine works: they have their own
// ideas of floating point, cancellation and stacks.
#ifndef LUTHIER_RUNTIME_APPLICATIONTHREAD_H
#define LUTHIER_RUNTIME_APPLICATIONTHREAD_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cfenv>
#include <pthread.h>

namespace luthier::runtime {

/// While it lives, floating point is as processes find it (LLVM computes
/// constants of hooks with it, and an application may have traps enabled), and
/// nobody cancels the thread in the middle.
class ApplicationThreadScope {
public:
  ApplicationThreadScope();
  ~ApplicationThreadScope();
  ApplicationThreadScope(const ApplicationThreadScope &) = delete;
  ApplicationThreadScope &operator=(const ApplicationThreadScope &) = delete;

private:
  std::fenv_t Environment;
  int CancelState;
};

/// Runs \p Work: here, or in a thread with a larger stack where this thread's
/// is too small for a compiler, or is not the one that the thread was made with
/// (a fiber's, a signal handler's), so that nobody knows its size.
void runOnLargeStack(llvm::function_ref<void()> Work);

/// A thread with a large stack that no signal of the application's reaches, but
/// for those of its own faults.
/// False if there is none to be had.
bool startThread(void *(*Main)(void *), void *Argument, pthread_t &Thread);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_APPLICATIONTHREAD_H
