// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/KernelWriter.h"
#include "analysis/WaveModes.h"
#include "codeobject/ResourceGrowth.h"
#include "lift/LiftedImpl.h"
#include "rewrite/emit/CallSiteCode.h"
#include "rewrite/emit/NumbersEmitter.h"
#include "rewrite/emit/Prologue.h"

using namespace llvm;

namespace luthier {
namespace {

/// Of the kernel's entry, for the state that \p Hooks have and the stack.
PrologueNeeds prologueNeeds(const LiftedRepresentation &LR,
                            const HookPlan &Hooks,
                            const InstrumenterOptions &Options) {
  const RegisterPlan &Plan = Hooks.Registers;
  PrologueNeeds Wanted;
  Wanted.State = Plan.State;
  Wanted.Stack = Plan.Stack;
  Wanted.ApplicationStack =
      std::max(LR.impl().Kernel->Descriptor.raw().private_segment_fixed_size,
               Options.ApplicationStack);
  for (const Payload &P : Hooks.Payloads) {
    Wanted.StateValues |= P.StateValues;
    if (P.UsesWorkItemIds)
      Wanted.WorkItemIds = Plan.ABI.WorkItemIds;
  }
  Wanted.SpillWorkItemIds = Plan.SpillsWorkItemIds;
  Wanted.Entry = Plan.Entry;
  Wanted.FirstCounterSGPR = Plan.ABI.FirstCounterSGPR;
  Wanted.FirstCounterVGPR = Plan.ABI.FirstCounterVGPR;
  Wanted.NumCounterVGPRs =
      Plan.ABI.CountersOnStack ? 0 : Plan.ABI.NumCounterVGPRs;
  Wanted.FirstLaneVGPR = Plan.ABI.FirstLaneVGPR;
  Wanted.NumLaneCounters = Plan.ABI.NumLaneCounters;
  Wanted.CounterStarts = Plan.CounterStarts;
  Wanted.Numbers = Plan.ABI.Numbers;
  Wanted.NumbersAreLate = Hooks.Late.has_value();
  Wanted.HiddenArguments = Plan.ABI.HiddenArguments;
  Wanted.WaveSize = Plan.ABI.WaveSize;
  Wanted.ApplicationVGPRs = Plan.Use.VGPRs;
  Wanted.SGPRLimit = Plan.ABI.SGPRLimit;
  const unsigned Own = Plan.ABI.FirstSGPR;
  if (Own >= Plan.Use.SGPRs && Own + Wanted.temporaries() < Plan.ABI.SGPRLimit)
    Wanted.OwnSGPR = Own;
  Wanted.LdsBytes = alignTo(Hooks.Needs.LdsBytes, GroupSegmentAlignment);
  Wanted.LdsAlign = std::max(Hooks.Needs.LdsAlign, GroupSegmentAlignment);
  Wanted.DefinesSCC =
      any_of(LR.controlTransfers(),
             [](const ControlTransfer &T) { return T.FollowsPointer; }) &&
      any_of(Hooks.Payloads, [](const Payload &P) { return !P.Code.empty(); });
  Wanted.PreloadsArguments = LR.impl().preloadsArguments();
  if (!Options.Workgroups.isAll())
    Wanted.Guard = {Options.Workgroups,
                    LR.functions().front().first.Address + Options.LoadBias};
  return Wanted;
}

void include(RegisterUse &Use, const RegisterUse &More) {
  Use.SGPRs = std::max(Use.SGPRs, More.SGPRs);
  Use.VGPRs = std::max(Use.VGPRs, More.VGPRs);
  Use.AGPRs = std::max(Use.AGPRs, More.AGPRs);
}

} // namespace

Expected<KernelCode> writeKernel(const LiftedRepresentation &LR,
                                 const HookPlan &Hooks,
                                 const RegisterUse &Edited,
                                 ArrayRef<Inserter *> Inserters,
                                 const InstrumenterOptions &Options,
                                 amdgpu::MachineEncoder &Encoder) {
  KernelCode Result{{}, LR.impl().Kernel->Descriptor, {}};
  const Prologue Start(prologueNeeds(LR, Hooks, Options), Result.Descriptor,
                       LR.impl().Target->traits().Launch);
  // Also for what hooks stored earlier.
  const bool UsesStack = Hooks.Registers.Stack.IsUsed;
  auto insert = [&](const InsertionPoint &Where, amdgpu::CodeLayout &Layout) {
    const size_t Begin = Layout.size();
    CallSiteCode Code(Encoder, Hooks.Registers.ABI.WaveSize, Layout);
    if (Where.function() == LR.functions().front().second)
      Start.write(Code);
    if (Hooks.Late && Where == Hooks.Late->At)
      emitNumbers(Hooks, Code);
    for (Inserter *Each : Inserters)
      Each->insert(Where, Layout);
    if (Where.instruction() && deallocatesVGPRs(*Where.instruction()) &&
        (UsesStack || Layout.size() != Begin))
      Code.beforeDeallocation(UsesStack);
  };
  CodeWriterOptions Writing{.Insert = insert};
  if (Options.Offline)
    Writing.LinkedAt = Options.LinkedAt;
  else
    Writing.LoadBias = Options.LoadBias;
  Expected<WrittenCode> Written = writeCode(LR, Encoder, Writing);
  if (!Written)
    return Written.takeError();
  Result.Written = std::move(*Written);
  Result.Registers = Edited;
  include(Result.Registers, {Start.sgprEnd(), 0, 0});
  for (const Inserter *Each : Inserters)
    include(Result.Registers, Each->registers());
  return Result;
}

} // namespace luthier
