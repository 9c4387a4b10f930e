// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LUTHIER_TIMINGS=FILE appends one JSON object per instrumented kernel: where
// the time between packet and launch went, and what the instrumentation cost.
#ifndef LUTHIER_RUNTIME_TIMINGS_H
#define LUTHIER_RUNTIME_TIMINGS_H

#include "rewrite/Result.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>

namespace luthier::runtime {

class Stopwatch {
public:
  /// Since construction or the last call.
  double lap() {
    auto Now = std::chrono::steady_clock::now();
    double Seconds = std::chrono::duration<double>(Now - Last).count();
    Last = Now;
    return Seconds;
  }

private:
  std::chrono::steady_clock::time_point Last = std::chrono::steady_clock::now();
};

/// Seconds of what only the runtime sees; the report holds the engine's.
struct RuntimeTimes {
  double Lift = 0, Mutate = 0, Load = 0, Total = 0;
};

/// "-" as the file name means standard error.
void recordTimings(llvm::StringRef Kernel, llvm::StringRef Preset,
                   const InstrumentationReport &Report,
                   const RuntimeTimes &Times);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TIMINGS_H
