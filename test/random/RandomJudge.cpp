// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomJudge.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {

std::string RandomCase::name() const {
  constexpr const char *Ways[] = {"poison", "count", "stack"};
  return "--target " + Target.name() + " --from " +
         (From == Language::IR ? "ir" : "assembly") + " --way " +
         Ways[unsigned(How)] + " --seed " + std::to_string(Seed);
}

/// "count" adds up executions; "stack" does the same by way of an array that
/// stays in memory.
static const TestHooks &hooks() {
  static const TestHooks All = cantFail(hooksFromIR(R"(
define void @count() #0 {
  %mask = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 1) #1 to label %one []
one:
  %a = atomicrmw add ptr addrspace(1) @Counters, i64 1 syncscope("agent") monotonic
  callbr void asm sideeffect "luthier::writeExec", "s,~{memory}"(i64 %mask) #1 to label %back []
back:
  ret void
}
define void @stack(i32 %n) #0 {
  %array = alloca [8 x i32], addrspace(5)
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)
  %i = and i32 %lane, 7
  %at = getelementptr [8 x i32], ptr addrspace(5) %array, i32 0, i32 %i
  store volatile i32 %n, ptr addrspace(5) %at
  %v = load volatile i32, ptr addrspace(5) %at
  %w = zext i32 %v to i64
  %slot = add i32 %lane, 1
  %p = getelementptr i64, ptr addrspace(1) @Counters, i32 %slot
  %b = atomicrmw add ptr addrspace(1) %p, i64 %w syncscope("agent") monotonic
  ret void
})"));
  return All;
}

static Mutator mutatorFor(Way How) {
  return [How](LiftedRepresentation &LR, InstrumentationTask &Task) {
    if (How == Way::Poison)
      return;
    unsigned N = 0;
    for (auto &[Symbol, MF] : LR.functions())
      for (MachineBasicBlock &MBB : *MF)
        for (MachineInstr &MI : MBB) {
          if (How == Way::Count)
            cantFail(Task.insertHookBefore(MI, hook("count")));
          else if (N++ % 5 == 0)
            cantFail(Task.insertHookBefore(MI, hook("stack"), {1u}));
        }
  };
}

static Expected<RandomKernel> kernelOf(const RandomCase &Case) {
  return Case.From == Language::IR
             ? randomIRKernel(Case.Target, Case.Seed)
             : randomAssemblyKernel(Case.Target, Case.Seed);
}

std::string sourceOf(const RandomCase &Case) {
  Expected<RandomKernel> Kernel = kernelOf(Case);
  return Kernel ? Kernel->Source : toString(Kernel.takeError());
}

RandomVerdict judgeRandom(const RandomCase &Case) {
  RandomVerdict Verdict;
  Expected<RandomKernel> Kernel = kernelOf(Case);
  if (!Kernel) {
    Verdict.Problem = "building: " + toString(Kernel.takeError());
    return Verdict;
  }
  JudgeOptions Options;
  Options.Seeds = {Case.Seed};
  Options.DeviceSeed = Case.Seed;
  // What counts is the state; that both write it to memory is seen sometimes.
  Options.RunAlone = Case.How == Way::Count || Case.Seed % 4 == 0;
  Options.MostInstructions = 1000000;
  Options.Engine.Poison = Case.How == Way::Poison;
  Options.Engine.PoisonSeed = Case.Seed;
  Options.Engine.PoisonMost = Case.Seed % 3 ? 8 : 64;
  // The dice know nothing of wait states.
  if (Case.From == Language::Assembly)
    Options.Strict = "poison,loads=latest";
  Judgement J = judge(Case.Target, Kernel->Object, Kernel->Launch, hooks(),
                      mutatorFor(Case.How), Options);
  Verdict.Problem = J.Problem;
  Verdict.Refused = J.Refused;
  Verdict.IsUnfit = J.IsUnfit;
  if (J.Problem.empty() && Case.How == Way::Count &&
      !Kernel->CallsThroughPointers && J.counters()[0] != J.WaveInstructions)
    Verdict.Problem = "counted " + std::to_string(J.counters()[0]) + " of " +
                      std::to_string(J.WaveInstructions) + " instructions";
  return Verdict;
}

} // namespace luthier::test
