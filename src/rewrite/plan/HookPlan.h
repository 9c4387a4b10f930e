// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All about the hooks of a kernel that is decided before any code is written:
// the code of their payloads, the registers that it was compiled for, and what
// each call site saves around it.
#ifndef LUTHIER_REWRITE_PLAN_HOOKPLAN_H
#define LUTHIER_REWRITE_PLAN_HOOKPLAN_H

#include "analysis/KernelFacts.h"
#include "rewrite/plan/CallSiteSpills.h"
#include "rewrite/plan/RegisterPlan.h"
#include "rewrite/plan/VariantPlan.h"
#include "llvm/ADT/MapVector.h"
#include <deque>

namespace luthier {

struct PlannedCallSite {
  const CallSite *Site; ///< One of VariantPlan::CallSites.
  /// One of HookPlan::Spills. Sites that share it have the same variant and
  /// the same moves.
  const CallSiteSpills *Spills;
};

/// See LateNumbers.h.
struct LateNumbers {
  InsertionPoint At;
  llvm::MCRegister Arguments; ///< Has the address of the kernel's, as a pair.
  bool KeepsSCC;
};

struct HookPlan {
  VariantPlan Variants;
  KernelNeeds Needs;
  KernelFacts Facts;
  RegisterPlan Registers;
  std::vector<Payload> Payloads; ///< Of VariantPlan::Variants.
  /// With attempts that did not suffice.
  PayloadCounts Counts;
  double CompileTime = 0; ///< Seconds, with those attempts, too.
  /// Most call sites are like others.
  std::deque<CallSiteSpills> Spills;
  /// In the order in which they run.
  llvm::MapVector<InsertionPoint::Key, llvm::SmallVector<PlannedCallSite, 1>>
      CallSites;

  std::optional<LateNumbers> Late;

  /// Registers of the application that \p Site reads.
  RegisterSet readsOf(const CallSite &Site) const;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_HOOKPLAN_H
