// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/plan/HookPlan.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/Liveness.h"
#include "analysis/LoadsInFlight.h"
#include "analysis/Occupancy.h"
#include "codeobject/ResourceGrowth.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "rewrite/emit/CallSiteEmitter.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

RegisterSet readsOf(const HookPlan &Plan, const PlannedPoint &Point) {
  RegisterSet Result;
  for (const ArgumentMove &Move : Point.Moves)
    if (const auto *From = std::get_if<MCRegister>(&Move.Value))
      Result.add(*From);
  const Payload &P = Plan.Payloads[Point.Variant];
  for (MCRegister Reg : P.Reads)
    Result.add(Reg);
  if (P.UsesSCC)
    Result.add(RegisterSet::SCC);
  if (P.UsesVCC)
    Result.add(MCRegister(AMDGPU::VCC));
  if (P.UsesM0)
    Result.add(RegisterSet::M0);
  return Result;
}

namespace {

/// The variants of each module, by their places in VariantPlan::Variants.
using Shares =
    std::vector<std::pair<const HookModule *, SmallVector<unsigned, 8>>>;

Shares sharesOf(const VariantPlan &Plan) {
  Shares Result;
  for (auto [Index, Variant] : enumerate(Plan.Variants)) {
    auto It = find_if(Result, [&](auto &Share) {
      return Share.first == Variant.Hook.Module;
    });
    if (It == Result.end())
      It = Result.insert(It, {Variant.Hook.Module, {}});
    It->second.push_back(Index);
  }
  return Result;
}

std::vector<PayloadVariant> variantsOf(const VariantPlan &Plan,
                                       ArrayRef<unsigned> Share) {
  std::vector<PayloadVariant> Result;
  for (unsigned Index : Share)
    Result.push_back(Plan.Variants[Index]);
  return Result;
}

class HookPlanner {
public:
  HookPlanner(const LiftedRepresentation &LR,
              const InstrumenterOptions &Options, const RegisterUse &Use,
              amdgpu::MachineEncoder &Encoder)
      : LR(LR), Options(Options), Kernel(*LR.impl().Kernel),
        Object(*LR.impl().Object),
        Traits(*registerFileTraits(Object.target().Processor)),
        Encoder(Encoder), Use(Use) {}

  Expected<HookPlan> run(const InstrumentationTask &Task, HookResolver Resolve);

private:
  Error collectNeeds();
  Error compile(FrameAttempt Attempt);
  Error compileSomehow();
  Error planPoints();
  RegisterSet liveAt(const Place &Where) const;
  WaitCounts waitsAt(const Place &Where, const RegisterSet &Registers);
  void keepWhatHooksRead();
  Error checkSharedMemory() const;
  Error checkOwnRegisters() const;
  Error checkStack() const;

  const LiftedRepresentation &LR;
  const InstrumenterOptions &Options;
  const KernelInfo &Kernel;
  const CodeObject &Object;
  const RegisterFileTraits &Traits;
  amdgpu::MachineEncoder &Encoder;
  const RegisterUse &Use;

  HookPlan Hooks;
  Shares ModuleShares;
  std::vector<ModuleLayout> ModuleLayouts; ///< As ModuleShares.
  Liveness Lives;
  /// Only made if a point touches registers of the application.
  std::optional<LoadsInFlight> Loads;
  std::optional<LoadsWalk> Walk;
};

Error HookPlanner::collectNeeds() {
  ModuleShares = sharesOf(Hooks.Variants);
  for (auto &[Module, Share] : ModuleShares) {
    Expected<HookNeeds> Wanted = Hooks.Variants.Compilers[Module]->needs(
        variantsOf(Hooks.Variants, Share));
    if (!Wanted)
      return Wanted.takeError();
    ModuleLayouts.push_back(Hooks.Needs.add(*Wanted));
  }
  if (Hooks.Needs.Accumulators >
      accumulatorCount(Kernel.Descriptor.usesWave32() ? 32 : 64))
    return refuse(RefusalReason::UnsupportedHook,
                  "hooks have more wave counters than the state has room for");
  return checkSharedMemory();
}

/// Waves of one workgroup may be on several compute units then.
static bool isSplit(const KernelDescriptor &D,
                    const RegisterFileTraits &Traits) {
  return Traits.UnifiedAGPRs &&
         AMDHSA_BITS_GET(D.raw().compute_pgm_rsrc3,
                         amdhsa::COMPUTE_PGM_RSRC3_GFX90A_TG_SPLIT);
}

Error HookPlanner::checkSharedMemory() const {
  if (Hooks.Needs.LdsBytes && isSplit(Kernel.Descriptor, Traits))
    return refuse(RefusalReason::SharedMemory,
                  "workgroups are split over compute units, and have none");
  const unsigned Own = std::max<unsigned>(
      Kernel.Descriptor.raw().group_segment_fixed_size, Options.GroupSegment);
  const unsigned All =
      alignTo(Own, GroupSegmentAlignment) +
      extraGroupSegment(Hooks.Needs.LdsBytes, Hooks.Needs.LdsAlign,
                        /*IsRounded=*/!Options.Offline);
  if (Hooks.Needs.LdsBytes && All > Traits.LDSBytes)
    return refuse(RefusalReason::SharedMemory,
                  "the kernel uses " + Twine(Own) + " of " +
                      Twine(Traits.LDSBytes) + " bytes, its hooks " +
                      Twine(All - Own));
  return Error::success();
}

/// Tools may have given the code registers that there are not.
Error HookPlanner::checkOwnRegisters() const {
  const RegisterUse Named = editedRegisterUse(LR);
  const RegisterLimits Limits =
      registerLimits(Kernel, Named.AGPRs, Traits, RegisterPolicy::Grow);
  if (Named.SGPRs <= Limits.SGPRs && Named.VGPRs <= Limits.VGPRs &&
      Named.AGPRs <= Limits.VectorTotal)
    return Error::success();
  return refuse(RefusalReason::RegisterBudget,
                "the edited code takes " + Twine(Named.SGPRs) + " scalar, " +
                    Twine(Named.VGPRs) + " vector and " + Twine(Named.AGPRs) +
                    " accumulation registers; a workgroup can have " +
                    Twine(Limits.SGPRs) + ", " + Twine(Limits.VGPRs) + " and " +
                    Twine(Limits.VectorTotal));
}

/// Compiles all variants for a frame as \p Attempt allows.
Error HookPlanner::compile(FrameAttempt Attempt) {
  Expected<FramePlan> Planned =
      planFrame(LR, Use, Hooks.Variants, Hooks.Needs, Options, Attempt);
  if (!Planned)
    return Planned.takeError();
  Hooks.Frame = std::move(*Planned);
  Hooks.Payloads.assign(Hooks.Variants.Variants.size(), {});
  for (auto [Share, Layout] : zip(ModuleShares, ModuleLayouts)) {
    PayloadFrame Frame = Hooks.Frame.Frame;
    Frame.Module = Layout;
    Expected<std::vector<Payload>> Compiled =
        Hooks.Variants.Compilers[Share.first]->compile(
            variantsOf(Hooks.Variants, Share.second), Frame);
    if (!Compiled)
      return Compiled.takeError();
    for (auto [Index, Payload] : zip(Share.second, *Compiled))
      Hooks.Payloads[Index] = std::move(Payload);
  }
  return planPoints();
}

/// In order of what points cost. What cannot be compiled at all in registers
/// that the kernel has may cost it registers, but never waves.
std::vector<FrameAttempt> attemptsFor(RegisterPolicy Policy) {
  std::vector<FrameAttempt> Result;
  auto add = [&](RegisterPolicy P) {
    Result.push_back({.Policy = P});
    Result.push_back({.Policy = P, .BorrowVGPRs = true, .Stack = true});
    Result.push_back(
        {.Policy = P, .BorrowVGPRs = true, .BorrowSGPRs = true, .Stack = true});
  };
  add(Policy);
  if (Policy == RegisterPolicy::NoGrow)
    add(RegisterPolicy::KeepOccupancy);
  return Result;
}

Error HookPlanner::compileSomehow() {
  Error Last = Error::success();
  for (const FrameAttempt &Attempt : attemptsFor(Options.Policy)) {
    consumeError(std::move(Last));
    Last = compile(Attempt);
    if (!Last)
      return Last;
    bool IsWorthTrying = false;
    Last = handleErrors(std::move(Last), [&](std::unique_ptr<Refusal> R) {
      IsWorthTrying = R->reason() == RefusalReason::RegisterBudget ||
                      R->reason() == RefusalReason::InstrumentationStack;
      return Error(std::move(R));
    });
    if (!IsWorthTrying)
      return Last;
  }
  return Last;
}

RegisterSet HookPlanner::liveAt(const Place &Where) const {
  switch (Where.K) {
  case Place::Kind::Before:
    return Lives.before(*Where.MI);
  case Place::Kind::Edge:
    return Lives.onEdge(*Where.From, *Where.To);
  case Place::Kind::Entry:
    return Lives.atEntry(*Where.MF);
  }
  llvm_unreachable("every kind of place is handled");
}

WaitCounts HookPlanner::waitsAt(const Place &Where,
                                const RegisterSet &Registers) {
  if (Registers.empty())
    return {};
  if (!Loads) {
    Loads = LoadsInFlight::run(LR);
    Walk.emplace(*Loads);
  }
  switch (Where.K) {
  case Place::Kind::Before:
    return Walk->waitsBefore(*Where.MI, Registers);
  case Place::Kind::Edge:
    return Loads->waitsOnEdge(*Where.From, *Where.To, Registers);
  case Place::Kind::Entry:
    return Loads->waitsAtEntry(*Where.MF, Registers);
  }
  llvm_unreachable("every kind of place is handled");
}

/// A value that the application needs no more may be one that a later hook is
/// given, so that no other hook may overwrite it before.
void HookPlanner::keepWhatHooksRead() {
  OtherReads Others;
  for (const PlannedPoint &Point : Hooks.Variants.Points) {
    const RegisterSet Reads = readsOf(Hooks, Point);
    if ((Reads - liveAt(Point.Where)).empty())
      continue;
    switch (Point.Where.K) {
    case Place::Kind::Before:
      Others.Before[Point.Where.MI] |= Reads;
      break;
    case Place::Kind::Edge:
      Others.AtStart[Point.Where.To] |= Reads;
      break;
    case Place::Kind::Entry:
      Others.AtStart[&Point.Where.MF->front()] |= Reads;
      break;
    }
  }
  if (!Others.Before.empty() || !Others.AtStart.empty())
    Lives = Liveness::run(LR, Others);
}

/// What each point saves, and how much stack that takes.
Error HookPlanner::planPoints() {
  Hooks.Points.clear();
  keepWhatHooksRead();
  const PointWriter Writer(Encoder, *seamTraits(Object.target().Processor),
                           Hooks.Frame, Hooks.Payloads, Hooks.Hazards);
  bool UsesStack = false, UsesState = Hooks.Needs.Accumulators;
  for (const PlannedPoint &Point : Hooks.Variants.Points) {
    Expected<PointSaves> Saves = Writer.plan(Point, liveAt(Point.Where));
    if (!Saves)
      return Saves.takeError();
    const Payload &P = Hooks.Payloads[Point.Variant];
    Hooks.Frame.Stack.NumVectors =
        std::max<unsigned>(Hooks.Frame.Stack.NumVectors, Saves->Vectors.size());
    Hooks.Frame.Stack.PayloadSize =
        std::max(Hooks.Frame.Stack.PayloadSize, P.StackSize);
    Hooks.Frame.Stack.PayloadAlign =
        std::max(Hooks.Frame.Stack.PayloadAlign, P.StackAlign);
    UsesStack |=
        Saves->hasVectors() || Saves->WorkItemIds || P.StackSize ||
        (Hooks.Frame.State && Hooks.Frame.State->usesStackAt(Saves->State));
    UsesState |= Saves->State.IsNeeded;
    Saves->Waits = waitsAt(Point.Where, Saves->Touched);
    Hooks.Points[Point.Where.key()].push_back({&Point, std::move(*Saves)});
  }
  // Planned for, but nobody came to need it.
  if (!UsesState)
    Hooks.Frame.State.reset();
  Hooks.Frame.Stack.IsUsed =
      UsesStack || (Hooks.Frame.State && Hooks.Frame.State->usesStack());
  return checkStack();
}

Error HookPlanner::checkStack() const {
  if (!Hooks.Frame.Stack.IsUsed)
    return Error::success();
  if (Hooks.Hazards.OwnsFlatScratch)
    return refuse(RefusalReason::InstrumentationStack,
                  "hooks need a stack, and the kernel has values of its own in "
                  "FLAT_SCRATCH, through which it is reached");
  // The least that a target has: 13 bits of KiB for a wave
  // (COMPUTE_TMPRING_SIZE of gfx9).
  constexpr uint64_t MostPerWave = 8191 * 1024;
  const uint64_t MostPerLane = MostPerWave / Hooks.Frame.Frame.WaveSize;
  if (Hooks.Frame.Stack.total() > MostPerLane)
    return refuse(RefusalReason::InstrumentationStack,
                  "the kernel and its hooks need a stack of " +
                      Twine(Hooks.Frame.Stack.total()) +
                      " bytes for each lane, of which there are " +
                      Twine(MostPerLane));
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

Expected<HookPlan> HookPlanner::run(const InstrumentationTask &Task,
                                    HookResolver Resolve) {
  if (Error E = checkOwnRegisters())
    return std::move(E);
  Expected<VariantPlan> Planned =
      planVariants(LR, Use, Task, Resolve, Options.LoadBias);
  if (!Planned)
    return Planned.takeError();
  Hooks.Variants = std::move(*Planned);
  Hooks.Hazards = hazardsOf(LR);
  if (Error E = collectNeeds())
    return std::move(E);
  Lives = Liveness::run(LR);
  if (Error E = compileSomehow())
    return std::move(E);
  return std::move(Hooks);
}

} // namespace

Expected<HookPlan>
planHooks(const LiftedRepresentation &LR, const InstrumentationTask &Task,
          HookResolver Resolve, const InstrumenterOptions &Options,
          const RegisterUse &Use, amdgpu::MachineEncoder &Encoder) {
  return HookPlanner(LR, Options, Use, Encoder).run(Task, Resolve);
}

} // namespace luthier
