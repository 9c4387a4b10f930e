// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remembers whether stderr has been closed: its descriptor may belong to a file
// of the program then, into which no message must go.
#include "runtime/preload/Ends.h"

#include <fcntl.h>
#include <unistd.h>

namespace luthier::preload {

/// A child of vfork() works in its parent's memory and closes what is its own.
static pid_t ClosedBy = 0;

static void note(bool IsClosed) {
  const pid_t Me = getpid();
  if (IsClosed)
    __atomic_store_n(&ClosedBy, Me, __ATOMIC_RELAXED);
  else if (__atomic_load_n(&ClosedBy, __ATOMIC_RELAXED) == Me)
    __atomic_store_n(&ClosedBy, 0, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void lookAtStart() {
  if (fcntl(STDERR_FILENO, F_GETFD) == -1)
    note(/*IsClosed=*/true);
}

} // namespace luthier::preload

using namespace luthier::preload;

// NOLINTNEXTLINE(readability-identifier-naming)
LUTHIER_INTERPOSED int luthier_is_stderr_closed(void) {
  return __atomic_load_n(&ClosedBy, __ATOMIC_RELAXED) == getpid();
}

LUTHIER_INTERPOSED int close(int Fd) {
  const int Result = LUTHIER_NEXT(close)(Fd);
  if (Fd == STDERR_FILENO && Result == 0)
    note(/*IsClosed=*/true);
  return Result;
}
LUTHIER_INTERPOSED int dup2(int From, int To) noexcept {
  const int Result = LUTHIER_NEXT(dup2)(From, To);
  if (Result == STDERR_FILENO)
    note(/*IsClosed=*/false);
  return Result;
}
LUTHIER_INTERPOSED int dup3(int From, int To, int Flags) noexcept {
  const int Result = LUTHIER_NEXT(dup3)(From, To, Flags);
  if (Result == STDERR_FILENO)
    note(/*IsClosed=*/false);
  return Result;
}
