// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine's stages on the largest kernel of rocRAND, every instruction
// instrumented with the two hooks of the published per-instruction atomic.
// "items_per_second" is application instructions per second, but for payload
// variants.
#include "codeobject/CodeObjectWriter.h"
#include "codeobject/DeviceVariables.h"
#include "codeobject/FatBinary.h"
#include "lift/Lifter.h"
#include "luthier/InstructionRuns.h"
#include "rewrite/Instrumenter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/MemoryBuffer.h"
#include <benchmark/benchmark.h>

using namespace llvm;
using namespace luthier;

namespace {

std::shared_ptr<const CodeObject> firstFor(StringRef Path,
                                           StringRef Processor) {
  auto File = MemoryBuffer::getFile(Path);
  if (!File)
    report_fatal_error(Twine("cannot read ") + Path);
  auto Bundled =
      cantFail(findCodeObjects(arrayRefFromStringRef((*File)->getBuffer())));
  for (const BundledCodeObject &Entry : Bundled)
    if (Entry.Target.Processor == Processor)
      return cantFail(CodeObject::create(Entry.Bytes));
  report_fatal_error(Twine("nothing for ") + Processor + " in " + Path);
}

struct Subject {
  std::shared_ptr<const CodeObject> Object;
  const KernelInfo *Kernel;
  HookModule Hooks;
  unsigned Instructions;
};

Subject &subject() {
  static Subject S = [] {
    Subject S;
    S.Object = firstFor(LUTHIER_BENCH_ROCRAND, "gfx90a");
    S.Kernel = &*llvm::max_element(
        S.Object->kernels(), [](const KernelInfo &A, const KernelInfo &B) {
          return A.CodeSize < B.CodeSize;
        });
    auto Tool = firstFor(LUTHIER_BENCH_TOOL, "gfx90a");
    auto Bitcode = Tool->section(".llvmbc");
    S.Hooks.ToolName = "cost-hooks";
    S.Hooks.Bitcode.assign(Bitcode->begin(), Bitcode->end());
    // Any addresses will do: nothing is executed here.
    for (const DeviceVariable &V : cantFail(variablesOf(*Tool)))
      S.Hooks.Variables[V.Name] = 0x7f0000000000 + V.Address;
    S.Hooks.ManagedStorage["Published"] = 0x7f1000000000;
    auto LR = cantFail(liftKernel(S.Object, *S.Kernel));
    S.Instructions = 0;
    for (const MachineBasicBlock &MBB : LR->kernel())
      S.Instructions += MBB.size();
    return S;
  }();
  return S;
}

void lift(benchmark::State &State) {
  Subject &S = subject();
  for (auto _ : State)
    benchmark::DoNotOptimize(cantFail(liftKernel(S.Object, *S.Kernel)));
  State.SetItemsProcessed(State.iterations() * S.Instructions);
}
BENCHMARK(lift)->Unit(benchmark::kMillisecond);

/// Handles of hooks, which are their names.
constexpr StringLiteral OfVector = "publishedVector",
                        OfScalar = "publishedScalar";

InstrumentationReport instrumentAll() {
  Subject &S = subject();
  auto LR = cantFail(liftKernel(S.Object, *S.Kernel));
  InstrumentationTask Task;
  for (MachineBasicBlock &MBB : LR->kernel())
    for (MachineInstr &MI : MBB)
      Task.insertHookBefore(MI,
                            isVectorInstruction(MI) ? &OfVector : &OfScalar);
  InstrumenterOptions Options;
  Options.LoadBias = 0x7f1000000000;
  return cantFail(instrumentKernel(
                      *LR, Task,
                      [&](const void *Handle) -> Expected<HookReference> {
                        auto &Name =
                            *static_cast<const StringLiteral *>(Handle);
                        return HookReference{&S.Hooks, Name.str()};
                      },
                      Options))
      .Report;
}

/// One stage of instrumentKernel, by its own clock.
void stage(benchmark::State &State, double InstrumentationReport::*Time,
           bool PerVariant) {
  int64_t Items = 0;
  for (auto _ : State) {
    InstrumentationReport Report = instrumentAll();
    if (!(Report.*Time > 0))
      report_fatal_error("the time of a stage was not measured");
    State.SetIterationTime(Report.*Time);
    Items += PerVariant ? Report.Payloads : Report.Points;
  }
  State.SetItemsProcessed(Items);
}
BENCHMARK_CAPTURE(stage, payload_variants, &InstrumentationReport::CompileTime,
                  true)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stage, rewrite, &InstrumentationReport::RewriteTime, false)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stage, emit, &InstrumentationReport::EmitTime, false)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
