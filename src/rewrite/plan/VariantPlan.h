// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the calls of a task to the few compilations that serve them all.
#ifndef LUTHIER_REWRITE_PLAN_VARIANTPLAN_H
#define LUTHIER_REWRITE_PLAN_VARIANTPLAN_H

#include "analysis/InsertionPoint.h"
#include "hook/Payload.h"
#include "rewrite/emit/ArgumentMoves.h"
#include "rewrite/resolve/ResolvedTask.h"

namespace luthier {

/// One run of a hook at one insertion point.
struct CallSite {
  InsertionPoint Where;
  unsigned Variant = 0; ///< Index into VariantPlan::Variants.
  llvm::SmallVector<ArgumentMove, 2> Moves;
  llvm::SmallVector<uint32_t, 2> Literals; ///< For Payload::Literals.
};

struct VariantPlan {
  std::vector<PayloadVariant> Variants;
  /// Those of one insertion point in the order in which they run.
  std::vector<CallSite> CallSites;
  unsigned ArgumentSGPRs = 0, ArgumentVGPRs = 0;
};

/// A parameter that takes few constants (FewConstants) over all call sites of
/// this kernel and those before is compiled in, if that may save code
/// (ConstantUse); of any other, each copy of the payload has its constant as a
/// literal. So compilations do not multiply with call sites, nor with kernels
/// that each have their own constant. The same holds for each constant part of
/// an address. Only parameters that name registers are always compiled in.
VariantPlan chooseVariants(const ResolvedTask &Task,
                           const amdgpu::MCTarget &Target);

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_VARIANTPLAN_H
