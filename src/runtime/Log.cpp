// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Log.h"
#include "luthier/detail/ProcessEnds.h"
#include "llvm/ADT/SmallString.h"
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace luthier::runtime {

/// Of libluthier-ends.so. Looked for before anybody is in a signal handler.
static const auto IsClosed =
    reinterpret_cast<decltype(&luthier_is_stderr_closed)>(
        ::dlsym(RTLD_DEFAULT, "luthier_is_stderr_closed"));

/// False where the program has closed it and the descriptor may belong to
/// another file of the program by now.
static bool isStderr() {
  struct stat Now;
  return ::fstat(STDERR_FILENO, &Now) == 0 &&
         // Daemons open /dev/null instead, or a log file.
         (!IsClosed || !IsClosed() || !S_ISREG(Now.st_mode) ||
          ::fcntl(STDERR_FILENO, F_GETFL) & O_APPEND);
}

static sigset_t onlySigpipe() {
  sigset_t Set;
  ::sigemptyset(&Set);
  ::sigaddset(&Set, SIGPIPE);
  return Set;
}

SigpipeBlocked::SigpipeBlocked() {
  sigset_t Pending;
  if (::sigpending(&Pending) == 0)
    WasPending = ::sigismember(&Pending, SIGPIPE) == 1;
  const sigset_t Only = onlySigpipe();
  ::pthread_sigmask(SIG_BLOCK, &Only, &Before);
}

SigpipeBlocked::~SigpipeBlocked() {
  const sigset_t Only = onlySigpipe();
  const timespec Now = {};
  if (!WasPending)
    while (::sigtimedwait(&Only, nullptr, &Now) == -1 && errno == EINTR)
      ;
  ::pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

bool writeLine(StringRef Text) {
  if (!isStderr())
    return false;
  const SigpipeBlocked Scope;
  while (!Text.empty()) {
    const ssize_t Written = ::write(STDERR_FILENO, Text.data(), Text.size());
    if (Written < 0 && errno != EINTR)
      return false;
    if (Written > 0)
      Text = Text.drop_front(size_t(Written));
  }
  return true;
}

bool isDebugLogging() {
  static const bool Debug = [] {
    const char *Level = std::getenv("LUTHIER_LOG");
    return Level && StringRef(Level) == "debug";
  }();
  return Debug;
}

void logWarning(const Twine &Message) {
  SmallString<256> Line;
  ("luthier: " + Message + "\n").toVector(Line);
  // Not through stdio or raw_ostream: at exit those may be gone already.
  writeLine(Line);
}

void logDebug(const Twine &Message) {
  if (isDebugLogging())
    logWarning(Message);
}

} // namespace luthier::runtime
