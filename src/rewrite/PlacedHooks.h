// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where hooks ended up, in terms of the original: for messages about what goes
// wrong near one.
#ifndef LUTHIER_REWRITE_PLACEDHOOKS_H
#define LUTHIER_REWRITE_PLACEDHOOKS_H

#include "rewrite/Instrumenter.h"
#include "rewrite/VariantPlan.h"

namespace luthier {

/// One entry for each point of \p Plan, in its order.
std::vector<PlacedHook> placedHooks(const LiftedRepresentation &LR,
                                    const VariantPlan &Plan);

} // namespace luthier

#endif // LUTHIER_REWRITE_PLACEDHOOKS_H
