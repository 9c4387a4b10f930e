// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the insertions of a task to the few compilations that serve them all.
#ifndef LUTHIER_REWRITE_PLAN_VARIANTPLAN_H
#define LUTHIER_REWRITE_PLAN_VARIANTPLAN_H

#include "analysis/InsertionPointResolver.h"
#include "analysis/RegisterUse.h"
#include "hook/PayloadCompiler.h"
#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"
#include "rewrite/emit/ArgumentMoves.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace luthier {

/// One run of a hook at one place.
struct PlannedPoint {
  Place Where;
  unsigned Variant = 0; ///< Index into VariantPlan::Variants.
  llvm::SmallVector<ArgumentMove, 2> Moves;
};

struct VariantPlan {
  std::vector<PayloadVariant> Variants;
  /// Those of one place in the order in which they run.
  std::vector<PlannedPoint> Points;
  unsigned ArgumentSGPRs = 0, ArgumentVGPRs = 0;
  /// One per tool module that is used.
  llvm::DenseMap<const HookModule *, std::unique_ptr<PayloadCompiler>>
      Compilers;
};

/// A parameter that takes at most MaxSpecialised constants over all points is
/// compiled in; one that takes more travels in scalar registers, as registers
/// of the application do. So compilations do not multiply with points. The same
/// holds for each constant part of an address. Only parameters that name
/// registers are always compiled in.
inline constexpr unsigned MaxSpecialised = 4;

/// \p LoadBias is added to linked addresses that hooks get to see. Refuses with
/// UnknownHook, HookArguments, NoInsertionPoint and what resolving refuses.
llvm::Expected<VariantPlan> planVariants(const LiftedRepresentation &LR,
                                         const RegisterUse &Use,
                                         const InstrumentationTask &Task,
                                         HookResolver Resolve,
                                         uint64_t LoadBias);

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_VARIANTPLAN_H
