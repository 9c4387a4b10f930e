// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Instrumenter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/KernelFacts.h"
#include "analysis/WaveModes.h"
#include "codeobject/CodeObjectWriter.h"
#include "codeobject/ResourceGrowth.h"
#include "lift/LiftedImpl.h"
#include "rewrite/emit/CallSiteEmitter.h"
#include "rewrite/emit/CodeWriter.h"
#include "rewrite/emit/PlacedPayloads.h"
#include "rewrite/emit/Prologue.h"
#include "rewrite/plan/HookPlan.h"
#include "rewrite/resolve/KernelCheck.h"
#include "rewrite/selftest/RegisterScrambler.h"
#include "rewrite/selftest/StackScrambler.h"
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
  PrologueNeeds prologueNeeds() const;
  Error writeKernel();
  /// \p Begin is the layout's size where this insertion begins.
  void writeAt(const Place &Where, size_t Begin, amdgpu::CodeLayout &Layout);
  void poisonAt(const Place &Where, amdgpu::CodeLayout &Layout);
  SeamCode seamIn(amdgpu::CodeLayout &Layout) {
    return SeamCode(Encoder, *seamTraits(Object.target().Processor),
                    Hooks.Frame.Frame.WaveSize, Layout);
  }
  std::vector<PlacedPayload> placedPayloads() const;
  Error keepSpecialScalarsApart(unsigned &SGPRs) const;
  Error emit(KernelDescriptor Descriptor, unsigned SGPREnd);
  void report(const KernelDescriptor &After);
  RegisterSet keptBetweenPoints() const;

  LiftedRepresentation &LR;
  const InstrumentationTask &Task;
  HookResolver Resolve;
  const InstrumenterOptions &Options;
  const KernelInfo &Kernel;
  const CodeObject &Object;
  const RegisterFileTraits &Traits;
  amdgpu::MachineEncoder Encoder;
  const RegisterUse Use;

  HookPlan Hooks;
  std::optional<PointWriter> Writer;
  std::optional<Poisoner> Poison;
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

PrologueNeeds Instrumentation::prologueNeeds() const {
  PrologueNeeds Wanted;
  Wanted.State = Hooks.Frame.State;
  Wanted.Stack = Hooks.Frame.Stack;
  Wanted.ApplicationStack =
      std::max(Kernel.Descriptor.raw().private_segment_fixed_size,
               Options.ApplicationStack);
  for (const Payload &P : Hooks.Payloads) {
    Wanted.StateValues |= P.StateValues;
    if (P.UsesWorkItemIds)
      Wanted.WorkItemIds = Hooks.Frame.Frame.WorkItemIds;
  }
  Wanted.SpillWorkItemIds = Hooks.Frame.SpillsWorkItemIds;
  Wanted.Entry = Hooks.Frame.Entry;
  const unsigned Own = Hooks.Frame.Frame.FirstSGPR;
  if (Own >= Use.SGPRs &&
      Own + Prologue::NumTemporaries < Hooks.Frame.Frame.SGPRLimit)
    Wanted.OwnSGPR = Own;
  Wanted.LdsBytes = alignTo(Hooks.Needs.LdsBytes, GroupSegmentAlignment);
  Wanted.LdsAlign = std::max(Hooks.Needs.LdsAlign, GroupSegmentAlignment);
  Wanted.PreloadsArguments = LR.impl().preloadsArguments();
  return Wanted;
}

/// What poison must leave alone: registers of the engine's own that hold
/// something while the application runs, and whatever a hook reads or writes of
/// the application, which may do so where the application itself does not care.
RegisterSet Instrumentation::keptBetweenPoints() const {
  RegisterSet Kept;
  if (Hooks.Frame.State) {
    if (Hooks.Frame.State->Form == StateForm::Vgpr)
      Kept.add(Hooks.Frame.State->State);
    for (MCRegister Reg : {Hooks.Frame.State->Home, Hooks.Frame.State->Aside,
                           Hooks.Frame.State->Exec, Hooks.Frame.State->Address})
      if (Reg)
        Kept.add(Reg);
  }
  if (Hooks.Frame.Frame.WorkItemIds && !Hooks.Frame.SpillsWorkItemIds)
    Kept.add(Hooks.Frame.Frame.WorkItemIds);
  for (unsigned Number : Hooks.Needs.Named)
    Kept.add(MCRegister(Number));
  for (const PlannedPoint &Point : Hooks.Variants.Points)
    Kept |= readsOf(Hooks, Point);
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
  if (auto It = Hooks.Points.find(Where.key()); It != Hooks.Points.end())
    for (const ReadyPoint &Ready : It->second) {
      const size_t At = Writer->write(*Ready.Point, Ready.Saves, Layout);
      // A hook that does nothing may leave nothing at all to be found.
      if (!Hooks.Payloads[Ready.Point->Variant].Code.empty())
        Copies.push_back({Insertions, At - Begin, Ready.Point->Variant});
    }
  // Also for what hooks stored earlier.
  const bool UsesStack = Hooks.Frame.Stack.IsUsed;
  if (Where.K == Place::Kind::Before && deallocatesVGPRs(*Where.MI) &&
      (UsesStack || Layout.size() != Begin))
    seamIn(Layout).beforeDeallocation(UsesStack);
  Insertions += Layout.size() != Begin;
}

std::vector<PlacedPayload> Instrumentation::placedPayloads() const {
  assert(Insertions == Code.Inserted.size() && "each is some callback's");
  std::vector<PlacedPayload> Result;
  for (const Copy &C : Copies)
    Result.push_back({Code.Inserted[C.Insertion].Begin + C.Offset,
                      &Hooks.Payloads[C.Variant]});
  return Result;
}

Error Instrumentation::writeKernel() {
  KernelDescriptor Descriptor = Kernel.Descriptor;
  Prologue Start(prologueNeeds(), Descriptor,
                 *launchTraits(Object.target().Processor));
  Writer.emplace(Encoder, *seamTraits(Object.target().Processor), Hooks.Frame,
                 Hooks.Payloads, Hooks.Hazards);
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
      SeamCode Seam = seamIn(Layout);
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

/// What hooks do with VCC and FLAT_SCRATCH must not be done to registers of the
/// application, which may have left no room for those.
Error Instrumentation::keepSpecialScalarsApart(unsigned &SGPRs) const {
  const KernelDescriptor &D = Kernel.Descriptor;
  const bool IsPair = launchTraits(Object.target().Processor)->Scratch ==
                      ScratchSetup::RegisterPair;
  SpecialScalars Wanted;
  Wanted.VCC = !Hooks.Payloads.empty() && !Hooks.Hazards.HasVCC;
  Wanted.FlatScratch =
      IsPair && Hooks.Frame.Stack.IsUsed && !Hooks.Hazards.HasFlatScratch;
  const unsigned Needed = scalarsForSpecial(Use.SGPRs, Wanted, Traits, D);
  if (Needed <= SGPRs)
    return Error::success();
  KernelDescriptor Grown = D;
  Grown.setSGPRs(Needed, Traits);
  if (Options.Policy != RegisterPolicy::Grow &&
      Grown.wavesPerSIMD(Traits) < D.wavesPerSIMD(Traits))
    return refuse(RefusalReason::RegisterBudget,
                  "the kernel uses " + Twine(Use.SGPRs) +
                      " scalar registers, which leaves hooks no VCC and no "
                      "FLAT_SCRATCH without more of them");
  SGPRs = Needed;
  return Error::success();
}

Error Instrumentation::emit(KernelDescriptor Descriptor, unsigned SGPREnd) {
  KernelImage Image{Kernel.Name, {}, 0, Descriptor};
  KernelMetadata Metadata = Kernel.Metadata;
  RegisterUse CodeUse = editedRegisterUse(LR);
  CodeUse.SGPRs = std::max(CodeUse.SGPRs, SGPREnd);
  if (Error E = keepSpecialScalarsApart(CodeUse.SGPRs))
    return E;
  growRegisters(registerAllocation(LR),
                registersOf(Hooks.Frame, Hooks.Payloads, CodeUse), Traits,
                Image.Descriptor, Metadata);
  Result.PrivateSegmentSize = Hooks.Frame.Stack.total();
  Result.ExtraGroupSegment =
      extraGroupSegment(Hooks.Needs.LdsBytes, Hooks.Needs.LdsAlign,
                        /*IsRounded=*/!Options.Offline);
  growMemory(Result.PrivateSegmentSize, Result.ExtraGroupSegment,
             Image.Descriptor, Metadata);
  Result.Kernarg = Hooks.Frame.Kernarg;
  growArguments(Hooks.Frame.Kernarg, Image.Descriptor, Metadata);
  Image.Code = Code.Code;
  const std::vector<PlacedPayload> Placed = placedPayloads();
  const LineTable Lines = linesOf(LR, Code, Placed);
  Image.Lines = &Lines;
  if (Options.Offline) {
    Result.Image.emplace(OfflineImage{
        Code.Code, Image.Descriptor, Metadata,
        placeFixups(Placed, Hooks.Payloads, Hooks.Variants.Variants), Lines});
  } else {
    Stopwatch Watch;
    Expected<std::vector<uint8_t>> Linked =
        writeCodeObject(Object, Image, Metadata);
    Result.Report.EmitTime = Watch.lap();
    if (!Linked)
      return refuse(RefusalReason::LinkFailed, toString(Linked.takeError()));
    Result.CodeObject = std::move(*Linked);
  }
  Result.Hooks = placedHooks(LR, Hooks.Variants);
  report(Image.Descriptor);
  return Error::success();
}

void Instrumentation::report(const KernelDescriptor &After) {
  InstrumentationReport &Report = Result.Report;
  Report.BytesBefore = LR.impl().codeSize();
  Report.BytesAfter = Code.Code.size();
  Report.Points = Hooks.Variants.Points.size();
  Report.Payloads = Hooks.Payloads.size();
  Report.VGPRsBefore = Kernel.Descriptor.allocatedVGPRs(Traits);
  Report.VGPRsAfter = After.allocatedVGPRs(Traits);
  Report.SGPRsBefore = Kernel.Descriptor.allocatedSGPRs(Traits);
  Report.SGPRsAfter = After.allocatedSGPRs(Traits);
  Report.WavesBefore = Kernel.Descriptor.wavesPerSIMD(Traits);
  Report.WavesAfter = After.wavesPerSIMD(Traits);
  for (const auto &[Where, Ready] : Hooks.Points)
    for (const ReadyPoint &Point : Ready) {
      Report.SavedSGPRs += Point.Saves.Scalars.size();
      Report.SavedVGPRs += Point.Saves.Vectors.size();
      Report.SavingPoints +=
          !Point.Saves.Scalars.empty() || Point.Saves.hasVectors();
    }
  Report.StackBytes = Hooks.Frame.Stack.IsUsed
                          ? Hooks.Frame.Stack.total() - Hooks.Frame.Stack.Base
                          : 0;
  Report.GroupSegmentBytes = Result.ExtraGroupSegment;
  if (Hooks.Frame.State)
    Report.Storage = Hooks.Frame.State->Form;
}

Expected<InstrumentedKernel> Instrumentation::run() {
  Stopwatch Watch;
  if (Error E = checkKernel(LR))
    return std::move(E);
  Expected<HookPlan> Planned =
      planHooks(LR, Task, Resolve, Options, Use, Encoder);
  if (!Planned)
    return Planned.takeError();
  Hooks = std::move(*Planned);
  Result.Report.CompileTime = Watch.lap();
  if (Error E = writeKernel())
    return std::move(E);
  Result.Report.RewriteTime = Watch.lap() - Result.Report.EmitTime;
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
  if (std::optional<uint64_t> Seed = Task.stackSeed()) {
    const StackGarbage Garbage(LR, Task, *Seed);
    auto ResolveAll = [&](const void *Handle) {
      return Garbage.resolve(Handle, Resolve);
    };
    Expected<InstrumentedKernel> Result =
        Instrumentation(LR, Garbage.task(), ResolveAll, How).run();
    if (Result || !Task.isStackOptional())
      return Result;
    Error Other = handleErrors(
        Result.takeError(), [](std::unique_ptr<Refusal> R) -> Error {
          const bool IsForRoom =
              R->reason() == RefusalReason::RegisterBudget ||
              R->reason() == RefusalReason::InstrumentationStack ||
              R->reason() == RefusalReason::DynamicStack;
          return IsForRoom ? Error::success() : Error(std::move(R));
        });
    if (Other)
      return std::move(Other);
  }
  if (How.Poison && Task.insertions().empty())
    return poisonKernel(LR, How);
  return Instrumentation(LR, Task, Resolve, How).run();
}

} // namespace luthier
