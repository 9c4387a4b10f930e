// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Instrumenter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/Liveness.h"
#include "analysis/LoadsInFlight.h"
#include "codeobject/CodeObjectWriter.h"
#include "lift/LiftedImpl.h"
#include "rewrite/CodeWriter.h"
#include "rewrite/FramePlan.h"
#include "rewrite/KernelCheck.h"
#include "rewrite/LineInfo.h"
#include "rewrite/PlacedHooks.h"
#include "rewrite/PointWriter.h"
#include "rewrite/Poison.h"
#include "rewrite/Prologue.h"
#include "rewrite/RegisterLimits.h"
#include "rewrite/ResourceGrowth.h"
#include "rewrite/VariantPlan.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <chrono>

using namespace llvm;

namespace luthier {
namespace {

/// Seconds since the last call.
class Stopwatch {
public:
  double lap() {
    auto Now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(Now - std::exchange(Last, Now))
        .count();
  }

private:
  std::chrono::steady_clock::time_point Last = std::chrono::steady_clock::now();
};

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

/// A point with what is to be saved there.
struct ReadyPoint {
  const PlannedPoint *Point;
  PointSaves Saves;
};

class Instrumentation {
public:
  Instrumentation(LiftedRepresentation &LR, const InstrumentationTask &Task,
                  HookResolver Resolve, const InstrumenterOptions &Options)
      : LR(LR), Task(Task), Resolve(Resolve), Options(Options),
        Kernel(*LR.impl().Kernel), Object(*LR.impl().Object),
        Traits(*registerFileTraits(Object.target().Processor)),
        Encoder(*LR.impl().Target), Use(registerUse(LR)) {}

  Expected<InstrumentedKernel> run();

private:
  Error collectNeeds();
  Error compile(FrameAttempt Attempt);
  Error compileSomehow();
  Error planPoints();
  PrologueNeeds prologueNeeds() const;
  Error writeKernel();
  /// \p Begin is the layout's size where this insertion begins.
  void writeAt(const Place &Where, size_t Begin, amdgpu::CodeLayout &Layout);
  void poisonAt(const Place &Where, amdgpu::CodeLayout &Layout);
  std::vector<PlacedPayload> placedPayloads() const;
  Error emit(KernelDescriptor Descriptor, unsigned SGPREnd);
  RegisterSet liveAt(const Place &Where) const;
  WaitCounts waitsAt(const Place &Where, const RegisterSet &Registers);
  RegisterSet keptBetweenPoints() const;
  RegisterSet readsOf(const PlannedPoint &Point) const;
  void keepWhatHooksRead();
  Error checkSharedMemory() const;
  Error checkOwnRegisters() const;

  LiftedRepresentation &LR;
  const InstrumentationTask &Task;
  HookResolver Resolve;
  const InstrumenterOptions &Options;
  const KernelInfo &Kernel;
  const CodeObject &Object;
  const RegisterFileTraits &Traits;
  amdgpu::MachineEncoder Encoder;
  const RegisterUse Use;

  VariantPlan Variants;
  Shares ModuleShares;
  std::vector<ModuleLayout> ModuleLayouts; ///< As ModuleShares.
  HookNeeds Needs;
  FramePlan Plan;
  std::vector<Payload> Payloads;
  Liveness Lives;
  /// Only made if a point touches registers of the application.
  std::optional<LoadsInFlight> Loads;
  std::optional<LoadsWalk> Walk;
  std::optional<PointWriter> Writer;
  std::optional<Poisoner> Poison;
  /// By Place::key().
  DenseMap<std::pair<const void *, const void *>, SmallVector<ReadyPoint, 1>>
      Points;
  /// A copy of a payload, as it is written.
  struct Copy {
    size_t Insertion; ///< Index into WrittenCode::Inserted.
    size_t Offset;    ///< In it.
    unsigned Variant;
  };
  std::vector<Copy> Copies;
  size_t Insertions = 0;
  WrittenCode Code;
  InstrumentedKernel Result;
};

Error Instrumentation::collectNeeds() {
  ModuleShares = sharesOf(Variants);
  for (auto &[Module, Share] : ModuleShares) {
    Expected<HookNeeds> Wanted =
        Variants.Compilers[Module]->needs(variantsOf(Variants, Share));
    if (!Wanted)
      return Wanted.takeError();
    ModuleLayouts.push_back(Needs.add(*Wanted));
  }
  if (Needs.Accumulators >
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

Error Instrumentation::checkSharedMemory() const {
  if (Needs.LdsBytes && isSplit(Kernel.Descriptor, Traits))
    return refuse(RefusalReason::SharedMemory,
                  "workgroups are split over compute units, and have none");
  const unsigned Own = std::max<unsigned>(
      Kernel.Descriptor.raw().group_segment_fixed_size, Options.GroupSegment);
  const unsigned All = alignTo(Own, GroupSegmentAlignment) +
                       extraGroupSegment(Needs, /*IsRounded=*/!Options.Offline);
  if (Needs.LdsBytes && All > Traits.LDSBytes)
    return refuse(RefusalReason::SharedMemory,
                  "the kernel uses " + Twine(Own) + " of " +
                      Twine(Traits.LDSBytes) + " bytes, its hooks " +
                      Twine(All - Own));
  return Error::success();
}

/// Tools may have given the code registers that there are not.
Error Instrumentation::checkOwnRegisters() const {
  const RegisterUse Named = namedRegisterUse(LR);
  const RegisterLimits Limits =
      registerLimits(Kernel, Named.AGPRs, Traits, RegisterPolicy::Grow);
  if (Named.SGPRs <= Limits.SGPRs && Named.VGPRs <= Limits.VGPRs &&
      Named.AGPRs <= Limits.VectorTotal)
    return Error::success();
  return refuse(RefusalReason::RegisterBudget,
                "the code takes " + Twine(Named.SGPRs) + " scalar, " +
                    Twine(Named.VGPRs) + " vector and " + Twine(Named.AGPRs) +
                    " accumulation registers; a workgroup can have " +
                    Twine(Limits.SGPRs) + ", " + Twine(Limits.VGPRs) + " and " +
                    Twine(Limits.VectorTotal));
}

/// Compiles all variants for a frame as \p Attempt allows.
Error Instrumentation::compile(FrameAttempt Attempt) {
  Expected<FramePlan> Planned =
      planFrame(LR, Use, Variants, Needs, Options, Attempt);
  if (!Planned)
    return Planned.takeError();
  Plan = std::move(*Planned);
  Payloads.assign(Variants.Variants.size(), {});
  for (auto [Share, Layout] : zip(ModuleShares, ModuleLayouts)) {
    PayloadFrame Frame = Plan.Frame;
    Frame.Module = Layout;
    Expected<std::vector<Payload>> Compiled =
        Variants.Compilers[Share.first]->compile(
            variantsOf(Variants, Share.second), Frame);
    if (!Compiled)
      return Compiled.takeError();
    for (auto [Index, Payload] : zip(Share.second, *Compiled))
      Payloads[Index] = std::move(Payload);
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

Error Instrumentation::compileSomehow() {
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

RegisterSet Instrumentation::liveAt(const Place &Where) const {
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

WaitCounts Instrumentation::waitsAt(const Place &Where,
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

/// Of the application's registers.
RegisterSet Instrumentation::readsOf(const PlannedPoint &Point) const {
  RegisterSet Result;
  for (const ArgumentMove &Move : Point.Moves)
    if (const auto *From = std::get_if<MCRegister>(&Move.Value))
      Result.add(*From);
  const Payload &P = Payloads[Point.Variant];
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

/// A value that the application needs no more may be one that a later hook is
/// given, so that no other hook may overwrite it before.
void Instrumentation::keepWhatHooksRead() {
  OtherReads Others;
  for (const PlannedPoint &Point : Variants.Points) {
    const RegisterSet Reads = readsOf(Point);
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
Error Instrumentation::planPoints() {
  Points.clear();
  keepWhatHooksRead();
  const KernelHazards Hazards = hazardsOf(LR);
  Writer.emplace(Encoder, *seamTraits(Object.target().Processor), Plan,
                 Payloads, Hazards);
  bool UsesStack = false, UsesState = Needs.Accumulators;
  for (const PlannedPoint &Point : Variants.Points) {
    Expected<PointSaves> Saves = Writer->plan(Point, liveAt(Point.Where));
    if (!Saves)
      return Saves.takeError();
    const Payload &P = Payloads[Point.Variant];
    Plan.Stack.NumVectors =
        std::max<unsigned>(Plan.Stack.NumVectors, Saves->Vectors.size());
    Plan.Stack.PayloadSize = std::max(Plan.Stack.PayloadSize, P.StackSize);
    UsesStack |= Saves->hasVectors() || Saves->WorkItemIds || P.StackSize ||
                 (Plan.State && Plan.State->usesStackAt(Saves->State));
    UsesState |= Saves->State.IsNeeded;
    Saves->Waits = waitsAt(Point.Where, Saves->Touched);
    Points[Point.Where.key()].push_back({&Point, std::move(*Saves)});
  }
  // Planned for, but nobody came to need it.
  if (!UsesState)
    Plan.State.reset();
  Plan.Stack.IsUsed = UsesStack || (Plan.State && Plan.State->usesStack());
  if (Plan.Stack.IsUsed && Hazards.OwnsFlatScratch)
    return refuse(RefusalReason::InstrumentationStack,
                  "hooks need a stack, and the kernel has values of its own in "
                  "FLAT_SCRATCH, through which it is reached");
  // What a packet gives is known only at the launch.
  if (Plan.Stack.IsUsed && !Options.ApplicationStack &&
      (Kernel.Descriptor.usesDynamicStack() ||
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

PrologueNeeds Instrumentation::prologueNeeds() const {
  PrologueNeeds Wanted;
  Wanted.State = Plan.State;
  Wanted.Stack = Plan.Stack;
  Wanted.ApplicationStack =
      std::max(Kernel.Descriptor.raw().private_segment_fixed_size,
               Options.ApplicationStack);
  for (const Payload &P : Payloads) {
    Wanted.StateValues |= P.StateValues;
    if (P.UsesWorkItemIds)
      Wanted.WorkItemIds = Plan.Frame.WorkItemIds;
  }
  Wanted.SpillWorkItemIds = Plan.SpillsWorkItemIds;
  Wanted.Entry = Plan.Entry;
  const unsigned Own = Plan.Frame.FirstSGPR;
  if (Own >= Use.SGPRs && Own + Prologue::NumTemporaries < Plan.Frame.SGPRLimit)
    Wanted.OwnSGPR = Own;
  Wanted.LdsBytes = alignTo(Needs.LdsBytes, GroupSegmentAlignment);
  Wanted.LdsAlign = std::max(Needs.LdsAlign, GroupSegmentAlignment);
  return Wanted;
}

/// What poison must leave alone: registers of the engine's own that hold
/// something while the application runs, and whatever a hook reads or writes of
/// the application, which may do so where the application itself does not care.
RegisterSet Instrumentation::keptBetweenPoints() const {
  RegisterSet Kept;
  if (Plan.State) {
    if (Plan.State->Form == StateForm::Vgpr)
      Kept.add(Plan.State->State);
    for (MCRegister Reg : {Plan.State->Home, Plan.State->Aside,
                           Plan.State->Exec, Plan.State->Address})
      if (Reg)
        Kept.add(Reg);
  }
  if (Plan.Frame.WorkItemIds && !Plan.SpillsWorkItemIds)
    Kept.add(Plan.Frame.WorkItemIds);
  for (unsigned Number : Needs.Named)
    Kept.add(MCRegister(Number));
  for (const PlannedPoint &Point : Variants.Points)
    Kept |= readsOf(Point);
  return Kept;
}

void Instrumentation::poisonAt(const Place &Where, amdgpu::CodeLayout &Layout) {
  if (!Poison)
    return;
  switch (Where.K) {
  case Place::Kind::Before:
    return Poison->before(*Where.MI, Layout);
  case Place::Kind::Edge:
    return Poison->onEdge(*Where.From, *Where.To, Layout);
  case Place::Kind::Entry:
    return Poison->atEntry(*Where.MF, Layout);
  }
}

void Instrumentation::writeAt(const Place &Where, size_t Begin,
                              amdgpu::CodeLayout &Layout) {
  poisonAt(Where, Layout);
  if (auto It = Points.find(Where.key()); It != Points.end())
    for (const ReadyPoint &Ready : It->second) {
      const size_t At = Writer->write(*Ready.Point, Ready.Saves, Layout);
      Copies.push_back({Insertions, At - Begin, Ready.Point->Variant});
    }
  Insertions += Layout.size() != Begin;
}

std::vector<PlacedPayload> Instrumentation::placedPayloads() const {
  assert(Insertions == Code.Inserted.size() && "each is some callback's");
  std::vector<PlacedPayload> Result;
  for (const Copy &C : Copies)
    Result.push_back(
        {Code.Inserted[C.Insertion].Begin + C.Offset, &Payloads[C.Variant]});
  return Result;
}

Error Instrumentation::writeKernel() {
  KernelDescriptor Descriptor = Kernel.Descriptor;
  Prologue Start(prologueNeeds(), Descriptor,
                 *launchTraits(Object.target().Processor));
  if (Options.Poison)
    Poison.emplace(LR, Encoder, Options, /*Above=*/RegisterSet(),
                   keptBetweenPoints());
  auto before = [&](const MachineInstr &MI, amdgpu::CodeLayout &Layout) {
    writeAt(Place::before(MI), Layout.size(), Layout);
  };
  auto onEdge = [&](const MachineBasicBlock &From, const MachineBasicBlock &To,
                    amdgpu::CodeLayout &Layout) {
    writeAt(Place::edge(From, To), Layout.size(), Layout);
  };
  auto atEntry = [&](const MachineFunction &MF, amdgpu::CodeLayout &Layout) {
    const size_t Begin = Layout.size();
    if (&MF == &LR.kernel()) {
      SeamCode Seam(Encoder, *seamTraits(Object.target().Processor),
                    Plan.Frame.WaveSize, Layout);
      Start.write(Seam);
    }
    writeAt(Place::entry(MF), Begin, Layout);
  };
  CodeWriterOptions Writing{
      .Before = before, .OnEdge = onEdge, .AtEntry = atEntry};
  (Options.Offline ? Writing.LinkedAt : Writing.LoadBias) =
      Options.Offline ? Options.LinkedAt : Options.LoadBias;
  Expected<WrittenCode> Written = writeCode(LR, Encoder, Writing);
  if (!Written)
    return Written.takeError();
  for (const KeptInstruction &Kept : Written->Map)
    Result.Map.push_back({Kept.Offset, Kept.Original});
  Code = std::move(*Written);
  return emit(Descriptor, Start.sgprEnd());
}

Error Instrumentation::emit(KernelDescriptor Descriptor, unsigned SGPREnd) {
  KernelImage Image{Kernel.Name, {}, 0, Descriptor};
  KernelMetadata Metadata = Kernel.Metadata;
  RegisterUse CodeUse = namedRegisterUse(LR);
  CodeUse.SGPRs = std::max(CodeUse.SGPRs, SGPREnd);
  growRegisters(registerAllocation(LR), registersOf(Plan, Payloads, CodeUse),
                Traits, Image.Descriptor, Metadata);
  Result.PrivateSegmentSize = Plan.Stack.total();
  Result.ExtraGroupSegment =
      extraGroupSegment(Needs, /*IsRounded=*/!Options.Offline);
  growMemory(Result.PrivateSegmentSize, Result.ExtraGroupSegment,
             Image.Descriptor, Metadata);
  Result.Kernarg = Plan.Kernarg;
  growArguments(Plan.Kernarg, Image.Descriptor, Metadata);
  Image.Code = Code.Code;
  const std::vector<PlacedPayload> Placed = placedPayloads();
  const LineTable Lines = linesOf(LR, Code, Placed);
  Image.Lines = &Lines;
  if (Options.Offline) {
    Result.Image.emplace(
        OfflineImage{Code.Code, Image.Descriptor, Metadata,
                     placeFixups(Placed, Payloads, Variants.Variants)});
  } else {
    Expected<std::vector<uint8_t>> Linked =
        writeCodeObject(Object, Image, Metadata);
    if (!Linked)
      return refuse(RefusalReason::LinkFailed, toString(Linked.takeError()));
    Result.CodeObject = std::move(*Linked);
  }
  InstrumentationReport &Report = Result.Report;
  Report.BytesBefore = Kernel.CodeSize;
  Report.BytesAfter = Code.Code.size();
  Result.Hooks = placedHooks(LR, Variants);
  Report.Points = Variants.Points.size();
  Report.Payloads = Payloads.size();
  Report.VGPRsBefore = Kernel.Descriptor.allocatedVGPRs(Traits);
  Report.VGPRsAfter = Image.Descriptor.allocatedVGPRs(Traits);
  Report.SGPRsBefore = Kernel.Descriptor.allocatedSGPRs(Traits);
  Report.SGPRsAfter = Image.Descriptor.allocatedSGPRs(Traits);
  Report.WavesBefore = Kernel.Descriptor.wavesPerSIMD(Traits);
  Report.WavesAfter = Image.Descriptor.wavesPerSIMD(Traits);
  for (const auto &[Where, Ready] : Points)
    for (const ReadyPoint &Point : Ready) {
      Report.SavedSGPRs += Point.Saves.Scalars.size();
      Report.SavedVGPRs += Point.Saves.Vectors.size();
      Report.SavingPoints +=
          !Point.Saves.Scalars.empty() || Point.Saves.hasVectors();
    }
  Report.StackBytes =
      Plan.Stack.IsUsed ? Plan.Stack.total() - Plan.Stack.Base : 0;
  Report.GroupSegmentBytes = Result.ExtraGroupSegment;
  if (Plan.State)
    Report.Storage = Plan.State->Form;
  return Error::success();
}

Expected<InstrumentedKernel> Instrumentation::run() {
  Stopwatch Watch;
  if (Error E = checkKernel(LR))
    return std::move(E);
  if (Error E = checkOwnRegisters())
    return std::move(E);
  Expected<VariantPlan> Planned =
      planVariants(LR, Use, Task, Resolve, Options.LoadBias);
  if (!Planned)
    return Planned.takeError();
  Variants = std::move(*Planned);
  if (Error E = collectNeeds())
    return std::move(E);
  Lives = Liveness::run(LR);
  if (Error E = compileSomehow())
    return std::move(E);
  Result.Report.CompileTime = Watch.lap();
  if (Error E = writeKernel())
    return std::move(E);
  Result.Report.RewriteTime = Watch.lap();
  return std::move(Result);
}

} // namespace

Expected<InstrumentedKernel>
instrumentKernel(LiftedRepresentation &LR, const InstrumentationTask &Task,
                 HookResolver Resolve, const InstrumenterOptions &Options) {
  InstrumenterOptions How = Options;
  if (std::optional<uint64_t> Seed = Task.poisonSeed()) {
    How.Poison = true;
    How.PoisonSeed = *Seed;
  }
  if (How.Poison && Task.insertions().empty())
    return poisonKernel(LR, How);
  return Instrumentation(LR, Task, Resolve, How).run();
}

Expected<std::vector<uint8_t>>
emitUninstrumented(const LiftedRepresentation &LR) {
  amdgpu::MachineEncoder Encoder(*LR.impl().Target);
  Expected<WrittenCode> Code = writeCode(LR, Encoder, {});
  if (!Code)
    return Code.takeError();
  return std::move(Code->Code);
}

} // namespace luthier
