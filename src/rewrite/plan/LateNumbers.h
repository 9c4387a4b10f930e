// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where waves compute the numbers that they keep (KeptNumbers.h). What these
// are computed from is loaded, which takes long if nothing else is going on.
// Where no hook asks before the kernel first waits for something, they are
// computed there: the kernel's own loads and these then are on their way
// together.
#ifndef LUTHIER_REWRITE_PLAN_LATENUMBERS_H
#define LUTHIER_REWRITE_PLAN_LATENUMBERS_H

#include "analysis/Liveness.h"
#include "rewrite/Options.h"
#include "rewrite/plan/HookPlan.h"

namespace luthier {

/// For all that is planned in \p Plan, where \p Lives is what the application
/// reads. Nothing: when waves begin.
std::optional<LateNumbers> planLateNumbers(const LiftedRepresentation &LR,
                                           const HookPlan &Plan,
                                           LivenessOnDemand &Lives,
                                           const InstrumenterOptions &Options);

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_LATENUMBERS_H
