// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/plan/CallSiteSpills.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"
#include "luthier/Refusal.h"
#include "rewrite/emit/ArgumentMoves.h"

using namespace llvm;

namespace luthier {

/// From the spare lanes up to the accumulators nothing else is kept.
static constexpr unsigned LowLanes =
    lanesOf(StateValue::Accumulators).First - lanesOf(StateValue::Spare).First;

unsigned scalarLaneCount(unsigned WaveSize) {
  return LowLanes +
         (WaveSize == 64 ? lanesOf(StateValue::ScalarSaves).Count : 0);
}

unsigned scalarLane(unsigned N) {
  return N < LowLanes ? lanesOf(StateValue::Spare).First + N
                      : lanesOf(StateValue::ScalarSaves).First + N - LowLanes;
}

namespace {

class SpillPlanner {
public:
  SpillPlanner(const amdgpu::MCTarget &Target, const RegisterPlan &Plan,
               const KernelFacts &Facts, const Payload &P, const CallSite &Site,
               LiveThere &Live, bool SavesAll)
      : Target(Target), Plan(Plan), ABI(Plan.ABI), Facts(Facts), P(P),
        Site(Site), Live(Live), SavesAll(SavesAll) {}

  Expected<CallSiteSpills> run();

private:
  Error plan();
  Error planState();
  void planFlags();
  void addScalar(unsigned N);
  void addVector(unsigned N);
  void addFrameScalars();
  MCRegister findDeadVGPR() const;
  MCRegister findDeadScalar() const;
  std::optional<StackAccess> findAccess() const;
  bool isRead(amdgpu::RegisterFile File, unsigned N) const;

  const amdgpu::MCTarget &Target;
  const RegisterPlan &Plan;
  const PayloadABI &ABI;
  const KernelFacts &Facts;
  const Payload &P;
  const CallSite &Site;
  LiveThere &Live;
  const bool SavesAll;
  CallSiteSpills S;
  /// A vector register has to go to the stack so that its lanes can keep
  /// scalars.
  bool NeedsHelper = false;
};

void SpillPlanner::planFlags() {
  S.SCC =
      P.UsesSCC || ((P.ClobbersSCC || SavesAll) && Live.has(RegisterSet::SCC));
  S.VCC = P.UsesVCC || ((P.ClobbersVCC || SavesAll) && Live.vcc());
  S.M0 = P.UsesM0 || P.ClobbersM0 || SavesAll;
  S.MODE = P.UsesMODE || P.UsesFloat;
  S.WorkItemIds = P.UsesWorkItemIds && Plan.SpillsWorkItemIds;
}

void SpillPlanner::addScalar(unsigned N) {
  if (!Plan.isApplicationSGPR(N))
    return;
  S.Borrows = true;
  S.Touched.addSGPR(N);
  if (Live.sgpr(N) && !is_contained(S.Scalars, N))
    S.Scalars.push_back(N);
}

void SpillPlanner::addVector(unsigned N) {
  if (!Plan.isApplicationVGPR(N))
    return;
  S.Borrows = true;
  S.Touched.addVGPR(N);
  if (Live.vgpr(N) && !is_contained(S.Vectors, N))
    S.Vectors.push_back(N);
}

/// Those that are overwritten before the vectors are on the stack come first.
void SpillPlanner::addFrameScalars() {
  const unsigned First = ABI.FirstArgumentSGPR - NumReservedSGPRs;
  auto addPair = [&](unsigned N) {
    addScalar(First + N);
    if (ABI.WaveSize == 64)
      addScalar(First + N + 1);
  };
  if (S.VCC)
    addPair(0);
  if (S.EXEC)
    addPair(2);
  if (S.SCC)
    addScalar(First + 4);
  if (S.M0)
    addScalar(First + 5);
  if (S.MODE)
    addScalar(First + 6);
  if (S.hasVectors() || S.WorkItemIds || P.StackSize ||
      needsTemporary(Site.Moves, ABI, Target))
    addScalar(First + 7);
  for (const ArgumentMove &Move : Site.Moves)
    if (!Move.Slot.IsVector)
      for (unsigned I = 0; I < Move.Slot.Dwords; ++I)
        addScalar(ABI.FirstArgumentSGPR + Move.Slot.Index + I);
}

/// By the code around the payload or by name.
bool SpillPlanner::isRead(amdgpu::RegisterFile File, unsigned N) const {
  auto covers = [&](MCRegister Reg) {
    const amdgpu::RegisterRange R = Plan.Files->rangeOf(Reg);
    return R.File == File && R.First <= N && N < R.end();
  };
  return any_of(P.Reads, covers) || any_of(P.Writes, covers) ||
         any_of(Site.Moves,
                [&](const ArgumentMove &M) { return covers(M.From); });
}

MCRegister SpillPlanner::findDeadVGPR() const {
  const amdgpu::RegisterFiles &Files = *Plan.Files;
  for (unsigned N = 0; N < Plan.Use.VGPRs; ++N) {
    const MCRegister Reg = Files.vgpr(N);
    const bool IsOurs = Reg == Plan.State->State || Reg == ABI.WorkItemIds ||
                        (N >= ABI.FirstArgumentVGPR && N < ABI.FirstVGPR) ||
                        (N < P.VGPRs.size() && P.VGPRs.test(N));
    if (!Live.vgpr(N) && !IsOurs && !isRead(amdgpu::RegisterFile::VGPR, N))
      return Reg;
  }
  return MCRegister();
}

/// Needed for a moment before the payload and for one after it.
MCRegister SpillPlanner::findDeadScalar() const {
  for (unsigned N = 0; N < Plan.Use.SGPRs; ++N)
    if (!Live.sgpr(N) && !isRead(amdgpu::RegisterFile::SGPR, N))
      return Plan.Files->sgpr(N);
  if (!Live.vcc() && !P.UsesVCC)
    return AMDGPU::VCC_LO;
  if (!Live.has(RegisterSet::M0) && !P.UsesM0)
    return AMDGPU::M0;
  return MCRegister();
}

/// Before anything is saved.
std::optional<StackAccess> SpillPlanner::findAccess() const {
  if (Plan.State->Address)
    return StackAccess::through(Plan.State->Address);
  auto Access = StackAccess::withoutRegister(Plan.Stack, Target.traits().Memory,
                                             Plan.Files->sgpr(0));
  if (Access && Access->kind() == StackAccess::Kind::Offset)
    return Access;
  if (MCRegister Dead = findDeadScalar())
    return StackAccess::through(Dead);
  return Access;
}

Error SpillPlanner::plan() {
  S = {};
  planFlags();
  if (NeedsHelper) {
    S.Borrows = true;
    S.Touched.addVGPR(ABI.FirstVGPR);
    S.Vectors.push_back(ABI.FirstVGPR);
  }
  for (unsigned N : P.VGPRs.set_bits()) {
    addVector(N);
    if (ABI.CountersOnStack && N >= ABI.FirstCounterVGPR &&
        N < ABI.FirstCounterVGPR + ABI.NumCounterVGPRs)
      S.Counters.push_back(N);
  }
  for (unsigned N = 0; SavesAll && N < Plan.Use.VGPRs; ++N)
    addVector(N);
  for (const ArgumentMove &Move : Site.Moves)
    if (Move.Slot.IsVector)
      for (unsigned I = 0; I < Move.Slot.Dwords; ++I)
        addVector(ABI.FirstArgumentVGPR + Move.Slot.Index + I);
  for (const ArgumentMove &Move : Site.Moves)
    S.Touched.add(Move.From);
  if (S.WorkItemIds)
    addVector(Plan.Files->rangeOf(ABI.WorkItemIds).First);
  S.TouchesVectors = P.ComparesIntoEXEC && Facts.Permutes;
  S.EXEC = P.UsesEXEC || P.WritesEXEC || S.hasVectors() || S.WorkItemIds ||
           S.TouchesVectors || SavesAll;

  addFrameScalars();
  const unsigned Lanes = scalarLaneCount(ABI.WaveSize);
  const bool TooEarly = S.Scalars.size() > Lanes;
  for (unsigned N : P.SGPRs.set_bits())
    addScalar(N);
  for (unsigned N = 0; SavesAll && N < Plan.Use.SGPRs; ++N)
    addScalar(N);
  if (TooEarly || S.Scalars.size() > Lanes + ABI.WaveSize)
    return refuse(RefusalReason::RegisterBudget,
                  "more scalar registers are live at a point than can be put "
                  "aside");
  if (S.Scalars.size() <= Lanes || NeedsHelper)
    return Error::success();
  NeedsHelper = true;
  return plan();
}

Error SpillPlanner::planState() {
  StateValueArrayStorage::Use &State = S.State;
  State.IsNeeded = P.UsesState || !S.Scalars.empty();
  if (!State.IsNeeded || Plan.State->Form == StateValueArrayForm::Vgpr)
    return Error::success();
  S.Borrows = true;
  const unsigned N = Plan.Files->rangeOf(Plan.State->State).First;
  S.Touched.add(Plan.State->State);
  State.IsLive = Plan.isApplicationVGPR(N) && Live.vgpr(N);
  State.IsSCCLive = P.UsesSCC || Live.has(RegisterSet::SCC);
  State.IsChanged = P.WritesState;
  if (Plan.State->Form == StateValueArrayForm::Agpr)
    State.Dead = findDeadVGPR();
  if (State.Dead)
    S.Touched.add(State.Dead);
  if (!Plan.State->usesStackAt(State))
    return Error::success();
  std::optional<StackAccess> Access = findAccess();
  if (!Access)
    return refuse(RefusalReason::RegisterBudget,
                  "the kernel uses all scalar registers at a point, and its "
                  "stack of " +
                      Twine(Plan.Stack.Base) +
                      " bytes ends where no instruction reaches without one");
  State.Access = *Access;
  if (Access->address())
    S.Touched.add(Access->address());
  return Error::success();
}

Expected<CallSiteSpills> SpillPlanner::run() {
  if (Error E = plan())
    return std::move(E);
  if (Error E = planState())
    return std::move(E);
  if (S.Vectors.size() > Plan.Stack.maxVectors())
    return refuse(RefusalReason::RegisterBudget,
                  "a hook needs more vector registers than can be put aside");
  return std::move(S);
}

/// Those for which there is no lane of the state value array.
ArrayRef<unsigned> overflow(const RegisterPlan &Plan, const CallSiteSpills &S) {
  const unsigned Lanes = scalarLaneCount(Plan.ABI.WaveSize);
  return ArrayRef(S.Scalars).drop_front(
      std::min<size_t>(Lanes, S.Scalars.size()));
}

unsigned counterSlot(const RegisterPlan &Plan, unsigned N) {
  return StackPlan::counterSlot(N - Plan.ABI.FirstCounterVGPR);
}

} // namespace

Expected<CallSiteSpills> planSpills(const amdgpu::MCTarget &Target,
                                    const RegisterPlan &Plan,
                                    const KernelFacts &Facts, const Payload &P,
                                    const CallSite &Site, LiveThere &Live,
                                    bool SavesAll) {
  Expected<CallSiteSpills> Spills =
      SpillPlanner(Target, Plan, Facts, P, Site, Live, SavesAll).run();
  if (Spills && Facts.LoadsVCC && (P.ClobbersVCC || P.UsesVCC))
    Spills->Touched.add(AMDGPU::VCC);
  return Spills;
}

void saveScalars(CallSiteCode &Code, const RegisterPlan &Plan,
                 const CallSiteSpills &S) {
  const unsigned Lanes = scalarLaneCount(Plan.ABI.WaveSize);
  for (auto [I, N] : enumerate(S.Scalars))
    if (I < Lanes)
      Code.writeLane(Plan.State->State, scalarLane(I),
                     CallSiteCode::reg(Code.sgpr(N)));
}

void restoreScalars(CallSiteCode &Code, const RegisterPlan &Plan,
                    const CallSiteSpills &S) {
  const unsigned Lanes = scalarLaneCount(Plan.ABI.WaveSize);
  for (auto [I, N] : enumerate(S.Scalars))
    if (I < Lanes)
      Code.readLane(Code.sgpr(N), Plan.State->State, scalarLane(I));
}

void saveVectors(CallSiteCode &Code, const RegisterPlan &Plan,
                 const CallSiteSpills &S) {
  const MCRegister Base = Plan.ABI.StackPointer;
  for (auto [I, N] : enumerate(S.Vectors))
    Code.store(Code.vgpr(N), Base, Plan.Stack.vectorSlot(I));
  if (ArrayRef<unsigned> Rest = overflow(Plan, S); !Rest.empty()) {
    const MCRegister Helper = Code.vgpr(S.Vectors.front());
    for (auto [I, N] : enumerate(Rest))
      Code.writeLane(Helper, I, CallSiteCode::reg(Code.sgpr(N)));
    Code.store(Helper, Base, StackPlan::Scalars);
  }
  for (unsigned N : S.Counters)
    Code.load(Code.vgpr(N), Base, counterSlot(Plan, N));
  if (!S.Counters.empty())
    Code.awaitStack();
}

void restoreVectors(CallSiteCode &Code, const RegisterPlan &Plan,
                    const CallSiteSpills &S) {
  const MCRegister Base = Plan.ABI.StackPointer;
  for (unsigned N : S.Counters)
    Code.store(Code.vgpr(N), Base, counterSlot(Plan, N));
  if (ArrayRef<unsigned> Rest = overflow(Plan, S); !Rest.empty()) {
    const MCRegister Helper = Code.vgpr(S.Vectors.front());
    Code.load(Helper, Base, StackPlan::Scalars);
    Code.awaitStack();
    for (auto [I, N] : enumerate(Rest))
      Code.readLane(Code.sgpr(N), Helper, I);
    Code.awaitALU();
  }
  for (auto [I, N] : enumerate(S.Vectors))
    Code.load(Code.vgpr(N), Base, Plan.Stack.vectorSlot(I));
  Code.awaitStack();
}

} // namespace luthier
