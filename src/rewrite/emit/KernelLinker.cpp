// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/KernelLinker.h"
#include "codeobject/CodeObjectWriter.h"
#include "codeobject/LaunchLayout.h"
#include "codeobject/ResourceGrowth.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"

using namespace llvm;

namespace luthier {
namespace {

/// What hooks do with VCC and FLAT_SCRATCH must not be done to registers of the
/// application, which may have left no room for those.
Error keepSpecialScalarsApart(const LiftedRepresentation &LR,
                              const HookPlan &Hooks, RegisterPolicy Policy,
                              unsigned &SGPRs) {
  const StringRef Processor = LR.impl().Object->target().Processor;
  const RegisterFileTraits &Traits = *registerFileTraits(Processor);
  const unsigned Used = Hooks.Registers.Use.SGPRs;
  const KernelDescriptor &D = LR.impl().Kernel->Descriptor;
  const bool IsPair =
      LR.impl().Target->traits().Launch.Scratch == ScratchSetup::RegisterPair;
  SpecialScalars Wanted;
  Wanted.VCC = !Hooks.Payloads.empty() && !Hooks.Facts.HasVCC;
  Wanted.FlatScratch =
      IsPair && Hooks.Registers.Stack.IsUsed && !Hooks.Facts.HasFlatScratch;
  const unsigned Needed = scalarsForSpecial(Used, Wanted, Traits, D);
  if (Needed <= SGPRs)
    return Error::success();
  KernelDescriptor Grown = D;
  Grown.setSGPRs(Needed, Traits);
  if (Policy != RegisterPolicy::Grow &&
      Grown.wavesPerSIMD(Traits) < D.wavesPerSIMD(Traits))
    return refuse(RefusalReason::RegisterBudget,
                  "the kernel uses " + Twine(Used) +
                      " scalar registers, which leaves hooks no VCC and no "
                      "FLAT_SCRATCH without more of them");
  SGPRs = Needed;
  return Error::success();
}

InstrumentationReport makeReport(const LiftedRepresentation &LR,
                                 const HookPlan &Hooks, const KernelCode &Code,
                                 const KernelDescriptor &After) {
  const RegisterFileTraits &Traits =
      *registerFileTraits(LR.impl().Object->target().Processor);
  const KernelDescriptor &Before = LR.impl().Kernel->Descriptor;
  const StackPlan &Stack = Hooks.Registers.Stack;
  InstrumentationReport Report;
  Report.BytesBefore = LR.impl().codeSize();
  Report.BytesAfter = Code.Written.Code.size();
  Report.Points = Hooks.Variants.CallSites.size();
  Report.Payloads = Hooks.Payloads.size();
  Report.Compiled = Hooks.Counts.Compiled;
  Report.Found = Hooks.Counts.Found;
  Report.VGPRsBefore = Before.allocatedVGPRs(Traits);
  Report.VGPRsAfter = After.allocatedVGPRs(Traits);
  Report.SGPRsBefore = Before.allocatedSGPRs(Traits);
  Report.SGPRsAfter = After.allocatedSGPRs(Traits);
  Report.WavesBefore = Before.wavesPerSIMD(Traits);
  Report.WavesAfter = After.wavesPerSIMD(Traits);
  for (const auto &[Where, Planned] : Hooks.CallSites)
    for (const PlannedCallSite &Site : Planned) {
      Report.SavedSGPRs += Site.Spills->Scalars.size();
      Report.SavedVGPRs += Site.Spills->Vectors.size();
      Report.SavingPoints +=
          !Site.Spills->Scalars.empty() || Site.Spills->hasVectors();
    }
  Report.StackBytes = Stack.IsUsed ? Stack.total() - Stack.Base : 0;
  if (Hooks.Registers.State)
    Report.Storage = Hooks.Registers.State->Form;
  return Report;
}

} // namespace

Expected<InstrumentedKernel> linkKernel(const LiftedRepresentation &LR,
                                        const HookPlan &Hooks, KernelCode Code,
                                        ArrayRef<PlacedPayload> Placed,
                                        const InstrumenterOptions &Options) {
  const KernelInfo &Kernel = *LR.impl().Kernel;
  const CodeObject &Object = *LR.impl().Object;
  InstrumentedKernel Result;
  Result.IsOriginal =
      Options.OriginalWillDo && Code.Written.Inserted.empty() && !isEdited(LR);
  if (Result.IsOriginal) {
    Result.Report = makeReport(LR, Hooks, Code, Kernel.Descriptor);
    Result.Report.leaveAsBefore();
    return Result;
  }
  KernelDescriptor Descriptor = Code.Descriptor;
  KernelMetadata Metadata = Kernel.Metadata;
  RegisterUse Registers = Code.Registers;
  if (Error E =
          keepSpecialScalarsApart(LR, Hooks, Options.Policy, Registers.SGPRs))
    return std::move(E);
  growRegisters(registerAllocation(LR), Registers,
                *registerFileTraits(Object.target().Processor), Descriptor,
                Metadata);
  Result.PrivateSegmentSize = Hooks.Registers.Stack.total();
  Result.ExtraGroupSegment =
      extraGroupSegment(Hooks.Needs.LdsBytes, Hooks.Needs.LdsAlign,
                        /*IsRounded=*/!Options.Offline);
  growMemory(Result.PrivateSegmentSize, Result.ExtraGroupSegment, Descriptor,
             Metadata);
  Result.Kernarg = Hooks.Registers.Kernarg;
  growArguments(Result.Kernarg, Descriptor, Metadata);
  const LineTable Lines = linesOf(LR, Code.Written, Placed);
  Result.Report = makeReport(LR, Hooks, Code, Descriptor);
  if (Options.Offline) {
    Result.Image.emplace(OfflineImage{
        std::move(Code.Written.Code), Descriptor, Metadata,
        placeFixups(Placed, Hooks.Payloads, Hooks.Variants.Variants), Lines,
        Code.Written.Addresses});
  } else {
    KernelImage Image{Kernel.Name, Code.Written.Code, 0, Descriptor};
    Image.Lines = &Lines;
    Expected<std::vector<uint8_t>> Linked =
        writeCodeObject(Object, Image, Metadata);
    if (!Linked)
      return refuse(RefusalReason::LinkFailed, detailOf(Linked.takeError()));
    Result.CodeObject = std::move(*Linked);
  }
  for (const KeptInstruction &Kept : Code.Written.Map)
    Result.Map.push_back({Kept.Offset, Kept.Original});
  Result.Hooks = placedHooks(LR, Hooks.Variants);
  Result.EntersOriginal = !Options.Workgroups.isAll();
  Result.Report.GroupSegmentBytes = Result.ExtraGroupSegment;
  return Result;
}

} // namespace luthier
