// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LUTHIER_REWRITE_STOPWATCH_H
#define LUTHIER_REWRITE_STOPWATCH_H

#include <chrono>
#include <utility>

namespace luthier {

class Stopwatch {
public:
  /// Seconds since construction or the last call.
  double lap() {
    const auto Now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(Now - std::exchange(Last, Now))
        .count();
  }

private:
  std::chrono::steady_clock::time_point Last = std::chrono::steady_clock::now();
};

} // namespace luthier

#endif // LUTHIER_REWRITE_STOPWATCH_H
