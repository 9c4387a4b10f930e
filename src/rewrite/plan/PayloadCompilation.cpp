// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/plan/PayloadCompilation.h"
#include "codeobject/HiddenArguments.h"
#include "codeobject/ResourceGrowth.h"
#include "lift/LiftedImpl.h"
#include "luthier/Refusal.h"
#include "rewrite/Stopwatch.h"
#include "rewrite/plan/CallSitePlanner.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {
namespace {

/// The variants of one module that one tool asks for: each tool has wave
/// counters and shared memory of its own.
struct ModuleShare {
  const HookModule *Module;
  PayloadCompiler *Compiler;
  unsigned Tool;                          ///< As HookReference has it.
  SmallVector<unsigned, 8> Variants = {}; ///< Places in VariantPlan::Variants.
  ModuleLayout Layout = {};
};

std::vector<PayloadVariant> variantsOf(const VariantPlan &Plan,
                                       const ModuleShare &Share) {
  std::vector<PayloadVariant> Result;
  for (unsigned Index : Share.Variants)
    Result.push_back(Plan.Variants[Index]);
  return Result;
}

/// In the order in which the modules come up first.
std::vector<ModuleShare> divide(const VariantPlan &Plan,
                                const ResolvedTask &Task) {
  std::vector<ModuleShare> Result;
  for (auto [Index, Variant] : enumerate(Plan.Variants)) {
    PayloadCompiler *Compiler =
        Task.Compilers.find(Variant.Hook.Module)->second.get();
    auto It = find_if(Result, [&](const ModuleShare &Share) {
      return Share.Compiler == Compiler && Share.Tool == Variant.Hook.Tool;
    });
    if (It == Result.end())
      It =
          Result.insert(It, {Variant.Hook.Module, Compiler, Variant.Hook.Tool});
    It->Variants.push_back(Index);
  }
  return Result;
}

/// Waves of one workgroup may be on several compute units then.
bool isSplit(const KernelDescriptor &D, const RegisterFileTraits &Traits) {
  return Traits.UnifiedAGPRs &&
         AMDHSA_BITS_GET(D.raw().compute_pgm_rsrc3,
                         amdhsa::COMPUTE_PGM_RSRC3_GFX90A_TG_SPLIT);
}

Error checkSharedMemory(const LiftedRepresentation &LR,
                        const KernelNeeds &Needs,
                        const InstrumenterOptions &Options) {
  const KernelDescriptor &Descriptor = LR.impl().Kernel->Descriptor;
  const RegisterFileTraits &Traits =
      *registerFileTraits(LR.impl().Object->target().Processor);
  const bool UsesMemory =
      Needs.LdsBytes || any_of(Needs.LaunchShares, [](const LaunchShare &S) {
        return S.Arguments & hiddenBit(HiddenArgument::GroupMemory);
      });
  if (UsesMemory && isSplit(Descriptor, Traits))
    return refuse(RefusalReason::SharedMemory,
                  "workgroups are split over compute units, and have none");
  const unsigned Own = std::max<unsigned>(
      Descriptor.raw().group_segment_fixed_size, Options.GroupSegment);
  const unsigned All = alignTo(Own, GroupSegmentAlignment) +
                       extraGroupSegment(Needs.LdsBytes, Needs.LdsAlign,
                                         /*IsRounded=*/!Options.Offline);
  if (Needs.LdsBytes && All > Traits.LDSBytes)
    return refuse(RefusalReason::SharedMemory,
                  "the kernel uses " + Twine(Own) + " of " +
                      Twine(Traits.LDSBytes) + " bytes, its hooks " +
                      Twine(All - Own));
  return Error::success();
}

/// A launch has a value and a piece of LDS for the hooks of each tool that asks
/// for them. Takes what those of \p Module read out of what all have in common,
/// and of what waves keep, but for the first tool; returns where it lies.
unsigned placeLaunchShare(const ModuleShare &Module, HookNeeds &Wanted,
                          KernelNeeds &Needs) {
  if (!(Wanted.HiddenArguments & (hiddenBit(HiddenArgument::LaunchValue) |
                                  hiddenBit(HiddenArgument::GroupMemory))))
    return 0;
  auto It = find_if(Needs.LaunchShares, [&](const LaunchShare &Share) {
    return Share.Tool == Module.Tool;
  });
  if (It == Needs.LaunchShares.end())
    It = Needs.LaunchShares.insert(It, {Module.Tool, 0});
  It->Arguments |= Wanted.HiddenArguments & launchArguments();
  const unsigned Number = It - Needs.LaunchShares.begin();
  if (Number) {
    Wanted.HiddenArguments &= ~launchArguments();
    Wanted.Numbers.remove(KeptNumber::GroupMemory);
  }
  return Number * LaunchArgumentsBytes;
}

/// What all hooks together need, known before there are registers for them;
/// places each module's share of memory and counters. \p KeepsNumbers says
/// whether waves keep the numbers that hooks ask for.
Expected<KernelNeeds> collectNeeds(const LiftedRepresentation &LR,
                                   const VariantPlan &Variants,
                                   std::vector<ModuleShare> &Modules,
                                   const InstrumenterOptions &Options,
                                   bool KeepsNumbers) {
  KernelNeeds Needs;
  SmallVector<HookNeeds, 1> OfModules;
  SmallVector<unsigned, 1> LaunchArguments;
  for (const ModuleShare &Share : Modules) {
    Expected<HookNeeds> Wanted =
        Share.Compiler->needs(variantsOf(Variants, Share));
    if (!Wanted)
      return Wanted.takeError();
    if (!KeepsNumbers) {
      Wanted->Numbers = {};
      Wanted->WorkItemIds |= Wanted->FirstWorkItem;
    }
    LaunchArguments.push_back(placeLaunchShare(Share, *Wanted, Needs));
    Needs.Numbers |= Wanted->Numbers;
    OfModules.push_back(std::move(*Wanted));
  }
  Needs.Accumulators = Needs.Numbers.size();
  for (auto [Share, Wanted, Arguments] :
       zip(Modules, OfModules, LaunchArguments)) {
    Share.Layout = Needs.add(Wanted);
    Share.Layout.LaunchArguments = Arguments;
  }
  Needs.HiddenArguments |= Needs.Numbers.arguments();
  if (!Options.Workgroups.isAll() && Options.Offline)
    return refuse(RefusalReason::UnsupportedHook,
                  "hooks in some workgroups only need what a launch tells: use "
                  "luthier run, or a hook that itself looks at blockIdx");
  if (!Options.Workgroups.isAll())
    Needs.HiddenArguments |=
        hiddenBit(HiddenArgument::BlocksX) | hiddenBit(HiddenArgument::BlocksY);
  if (Error E = checkSharedMemory(LR, Needs, Options))
    return std::move(E);
  return Needs;
}

Expected<std::vector<Payload>> compilePayloads(const VariantPlan &Variants,
                                               ArrayRef<ModuleShare> Modules,
                                               const RegisterPlan &Registers) {
  std::vector<Payload> Result(Variants.Variants.size());
  for (const ModuleShare &Share : Modules) {
    PayloadABI ABI = Registers.ABI;
    ABI.Module = Share.Layout;
    Expected<std::vector<Payload>> Compiled =
        Share.Compiler->compile(variantsOf(Variants, Share), ABI);
    if (!Compiled)
      return Compiled.takeError();
    for (auto [Index, Payload] : zip(Share.Variants, *Compiled))
      Result[Index] = std::move(Payload);
  }
  return Result;
}

PayloadCounts countsOf(ArrayRef<ModuleShare> Modules) {
  SmallPtrSet<PayloadCompiler *, 4> Compilers;
  for (const ModuleShare &Share : Modules)
    Compilers.insert(Share.Compiler);
  PayloadCounts Sum;
  for (PayloadCompiler *Compiler : Compilers)
    Sum += Compiler->counts();
  return Sum;
}

/// Calls \p Attempt with one fallback after the other until it succeeds, or
/// refuses for a reason that more registers and stack do not remove.
Error tryFallbacks(const InstrumenterOptions &Options,
                   function_ref<Error(RegisterFallback)> Attempt) {
  Error Last = Error::success();
  for (const RegisterFallback &Fallback :
       registerFallbacks(Options.Policy, Options.SavesAll)) {
    consumeError(std::move(Last));
    Last = Attempt(Fallback);
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

} // namespace

Expected<HookPlan>
compileWithFallbacks(const LiftedRepresentation &LR, const RegisterUse &Use,
                     ResolvedTask &Task, VariantPlan Variants,
                     const InstrumenterOptions &Options,
                     amdgpu::MachineEncoder &Encoder, SharedFacts &Facts) {
  HookPlan Plan;
  Plan.Variants = std::move(Variants);
  Plan.Facts = kernelFacts(LR);
  Plan.Registers = registersWithoutHooks(LR, Use);
  if (Plan.Variants.CallSites.empty() && Options.Workgroups.isAll())
    return Plan;
  std::vector<ModuleShare> Modules = divide(Plan.Variants, Task);
  CallSitePlanner CallSites(LR, Options, Encoder, Facts);
  const PayloadCounts Before = countsOf(Modules);
  auto attempt = [&](RegisterFallback Fallback) -> Error {
    Expected<RegisterPlan> Registers =
        planRegisters(LR, Use, Plan.Variants, Plan.Needs, Options, Fallback);
    if (!Registers)
      return Registers.takeError();
    Plan.Registers = std::move(*Registers);
    Stopwatch Watch;
    Expected<std::vector<Payload>> Payloads =
        compilePayloads(Plan.Variants, Modules, Plan.Registers);
    Plan.CompileTime += Watch.lap();
    if (!Payloads)
      return Payloads.takeError();
    Plan.Payloads = std::move(*Payloads);
    return CallSites.plan(Plan);
  };
  auto attemptKeeping = [&](bool KeepsNumbers) -> Error {
    Stopwatch Watch;
    Expected<KernelNeeds> Needs =
        collectNeeds(LR, Plan.Variants, Modules, Options, KeepsNumbers);
    Plan.CompileTime += Watch.lap();
    if (!Needs)
      return Needs.takeError();
    Plan.Needs = std::move(*Needs);
    return tryFallbacks(Options, attempt);
  };
  // Code that is not lifted keeps nothing of ours.
  Error Failed = attemptKeeping(!LR.hasUnresolvedTransfers());
  // There may be no registers to keep numbers in.
  if (Failed && !Plan.Needs.Numbers.empty()) {
    consumeError(std::move(Failed));
    Failed = attemptKeeping(false);
  }
  if (Failed)
    return std::move(Failed);
  const PayloadCounts After = countsOf(Modules);
  Plan.Counts = {After.Compiled - Before.Compiled, After.Found - Before.Found};
  return Plan;
}

} // namespace luthier
