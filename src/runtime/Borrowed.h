// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The application's threads, in which the engine works: they have their own
// ideas of floating point, cancellation and stacks.
#ifndef LUTHIER_RUNTIME_BORROWED_H
#define LUTHIER_RUNTIME_BORROWED_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cfenv>

namespace luthier::runtime {

/// While it lives, floating point is as processes find it (LLVM computes
/// constants of hooks with it, and an application may have traps enabled), and
/// nobody cancels the thread in the middle.
class BorrowedThread {
public:
  BorrowedThread();
  ~BorrowedThread();
  BorrowedThread(const BorrowedThread &) = delete;
  BorrowedThread &operator=(const BorrowedThread &) = delete;

private:
  std::fenv_t Environment;
  int CancelState;
};

/// Runs \p Work: here, or where this thread's stack is too small for a
/// compiler, in a thread that has a larger one.
void withRoomyStack(llvm::function_ref<void()> Work);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_BORROWED_H
