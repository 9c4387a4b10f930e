// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/Report.h"

#include <unistd.h>

namespace luthier::emulator {

void reportError(const std::string &Message) {
  const std::string Line = "luthier-emulator: " + Message + "\n";
  [[maybe_unused]] ssize_t Written =
      ::write(STDERR_FILENO, Line.data(), Line.size());
}

} // namespace luthier::emulator
