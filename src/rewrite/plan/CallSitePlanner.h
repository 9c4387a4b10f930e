// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each call site saves and waits for, now that the code of its payload is
// known, and how much stack that takes.
#ifndef LUTHIER_REWRITE_PLAN_CALLSITEPLANNER_H
#define LUTHIER_REWRITE_PLAN_CALLSITEPLANNER_H

#include "amdgpu/MachineEncoder.h"
#include "analysis/SharedFacts.h"
#include "rewrite/Options.h"
#include "rewrite/plan/HookPlan.h"
#include <optional>

namespace luthier {

/// Keeps what it finds out about the kernel, which is the same for all plans.
class CallSitePlanner {
public:
  CallSitePlanner(const LiftedRepresentation &LR,
                  const InstrumenterOptions &Options,
                  const amdgpu::MachineEncoder &Encoder, SharedFacts &Facts)
      : LR(LR), Options(Options), Encoder(Encoder), Facts(Facts) {}

  /// Fills in HookPlan::CallSites and Late, for the registers and payloads that
  /// \p Plan has, and what they take of the stack; drops the state value array
  /// if no call site needs it. Refuses with RegisterBudget,
  /// InstrumentationStack or DynamicStack what there is no room for.
  llvm::Error plan(HookPlan &Plan);

private:
  /// A call site that was planned: any that \p isLike it is planned the same,
  /// but for what it waits for.
  struct Known {
    const CallSite *Site;
    RegisterSet Asked, Live; ///< Live of those that were asked.
    llvm::SmallVector<const CallSiteSpills *, 4> Spills;

    bool isLike(const CallSite &Other, const RegisterSet &LiveThere) const;
  };
  using KnownList = llvm::SmallVector<Known, 0>;

  enum class Reads { Known, Unknown };
  /// Fills in CallSites and Spills. False if it may not, since \p Lives does
  /// not have what other hooks read, and that matters.
  llvm::Expected<bool> plan(HookPlan &Plan, LivenessOnDemand &Lives,
                            Reads OfOthers);
  llvm::Expected<Known *> find(KnownList &All, HookPlan &Plan,
                               const CallSite &Site,
                               const RegisterSet &Live) const;
  const CallSiteSpills *withWaits(Known &Of, HookPlan &Plan,
                                  const CallSite &Site);
  bool foldIntoStarts(const CallSite &Site, HookPlan &Plan);
  OtherReads otherReads(const HookPlan &Plan);
  WaitCounts waitsAt(const InsertionPoint &Where, const RegisterSet &Touched);
  llvm::Error checkStack(const HookPlan &Plan) const;

  const LiftedRepresentation &LR;
  const InstrumenterOptions &Options;
  const amdgpu::MachineEncoder &Encoder;
  SharedFacts &Facts;
  /// Only made if a call site touches registers of the application.
  std::optional<LoadsWalk> Walk;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_CALLSITEPLANNER_H
