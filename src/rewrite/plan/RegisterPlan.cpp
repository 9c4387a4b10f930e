// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/plan/RegisterPlan.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {
namespace {

/// A window that borrows registers has at least so many: few hooks need more,
/// and what they do not need costs nothing.
constexpr unsigned BorrowedSGPRs = 32, BorrowedVGPRs = 48;
/// What counters leave to payloads: most that count need no more.
constexpr unsigned FewSGPRs = 16, FewVGPRs = 16;

/// Registers of one file, by number, where no register of the ABI may be, or
/// not everything.
struct TakenRegisters {
  /// Hooks name them (readReg, writeReg), or they are kept for the state.
  BitVector Always{512};
  BitVector ByArguments{512}; ///< Arguments come from them.

  /// An even place of \p Count registers below \p End that are not taken, at
  /// \p Wanted or else near. Nor do arguments come from the first \p NumTight
  /// of them.
  std::optional<unsigned> findBlock(unsigned NumTight, unsigned Count,
                                    unsigned Wanted, unsigned End) const;
};

std::optional<unsigned> TakenRegisters::findBlock(unsigned NumTight,
                                                  unsigned Count,
                                                  unsigned Wanted,
                                                  unsigned End) const {
  auto isFree = [&](unsigned First) {
    return First + Count <= End &&
           Always.find_first_in(First, First + Count) < 0 &&
           ByArguments.find_first_in(First, First + NumTight) < 0;
  };
  for (int First = alignDown(Wanted, 2); First >= 0; First -= 2)
    if (isFree(First))
      return First;
  for (unsigned First = alignTo(Wanted, 2); First + Count <= End; First += 2)
    if (isFree(First))
      return First;
  return std::nullopt;
}

class RegisterPlanner {
public:
  RegisterPlanner(const LiftedRepresentation &LR, const RegisterUse &Use,
                  const VariantPlan &Variants, const KernelNeeds &Needs,
                  const InstrumenterOptions &Options, RegisterFallback Attempt)
      : Files(LR.impl().Target->registerFiles()), Kernel(*LR.impl().Kernel),
        ObjectVersion(LR.impl().Object->version()),
        Kernargs(kernargLayout(Kernel)),
        Traits(*registerFileTraits(LR.impl().Object->target().Processor)),
        Limits(registerLimits(Kernel, Use.AGPRs, Traits, Attempt.Policy)),
        HasAGPRs(
            LR.impl().Target->subtarget().hasFeature(AMDGPU::FeatureMAIInsts)),
        Variants(Variants), Options(Options), Attempt(Attempt) {
    Plan.Files = &Files;
    Plan.Use = Use;
    Plan.Needs = Needs;
    const KernelDescriptor &D = Kernel.Descriptor;
    if (LR.impl().preloadsArguments())
      Kernargs.PreloadedEnd =
          (D.preloadOffset() + D.preloadedDwords()) * sizeof(uint32_t);
  }

  Expected<RegisterPlan> run();

private:
  void noteNamed();
  unsigned counterRoom(unsigned PayloadSGPRs) const;
  Error placeCounters();
  Error placeVectorCounters();
  Error placeLaneCounters();
  Error placeState();
  std::optional<StateValueArrayForm> chooseForm() const;
  bool fits(StateValueArrayForm Form) const;
  Error placeScalars();
  Error placeVectors();
  void placeEntry(bool KeepsIds);
  Error outOf(StringRef What, unsigned Used, unsigned Limit) const;
  unsigned agprLimit() const;
  bool needsState() const {
    return Plan.Needs.State || Plan.countersInState() || Attempt.BorrowSGPRs ||
           Options.Storage.has_value();
  }

  const amdgpu::RegisterFiles &Files;
  const KernelInfo &Kernel;
  const unsigned ObjectVersion;
  KernargLayout Kernargs;
  const RegisterFileTraits &Traits;
  const RegisterLimits Limits;
  const bool HasAGPRs;
  const VariantPlan &Variants;
  const InstrumenterOptions &Options;
  const RegisterFallback Attempt;
  RegisterPlan Plan;
  /// First registers not taken yet.
  unsigned NextSGPR = 0, NextVGPR = 0;
  TakenRegisters SGPRs, VGPRs;
};

Error RegisterPlanner::outOf(StringRef What, unsigned Used,
                             unsigned Limit) const {
  return refuse(RefusalReason::RegisterBudget,
                "the kernel uses " + Twine(Used) + " of " + Twine(Limit) + " " +
                    What + " registers");
}

unsigned RegisterPlanner::agprLimit() const {
  if (!Traits.UnifiedAGPRs)
    return HasAGPRs ? std::min(Limits.VectorTotal, Traits.AddressableVGPRs) : 0;
  const unsigned VGPRs = alignTo(std::max(NextVGPR, 1u), 4);
  return std::min(Limits.VectorTotal - std::min(Limits.VectorTotal, VGPRs),
                  Traits.AddressableVGPRs);
}

/// Registers where nothing of ours may be, or not always.
void RegisterPlanner::noteNamed() {
  auto note = [&](MCRegister Reg, BitVector TakenRegisters::*Set) {
    const amdgpu::RegisterRange Range = Files.rangeOf(Reg);
    if (Range.File == amdgpu::RegisterFile::SGPR)
      (SGPRs.*Set).set(Range.First, Range.end());
    else if (Range.File == amdgpu::RegisterFile::VGPR)
      (VGPRs.*Set).set(Range.First, Range.end());
  };
  for (unsigned Number : Plan.Needs.Named)
    note(MCRegister(Number), &TakenRegisters::Always);
  for (const CallSite &Site : Variants.CallSites)
    for (const ArgumentMove &Move : Site.Moves)
      note(Move.From, &TakenRegisters::ByArguments);
}

bool RegisterPlanner::fits(StateValueArrayForm Form) const {
  const unsigned AGPRs = agprLimit() - std::min(agprLimit(), Plan.Use.AGPRs);
  const unsigned Scalars =
      Limits.SGPRs - std::min<unsigned>(Limits.SGPRs, alignTo(NextSGPR, 2));
  switch (Form) {
  case StateValueArrayForm::Vgpr:
    return NextVGPR < Limits.VGPRs;
  case StateValueArrayForm::Agpr:
    return AGPRs >= 1;
  case StateValueArrayForm::TwoAgprs:
    return AGPRs >= 2;
  case StateValueArrayForm::AgprAnd3Sgprs:
    return AGPRs >= 1 && Scalars >= 3;
  case StateValueArrayForm::SpilledWith3Sgprs:
    return Scalars >= 3;
  case StateValueArrayForm::SpilledWith1Sgpr:
    return true;
  }
  llvm_unreachable("every form is handled");
}

std::optional<StateValueArrayForm> RegisterPlanner::chooseForm() const {
  if (Options.Storage)
    return fits(*Options.Storage) ? Options.Storage : std::nullopt;
  // Cheapest first.
  for (StateValueArrayForm Form :
       {StateValueArrayForm::Vgpr, StateValueArrayForm::AgprAnd3Sgprs,
        StateValueArrayForm::SpilledWith3Sgprs, StateValueArrayForm::TwoAgprs,
        StateValueArrayForm::Agpr, StateValueArrayForm::SpilledWith1Sgpr})
    if (fits(Form))
      return Form;
  return std::nullopt;
}

/// Counters that there are scalar registers for, if payloads have as many.
unsigned RegisterPlanner::counterRoom(unsigned PayloadSGPRs) const {
  constexpr unsigned StateSGPRs = 4;
  const unsigned End = alignTo(NextSGPR, 2) + StateSGPRs + NumReservedSGPRs +
                       Variants.ArgumentSGPRs + PayloadSGPRs;
  return End < Limits.SGPRs
             ? std::min(Plan.Needs.Accumulators, (Limits.SGPRs - End) / 2)
             : 0;
}

/// As many as leave payloads room get scalar registers, where an addition takes
/// two instructions instead of six. A storage form that is asked for is to be
/// used.
Error RegisterPlanner::placeCounters() {
  PayloadABI &ABI = Plan.ABI;
  const unsigned First = alignTo(NextSGPR, 2);
  const unsigned Few = counterRoom(FewSGPRs), Many = counterRoom(BorrowedSGPRs);
  if (Attempt.FewSGPRs && Few == Many)
    return refuse(RefusalReason::RegisterBudget,
                  "counters take no more scalar registers");
  if (!Options.Storage)
    ABI.NumScalarCounters = Attempt.FewSGPRs ? Few : Many;
  if (ABI.NumScalarCounters) {
    ABI.FirstCounterSGPR = First;
    NextSGPR = First + 2 * ABI.NumScalarCounters;
  }
  return placeVectorCounters();
}

/// Those that neither scalar registers nor the state have room for. Where no
/// vector registers are left, they are on the stack, unless the wave's numbers
/// are what takes their place: those may be computed anew in each hook.
Error RegisterPlanner::placeVectorCounters() {
  PayloadABI &ABI = Plan.ABI;
  const unsigned Elsewhere = ABI.NumScalarCounters + Plan.countersInState(),
                 Each = countersPerVGPR(ABI.WaveSize);
  ABI.NumCounterVGPRs = divideCeil(Plan.Needs.Accumulators - Elsewhere, Each);
  if (!ABI.NumCounterVGPRs)
    return Error::success();
  // What is placed next has no other place: pairs, aligned, and the state.
  const unsigned OfLanes =
      Plan.Needs.LaneCounters ? 2 * Plan.Needs.LaneCounters + 1 : 0;
  const unsigned Taken =
      NextVGPR + OfLanes + (Options.Storage == StateValueArrayForm::Vgpr);
  const unsigned Left = Limits.VGPRs - std::min(Limits.VGPRs, Taken);
  if (ABI.NumCounterVGPRs <= Left) {
    ABI.FirstCounterVGPR = NextVGPR;
    NextVGPR += ABI.NumCounterVGPRs;
    return Error::success();
  }
  const unsigned OnStack = Attempt.BorrowVGPRs && Plan.Needs.Numbers.empty()
                               ? Limits.VGPRs - std::min(Limits.VGPRs, FewVGPRs)
                               : 0;
  if (ABI.NumCounterVGPRs > OnStack)
    return refuse(RefusalReason::RegisterBudget,
                  "hooks have " + Twine(Plan.Needs.Accumulators) +
                      " wave counters, and the kernel leaves room for " +
                      Twine(Elsewhere + std::max(Left, OnStack) * Each));
  ABI.CountersOnStack = true;
  Plan.Stack.NumCounters = ABI.NumCounterVGPRs;
  return Error::success();
}

Error RegisterPlanner::placeLaneCounters() {
  PayloadABI &ABI = Plan.ABI;
  ABI.NumLaneCounters = Plan.Needs.LaneCounters;
  if (!ABI.NumLaneCounters)
    return Error::success();
  ABI.FirstLaneVGPR = alignTo(NextVGPR, 2);
  NextVGPR = ABI.FirstLaneVGPR + 2 * ABI.NumLaneCounters;
  return NextVGPR <= Limits.VGPRs
             ? Error::success()
             : outOf("vector", Plan.Use.VGPRs, Limits.VGPRs);
}

/// What stays the state's for the whole kernel.
Error RegisterPlanner::placeState() {
  if (!needsState())
    return Error::success();
  std::optional<StateValueArrayForm> Form = chooseForm();
  if (!Form)
    return refuse(RefusalReason::RegisterBudget,
                  "no register is left to keep the hooks' state in");
  StateValueArrayStorage &State = Plan.State.emplace();
  State.Form = *Form;
  unsigned AGPR = Plan.Use.AGPRs;
  switch (*Form) {
  case StateValueArrayForm::Vgpr:
    State.State = Files.vgpr(NextVGPR++);
    break;
  case StateValueArrayForm::TwoAgprs:
    State.Aside = Files.agpr(AGPR + 1);
    [[fallthrough]];
  case StateValueArrayForm::Agpr:
  case StateValueArrayForm::AgprAnd3Sgprs:
    State.Home = Files.agpr(AGPR);
    break;
  case StateValueArrayForm::SpilledWith3Sgprs:
  case StateValueArrayForm::SpilledWith1Sgpr:
    break;
  }
  if (*Form == StateValueArrayForm::AgprAnd3Sgprs ||
      *Form == StateValueArrayForm::SpilledWith3Sgprs) {
    NextSGPR = alignTo(NextSGPR, 2);
    State.Exec = Files.sgprPair(NextSGPR);
    NextSGPR += 2;
  }
  Plan.Stack.IsUsed |= State.usesStack();
  // Else there has to be a dead one at each point.
  if (State.usesStack() && NextSGPR < Limits.SGPRs)
    State.Address = Files.sgpr(NextSGPR++);
  return Error::success();
}

Error RegisterPlanner::placeScalars() {
  PayloadABI &ABI = Plan.ABI;
  const unsigned Count = NumReservedSGPRs + Variants.ArgumentSGPRs;
  unsigned First = alignTo(NextSGPR, 2);
  const unsigned Room = Count + BorrowedSGPRs;
  // Registers that stay the state's are not to be borrowed.
  for (unsigned N = Plan.Use.SGPRs; N < NextSGPR; ++N)
    SGPRs.Always.set(N);
  if (Attempt.BorrowSGPRs && First + Room > Limits.SGPRs) {
    std::optional<unsigned> Block = SGPRs.findBlock(
        NumReservedSGPRs, Count, Limits.SGPRs - std::min(Limits.SGPRs, Room),
        Limits.SGPRs);
    if (!Block)
      return outOf("scalar", Plan.Use.SGPRs, Limits.SGPRs);
    First = *Block;
  }
  ABI.FirstArgumentSGPR = First + NumReservedSGPRs;
  ABI.FirstSGPR = First + Count;
  ABI.SGPRLimit = Limits.SGPRs;
  if (ABI.FirstSGPR > Limits.SGPRs)
    return outOf("scalar", Plan.Use.SGPRs, Limits.SGPRs);
  ABI.VccSave = Files.sgprPair(First);
  ABI.ExecSave = Files.sgprPair(First + 2);
  ABI.SccSave = Files.sgpr(First + 4);
  ABI.M0Save = Files.sgpr(First + 5);
  ABI.ModeSave = Files.sgpr(First + 6);
  if (Plan.Stack.IsUsed)
    ABI.StackPointer = Files.sgpr(First + 7);
  for (unsigned N : SGPRs.Always.set_bits())
    if (N >= ABI.FirstSGPR && N < ABI.SGPRLimit)
      ABI.Kept.push_back(Files.sgpr(N));
  return Error::success();
}

/// Up to three work-item ids are in the first registers.
constexpr unsigned LaunchVGPRs = 3;

/// Registers come in fours at least, so there always is one more.
void RegisterPlanner::placeEntry(bool KeepsIds) {
  const MCRegister First = Files.vgpr(LaunchVGPRs);
  Plan.Entry = KeepsIds && Plan.ABI.WorkItemIds == First
                   ? Files.vgpr(LaunchVGPRs + 1)
                   : First;
}

Error RegisterPlanner::placeVectors() {
  PayloadABI &ABI = Plan.ABI;
  const bool NeedsIds = Plan.Needs.WorkItemIds;
  const bool IsStateBorrowed = Plan.State && !Plan.State->State;
  // Room for the ids that costs nothing at points, and for putting the state
  // together.
  const bool KeepsIds = NeedsIds && NextVGPR + IsStateBorrowed < Limits.VGPRs;
  if (KeepsIds)
    ABI.WorkItemIds = Files.vgpr(NextVGPR++);
  placeEntry(KeepsIds);
  for (unsigned N = Plan.Use.VGPRs; N < NextVGPR; ++N)
    VGPRs.Always.set(N);
  const unsigned NumCounters = ABI.CountersOnStack ? ABI.NumCounterVGPRs : 0;
  const unsigned NumBlock =
      IsStateBorrowed + (NeedsIds && !KeepsIds) + NumCounters;
  // Some targets want register pairs aligned.
  const unsigned NumTight =
      Variants.ArgumentVGPRs ? alignTo(NumBlock, 2) : NumBlock;
  const unsigned Count = NumTight + Variants.ArgumentVGPRs;
  unsigned First = alignTo(NextVGPR, 2);
  const unsigned Room = Count + BorrowedVGPRs;
  if (Attempt.BorrowVGPRs && First + Room > Limits.VGPRs) {
    std::optional<unsigned> Block = VGPRs.findBlock(
        NumTight, Count, Limits.VGPRs - std::min(Limits.VGPRs, Room),
        Limits.VGPRs);
    if (!Block)
      return outOf("vector", Plan.Use.VGPRs, Limits.VGPRs);
    First = *Block;
  }
  if (First + Count > Limits.VGPRs)
    return outOf("vector", Plan.Use.VGPRs, Limits.VGPRs);
  unsigned Next = First;
  if (IsStateBorrowed)
    Plan.State->State = Files.vgpr(Next++);
  if (NeedsIds && !KeepsIds) {
    ABI.WorkItemIds = Files.vgpr(Next++);
    Plan.SpillsWorkItemIds = true;
    Plan.Stack.IsUsed = true;
  }
  if (NumCounters)
    ABI.FirstCounterVGPR = Next;
  if (Plan.State)
    ABI.State = Plan.State->State;
  ABI.FirstArgumentVGPR = First + NumTight;
  ABI.FirstVGPR = First + Count;
  ABI.VGPRLimit = Limits.VGPRs;
  for (unsigned N : VGPRs.Always.set_bits())
    if (N >= ABI.FirstVGPR && N < ABI.VGPRLimit)
      ABI.Kept.push_back(Files.vgpr(N));
  return Error::success();
}

Expected<RegisterPlan> RegisterPlanner::run() {
  PayloadABI &ABI = Plan.ABI;
  ABI.WaveSize = Kernel.Descriptor.usesWave32() ? 32 : 64;
  ABI.ApplicationSGPRs = Plan.Use.SGPRs;
  ABI.ApplicationVGPRs = Plan.Use.VGPRs;
  ABI.ApplicationAGPRs = Plan.Use.AGPRs;
  Plan.Stack.Base =
      std::max<unsigned>(Kernel.Descriptor.raw().private_segment_fixed_size,
                         Options.ApplicationStack);
  Expected<KernargGrowth> Growth =
      growKernarg(Kernargs, Kernel, ObjectVersion, Plan.Needs.HiddenArguments,
                  Options.Offline, Plan.Needs.LaunchShares);
  if (!Growth)
    return Growth.takeError();
  Plan.Kernarg = std::move(*Growth);
  ABI.Numbers = Plan.Needs.Numbers;
  ABI.ExplicitKernargSize = Kernargs.ExplicitSize;
  ABI.HiddenArguments = Kernargs.Hidden;
  Plan.Stack.Base = alignTo(Plan.Stack.Base, StackPlan::Alignment);
  Plan.Stack.IsUsed = Attempt.Stack || Attempt.BorrowVGPRs ||
                      Attempt.BorrowSGPRs || Plan.Needs.Stack;
  NextSGPR = Plan.Use.SGPRs;
  NextVGPR = Plan.Use.VGPRs;
  noteNamed();
  if (Error E = placeCounters())
    return std::move(E);
  if (Error E = placeLaneCounters())
    return std::move(E);
  if (Error E = placeState())
    return std::move(E);
  if (Error E = placeVectors())
    return std::move(E);
  if (Error E = placeScalars())
    return std::move(E);
  return std::move(Plan);
}

} // namespace

SmallVector<RegisterFallback, 8> registerFallbacks(RegisterPolicy Policy,
                                                   bool SavesAll) {
  SmallVector<RegisterFallback, 8> Result;
  auto add = [&](RegisterPolicy P) {
    if (!SavesAll) {
      Result.push_back({.Policy = P, .FewSGPRs = true});
      Result.push_back({.Policy = P});
      Result.push_back({.Policy = P, .BorrowVGPRs = true, .Stack = true});
    }
    Result.push_back(
        {.Policy = P, .BorrowVGPRs = true, .BorrowSGPRs = true, .Stack = true});
  };
  add(Policy);
  if (Policy == RegisterPolicy::NoGrow)
    add(RegisterPolicy::KeepOccupancy);
  return Result;
}

RegisterPlan registersWithoutHooks(const LiftedRepresentation &LR,
                                   const RegisterUse &Use) {
  RegisterPlan Plan;
  Plan.Files = &LR.impl().Target->registerFiles();
  Plan.Use = Use;
  Plan.ABI.WaveSize = LR.impl().Kernel->Descriptor.usesWave32() ? 32 : 64;
  return Plan;
}

Expected<RegisterPlan>
planRegisters(const LiftedRepresentation &LR, const RegisterUse &Use,
              const VariantPlan &Variants, const KernelNeeds &Needs,
              const InstrumenterOptions &Options, RegisterFallback Attempt) {
  return RegisterPlanner(LR, Use, Variants, Needs, Options, Attempt).run();
}

RegisterUse registersOf(const RegisterPlan &Plan, ArrayRef<Payload> Payloads,
                        RegisterUse Code) {
  const PayloadABI &ABI = Plan.ABI;
  const amdgpu::RegisterFiles &Files = *Plan.Files;
  unsigned SGPRs = std::max(Code.SGPRs, ABI.FirstSGPR);
  unsigned VGPRs = std::max({Code.VGPRs, ABI.FirstVGPR,
                             ABI.FirstCounterVGPR + ABI.NumCounterVGPRs,
                             ABI.FirstLaneVGPR + 2 * ABI.NumLaneCounters});
  unsigned AGPRs = std::max(Code.AGPRs, Plan.Use.AGPRs);
  for (const Payload &P : Payloads) {
    SGPRs = std::max(SGPRs, P.SGPREnd);
    VGPRs = std::max(VGPRs, P.VGPREnd);
  }
  auto include = [&](MCRegister Reg) {
    if (!Reg)
      return;
    const amdgpu::RegisterRange Range = Files.rangeOf(Reg);
    unsigned &End = Range.File == amdgpu::RegisterFile::SGPR   ? SGPRs
                    : Range.File == amdgpu::RegisterFile::VGPR ? VGPRs
                                                               : AGPRs;
    End = std::max(End, Range.end());
  };
  include(ABI.WorkItemIds);
  if (ABI.NumScalarCounters)
    SGPRs = std::max(SGPRs, ABI.FirstCounterSGPR + 2 * ABI.NumScalarCounters);
  if (Plan.State || ABI.WorkItemIds)
    include(Plan.Entry);
  if (Plan.State)
    for (MCRegister Reg :
         {Plan.State->State, Plan.State->Home, Plan.State->Aside,
          Plan.State->Exec, Plan.State->Address})
      include(Reg);
  return {SGPRs, VGPRs, AGPRs};
}

} // namespace luthier
