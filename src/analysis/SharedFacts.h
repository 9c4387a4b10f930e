// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several steps want to know of the same code, which does not change
// meanwhile. Found out when it is first asked for, and once: of a large kernel
// each takes seconds.
#ifndef LUTHIER_ANALYSIS_SHAREDFACTS_H
#define LUTHIER_ANALYSIS_SHAREDFACTS_H

#include "analysis/Liveness.h"
#include "analysis/LoadsInFlight.h"
#include <optional>

namespace luthier {

class SharedFacts {
public:
  /// \p LR must live on.
  explicit SharedFacts(const LiftedRepresentation &LR) : LR(LR) {}
  /// Facts refer to one another.
  SharedFacts(const SharedFacts &) = delete;
  SharedFacts &operator=(const SharedFacts &) = delete;

  const LivenessBasis &basis() {
    if (!Basis)
      Basis.emplace(LR);
    return *Basis;
  }
  /// Of the application's own reads.
  LivenessOnDemand &liveness() {
    if (!Lives)
      Lives.emplace(basis());
    return *Lives;
  }
  const LoadsInFlight &loads() {
    if (!Loads)
      Loads = LoadsInFlight::run(LR);
    return *Loads;
  }

  /// They take much memory.
  void forget() {
    Loads.reset();
    Lives.reset();
    Basis.reset();
  }

private:
  const LiftedRepresentation &LR;
  std::optional<LivenessBasis> Basis;
  std::optional<LivenessOnDemand> Lives;
  std::optional<LoadsInFlight> Loads;
};

} // namespace luthier

#endif // LUTHIER_ANALYSIS_SHAREDFACTS_H
