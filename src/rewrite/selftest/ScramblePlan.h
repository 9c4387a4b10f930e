// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to overwrite where, so that all that is free holds garbage as soon as it
// is free, without writing everything at every point: what was overwritten
// before and not written since still holds garbage. At each point these are
// overwritten:
//  - what is free and may hold a value of the application's, on whatever way
//    control came; where there is much of it, a part by chance;
//  - a few of the others, in case the analyses do not know of a write.
#ifndef LUTHIER_REWRITE_SELFTEST_SCRAMBLEPLAN_H
#define LUTHIER_REWRITE_SELFTEST_SCRAMBLEPLAN_H

#include "analysis/InsertionPoint.h"
#include "analysis/RegisterSet.h"
#include "analysis/SharedFacts.h"
#include <memory>
#include <optional>

namespace luthier {

struct ScramblePoint {
  RegisterSet Write; ///< Not empty.
  RegisterSet Free;  ///< All that may be overwritten.
};

class ScramblePlanner;

/// Made function by function, as code is written: of all of a large kernel it
/// would take more memory than the kernel itself.
class ScramblePlan {
public:
  struct Options {
    RegisterSet Universe; ///< What may be overwritten at all.
    RegisterSet Planted;  ///< Taken to be free everywhere.
    unsigned Max = 0;     ///< Of those that hold values yet, at one point.
    uint32_t Seed = 0;
  };
  /// \p Facts, about \p LR, must live on.
  ScramblePlan(const LiftedRepresentation &LR, SharedFacts &Facts,
               const Options &How);
  ~ScramblePlan();

  /// Null where nothing may stand or nothing is to be overwritten. Functions
  /// are asked for in their order.
  const ScramblePoint *at(const InsertionPoint &Where);

private:
  std::unique_ptr<ScramblePlanner> Planner;
};

/// The first aligned pair that is free (in wave32, the first of any pair): EXEC
/// fits into it.
std::optional<unsigned> freePair(const RegisterSet &Free, bool IsWave32);

} // namespace luthier

#endif // LUTHIER_REWRITE_SELFTEST_SCRAMBLEPLAN_H
