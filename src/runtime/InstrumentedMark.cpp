// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/InstrumentedMark.h"
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

namespace luthier::runtime {

void markInstrumented() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    const char *Path = std::getenv(InstrumentedMarkVariable);
    if (!Path)
      return;
    const int File = ::open(Path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (File >= 0)
      ::close(File);
  });
}

} // namespace luthier::runtime
