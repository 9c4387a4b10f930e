// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All about the hooks of a kernel that is decided before any code is written:
// what they need, in which registers they are compiled, and what each of their
// points saves.
#ifndef LUTHIER_REWRITE_PLAN_HOOKPLAN_H
#define LUTHIER_REWRITE_PLAN_HOOKPLAN_H

#include "analysis/KernelFacts.h"
#include "analysis/RegisterUse.h"
#include "rewrite/plan/CallSiteSpills.h"
#include "rewrite/plan/RegisterPlan.h"
#include "rewrite/plan/VariantPlan.h"
#include "llvm/ADT/DenseMap.h"

namespace luthier {

/// A point with what is to be saved there.
struct ReadyPoint {
  const PlannedPoint *Point; ///< One of VariantPlan::Points.
  PointSaves Saves;
};

struct HookPlan {
  VariantPlan Variants;
  HookNeeds Needs;
  FramePlan Frame;
  std::vector<Payload> Payloads; ///< Of VariantPlan::Variants.
  /// By Place::key(), in the order in which they run.
  llvm::DenseMap<std::pair<const void *, const void *>,
                 llvm::SmallVector<ReadyPoint, 1>>
      Points;
  KernelHazards Hazards;
};

/// \p Use is what the kernel uses. Refuses what cannot be had.
llvm::Expected<HookPlan>
planHooks(const LiftedRepresentation &LR, const InstrumentationTask &Task,
          HookResolver Resolve, const InstrumenterOptions &Options,
          const RegisterUse &Use, amdgpu::MachineEncoder &Encoder);

/// Registers of the application that \p Point reads.
RegisterSet readsOf(const HookPlan &Plan, const PlannedPoint &Point);

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_HOOKPLAN_H
