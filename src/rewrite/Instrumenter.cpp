// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Instrumenter.h"
#include "lift/LiftedImpl.h"
#include "rewrite/Stopwatch.h"
#include "rewrite/emit/HookInserter.h"
#include "rewrite/emit/KernelLinker.h"
#include "rewrite/emit/KernelWriter.h"
#include "rewrite/plan/PayloadCompilation.h"
#include "rewrite/resolve/KernelCheck.h"
#include "rewrite/resolve/ResolvedTask.h"
#include "rewrite/selftest/RegisterScrambler.h"
#include "rewrite/selftest/StackScrambler.h"

using namespace llvm;

namespace luthier {
namespace {

/// The pipeline. Each step takes values and returns one, or refuses:
///  1. resolve: requests become calls of hooks at insertion points;
///  2. choose variants: which arguments are compiled in, so that a few
///     compilations serve all calls;
///  3. choose registers and compile, with fallbacks, and plan call sites: what
///     each has to save shows only once the code of its payload is known;
///  4. write: the application's code with what the inserters put into it, the
///     self-test before the hooks;
///  5. link.
Expected<InstrumentedKernel>
runPipeline(LiftedRepresentation &LR, const InstrumentationTask &Task,
            HookResolver Resolve, const InstrumenterOptions &Options,
            const SelfTestOptions &SelfTest, SharedFacts &Facts) {
  Stopwatch Watch;
  const NamedRegisters Named = registersInCode(LR);
  if (Error E = checkKernel(LR, Named.Edited))
    return std::move(E);
  amdgpu::MachineEncoder Encoder(*LR.impl().Target);
  const RegisterUse Use = registerUse(LR, Named);
  HookCompilers Own;
  Expected<ResolvedTask> Resolved = resolveTask(
      LR, Use, Task, Resolve, Options.LoadBias, Options.Workgroups,
      Options.Compilers ? *Options.Compilers : Own, Options.Payloads);
  if (!Resolved)
    return Resolved.takeError();
  Expected<HookPlan> Hooks = compileWithFallbacks(
      LR, Use, *Resolved, chooseVariants(*Resolved, Encoder.target()), Options,
      Encoder, Facts);
  if (!Hooks)
    return Hooks.takeError();
  const double CompileTime = Hooks->CompileTime;
  const double PlanTime = Watch.lap() - CompileTime;

  HookInserter Calls(*Hooks, Encoder);
  std::optional<RegisterScrambler> Scrambler;
  SmallVector<Inserter *, 2> Inserters;
  if (SelfTest.ScrambleSeed) {
    Facts.liveness().forgetAsked();
    Inserters.push_back(&Scrambler.emplace(LR, *Hooks, Encoder, Options.Policy,
                                           SelfTest, Facts));
  } else {
    Facts.forget();
  }
  Inserters.push_back(&Calls);
  Expected<KernelCode> Code =
      writeKernel(LR, *Hooks, Named.Edited, Inserters, Options, Encoder);
  if (!Code)
    return Code.takeError();
  const size_t ScrambledPoints = Scrambler ? Scrambler->points() : 0;
  // What it plans with is forgotten next.
  Scrambler.reset();
  Facts.forget();
  const double RewriteTime = Watch.lap();

  const std::vector<PlacedPayload> Placed = Calls.placed(Code->Written);
  Expected<InstrumentedKernel> Result =
      linkKernel(LR, *Hooks, std::move(*Code), Placed, Options);
  if (!Result)
    return Result.takeError();
  InstrumentationReport &Report = Result->Report;
  if (SelfTest.ScrambleSeed && Hooks->CallSites.empty())
    Report.Points = ScrambledPoints;
  Report.PlanTime = PlanTime;
  Report.CompileTime = CompileTime;
  Report.RewriteTime = RewriteTime;
  Report.EmitTime = Watch.lap();
  return Result;
}

/// What more registers or stack would have avoided.
bool isForRoom(const Refusal &R) {
  return R.reason() == RefusalReason::RegisterBudget ||
         R.reason() == RefusalReason::InstrumentationStack ||
         R.reason() == RefusalReason::DynamicStack;
}

} // namespace

Expected<InstrumentedKernel> instrumentKernel(LiftedRepresentation &LR,
                                              const InstrumentationTask &Task,
                                              HookResolver Resolve,
                                              const InstrumenterOptions &Given,
                                              SelfTestOptions SelfTest) {
  const detail::TaskContents &Contents = detail::contentsOf(Task);
  InstrumenterOptions Options = Given;
  Options.Workgroups = Given.Workgroups.within(Contents.Workgroups);
  if (Options.Workgroups.isEmpty())
    return refuse(RefusalReason::NoInsertionPoint,
                  "no workgroup is left of those that the tool asks for and "
                  "--workgroups names");
  if (Contents.Test.RegisterSeed)
    SelfTest.ScrambleSeed = Contents.Test.RegisterSeed;
  SharedFacts Facts(LR);
  if (!Contents.Test.StackSeed)
    return runPipeline(LR, Task, Resolve, Options, SelfTest, Facts);
  const StackScrambler Garbage(LR, Task, *Contents.Test.StackSeed);
  auto ResolveAll = [&](const void *Handle) {
    return Garbage.resolve(Handle, Resolve);
  };
  Expected<InstrumentedKernel> Result =
      runPipeline(LR, Garbage.task(), ResolveAll, Options, SelfTest, Facts);
  if (Result || !Contents.isStackOptional())
    return Result;
  Error Other =
      handleErrors(Result.takeError(), [](std::unique_ptr<Refusal> R) -> Error {
        return isForRoom(*R) ? Error::success() : Error(std::move(R));
      });
  if (Other)
    return std::move(Other);
  return runPipeline(LR, Task, Resolve, Options, SelfTest, Facts);
}

} // namespace luthier
