// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/plan/CallSitePlanner.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "rewrite/plan/LateNumbers.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

WaitCounts CallSitePlanner::waitsAt(const InsertionPoint &Where,
                                    const RegisterSet &Touched) {
  if (Touched.empty())
    return {};
  if (!Walk)
    Walk.emplace(Facts.loads());
  return Walk->waitsAt(Where, Touched);
}

/// A value that the application needs no more may be one that a later hook is
/// given, so that no other hook may overwrite it before.
OtherReads CallSitePlanner::otherReads(const HookPlan &Plan) {
  OtherReads Others;
  for (const CallSite &Site : Plan.Variants.CallSites) {
    const RegisterSet Reads = Plan.readsOf(Site);
    if (!(Reads - Facts.liveness().at(Site.Where)).empty())
      Others.add(Site.Where, Reads);
  }
  return Others;
}

/// What \p Site, of \p P, adds to counters each time.
static void addTo(SmallVectorImpl<uint64_t> &Counters, const CallSite &Site,
                  const Payload &P) {
  for (const CounterAddition &A : *P.OnlyAdds) {
    uint64_t Number = A.Number;
    if (A.Literal) {
      const unsigned Index = A.Literal->Index;
      Number = P.literalFor(Index, Site.Literals);
      if (A.Literal->Dwords == 2)
        Number |= uint64_t(P.literalFor(Index + 1, Site.Literals)) << 32;
    }
    uint64_t &Counter = Counters[A.Counter];
    const uint64_t Sum = Counter + Number;
    Counter = A.IsLow ? Make_64(Hi_32(Counter), Lo_32(Sum)) : Sum;
  }
}

/// Counters begin with what the first hooks of the kernel's entry add to them.
bool CallSitePlanner::foldIntoStarts(const CallSite &Site, HookPlan &Plan) {
  const MachineFunction *Kernel = LR.functions().front().second;
  const Payload &P = Plan.Payloads[Site.Variant];
  if (Options.SavesAll || !P.OnlyAdds || Site.Where.function() != Kernel ||
      Plan.CallSites.contains(Site.Where.key()))
    return false;
  addTo(Plan.Registers.CounterStarts, Site, P);
  return true;
}

bool CallSitePlanner::Known::isLike(const CallSite &Other,
                                    const RegisterSet &LiveThere) const {
  return Site->Variant == Other.Variant && Site->Moves == Other.Moves &&
         (LiveThere & Asked) == Live;
}

/// Of call sites like \p Site, planned now if it is the first one.
Expected<CallSitePlanner::Known *>
CallSitePlanner::find(KnownList &All, HookPlan &Plan, const CallSite &Site,
                      const RegisterSet &Live) const {
  // Those before are as like as any; beyond some, the search is not worth it.
  constexpr size_t MostSearched = 8;
  for (Known &Each : reverse(MutableArrayRef(All).take_back(MostSearched)))
    if (Each.isLike(Site, Live))
      return &Each;
  LiveThere Questions(Live);
  Expected<CallSiteSpills> Spills = planSpills(
      Encoder.target(), Plan.Registers, Plan.Facts, Plan.Payloads[Site.Variant],
      Site, Questions, Options.SavesAll);
  if (!Spills)
    return Spills.takeError();
  const RegisterSet &Asked = Questions.asked();
  All.push_back({&Site,
                 Asked,
                 Live & Asked,
                 {&Plan.Spills.emplace_back(std::move(*Spills))}});
  return &All.back();
}

const CallSiteSpills *CallSitePlanner::withWaits(Known &Of, HookPlan &Plan,
                                                 const CallSite &Site) {
  const WaitCounts Waits = waitsAt(Site.Where, Of.Spills.front()->Touched);
  for (const CallSiteSpills *Each : Of.Spills)
    if (Each->Waits == Waits)
      return Each;
  CallSiteSpills &New = Plan.Spills.emplace_back(*Of.Spills.front());
  New.Waits = Waits;
  return Of.Spills.emplace_back(&New);
}

Expected<bool> CallSitePlanner::plan(HookPlan &Plan, LivenessOnDemand &Lives,
                                     Reads OfOthers) {
  StackPlan &Stack = Plan.Registers.Stack;
  std::optional<StateValueArrayStorage> &State = Plan.Registers.State;
  bool UsesStack = false, UsesState = Plan.Registers.countersInState();
  Plan.Spills.clear();
  Plan.CallSites.clear();
  Plan.CallSites.reserve(Plan.Variants.CallSites.size());
  Plan.Registers.CounterStarts.assign(Plan.Registers.ABI.NumScalarCounters, 0);
  KnownList All;
  RegisterSet Asked, Read;
  auto isRight = [&] {
    return OfOthers == Reads::Known || (Asked & Read).empty();
  };
  for (const CallSite &Site : Plan.Variants.CallSites) {
    if (foldIntoStarts(Site, Plan)) {
      Read |= Plan.readsOf(Site);
      continue;
    }
    const size_t Before = All.size();
    Expected<Known *> Found = find(All, Plan, Site, Lives.at(Site.Where));
    if (!Found)
      return Found.takeError();
    const CallSiteSpills &Spills = *withWaits(**Found, Plan, Site);
    Plan.CallSites[Site.Where.key()].push_back({&Site, &Spills});
    if (All.size() == Before)
      continue;
    Asked |= (*Found)->Asked;
    Read |= Plan.readsOf(Site);
    if (!isRight())
      return false;
    const Payload &P = Plan.Payloads[Site.Variant];
    Stack.NumVectors =
        std::max<unsigned>(Stack.NumVectors, Spills.Vectors.size());
    Stack.PayloadSize = std::max(Stack.PayloadSize, P.StackSize);
    Stack.PayloadAlign = std::max(Stack.PayloadAlign, P.StackAlign);
    UsesStack |= Spills.hasVectors() || Spills.WorkItemIds || P.StackSize ||
                 (State && State->usesStackAt(Spills.State));
    UsesState |= Spills.State.IsNeeded;
  }
  // It was planned for in case a call site needs it.
  if (!UsesState)
    State.reset();
  Stack.IsUsed = UsesStack || (State && State->usesStack());
  return isRight();
}

/// Few plans depend on what hooks read: it takes one that overwrites something
/// of the application's that another one is given.
Error CallSitePlanner::plan(HookPlan &Plan) {
  const RegisterPlan Registers = Plan.Registers;
  Expected<bool> IsPlanned = plan(Plan, Facts.liveness(), Reads::Unknown);
  if (!IsPlanned || !*IsPlanned) {
    const OtherReads Others = otherReads(Plan);
    if (!IsPlanned && Others.empty())
      return IsPlanned.takeError();
    if (!IsPlanned)
      consumeError(IsPlanned.takeError());
    Plan.Registers = Registers;
    std::optional<LivenessOnDemand> WithOthers;
    if (!Others.empty())
      WithOthers.emplace(Facts.basis(), Others);
    IsPlanned =
        plan(Plan, WithOthers ? *WithOthers : Facts.liveness(), Reads::Known);
    if (!IsPlanned)
      return IsPlanned.takeError();
  }
  Plan.Late = planLateNumbers(LR, Plan, Facts.liveness(), Options);
  return checkStack(Plan);
}

Error CallSitePlanner::checkStack(const HookPlan &Plan) const {
  const StackPlan &Stack = Plan.Registers.Stack;
  const KernelInfo &Kernel = *LR.impl().Kernel;
  if (!Stack.IsUsed)
    return Error::success();
  if (Plan.Facts.OwnsFlatScratch)
    return refuse(RefusalReason::InstrumentationStack,
                  "hooks need a stack, and the kernel has values of its own in "
                  "FLAT_SCRATCH, through which it is reached");
  // The least that a target has: 13 bits of KiB for a wave
  // (COMPUTE_TMPRING_SIZE of gfx9).
  constexpr uint64_t MaxPerWave = 8191 * 1024;
  const uint64_t MaxPerLane = MaxPerWave / Plan.Registers.ABI.WaveSize;
  if (Stack.total() > MaxPerLane)
    return refuse(
        RefusalReason::InstrumentationStack,
        "the kernel and its hooks need a stack of " + Twine(Stack.total()) +
            " bytes for each lane, of which there are " + Twine(MaxPerLane));
  // What a packet gives is known only at the launch.
  if (!Options.ApplicationStack && (Kernel.Descriptor.usesDynamicStack() ||
                                    Kernel.Metadata.UsesDynamicStack))
    return refuse(RefusalReason::DynamicStack,
                  Options.Offline
                      ? "hooks need a stack above the kernel's own, which ends "
                        "where each launch says"
                      : "hooks need a stack above the kernel's own, which ends "
                        "where a dispatch says: instrument it at one "
                        "(Tool::onDispatch)");
  return Error::success();
}

} // namespace luthier
