// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Log.h"
#include "llvm/ADT/SmallString.h"
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace luthier::runtime {

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
  [[maybe_unused]] ssize_t Ignored =
      ::write(STDERR_FILENO, Line.data(), Line.size());
}

void logDebug(const Twine &Message) {
  if (isDebugLogging())
    logWarning(Message);
}

} // namespace luthier::runtime
