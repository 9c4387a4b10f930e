// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LUTHIER_TIMINGS=FILE appends one JSON object per instrumented kernel: where
// the time between packet and launch went, and what the instrumentation cost.
#ifndef LUTHIER_RUNTIME_TIMINGS_H
#define LUTHIER_RUNTIME_TIMINGS_H

#include "rewrite/Result.h"
#include "llvm/ADT/StringRef.h"

namespace luthier::runtime {

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
