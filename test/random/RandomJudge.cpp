// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomJudge.h"
#include "RandomHooks.h"
#include "RandomKernel.h"
#include "RandomScalars.h"
#include "lift/Lifter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace luthier::test {

/// After so many instructions a kernel is too long to be judged often.
constexpr uint64_t MostInstructions = 300000;

static Expected<RandomKernel> kernelOf(const RandomCase &Case) {
  return Case.From == Language::IR
             ? randomIRKernel(Case.Target, Case.Seed)
             : randomAssemblyKernel(Case.Target, Case.Seed);
}

std::string sourceOf(const RandomCase &Case) {
  Expected<RandomKernel> Kernel = kernelOf(Case);
  return Kernel ? Kernel->Source : toString(Kernel.takeError());
}

static JudgeOptions optionsFor(const RandomCase &Case) {
  JudgeOptions Options;
  Options.Seeds = {Case.Seed};
  Options.DeviceSeed = Case.Seed;
  // What counts is the state; that both write it to memory is seen sometimes.
  Options.RunAlone = Case.How != Way::Scramble || Case.Seed % 4 == 0;
  Options.MostInstructions = MostInstructions;
  Options.Engine.Storage = Case.Storage;
  Options.Engine.Policy = Case.Policy;
  if (Case.How == Way::Scramble)
    Options.SelfTest.ScrambleSeed = Case.Seed;
  Options.SelfTest.MaxScrambled = Case.Seed % 3 ? 8 : 64;
  // The dice know nothing of wait states.
  if (Case.From == Language::Assembly)
    Options.Strict = "undefined,loads=latest";
  return Options;
}

static std::string problemOfScalars(ArrayRef<uint64_t> Counters,
                                    uint64_t Seed) {
  const ScalarComputation Computation(Seed);
  uint64_t Expected = 0;
  for (unsigned N = 0; N != NumScalarSites; ++N)
    Expected += Counters[FirstSiteSlot + N] *
                Computation.evaluate(scalarArguments(Seed, N));
  if (Counters[0] == Expected)
    return "";
  return "scalars give 0x" + utohexstr(Counters[0]) + ", not 0x" +
         utohexstr(Expected) + ":\n" + Computation.hook();
}

/// What hooks have found out, if it is wrong.
static std::string problemOf(const Judgement &J, const RandomCase &Case,
                             bool CountsAll) {
  const Way How = Case.How;
  if (How == Way::Scramble)
    return "";
  const std::vector<uint64_t> Counters = J.counters();
  if (Counters[WrongSlot])
    return "hooks saw " + std::to_string(Counters[WrongSlot]) + " wrong values";
  if (countsInstructions(How) && (CountsAll ? Counters[0] != J.WaveInstructions
                                            : Counters[0] > J.WaveInstructions))
    return "counted " + std::to_string(Counters[0]) + " of " +
           std::to_string(J.WaveInstructions) + " instructions";
  // Waves that end in code without hooks keep what they have.
  if (How == Way::Scalars && CountsAll)
    return problemOfScalars(Counters, Case.Seed);
  return "";
}

/// Where a payload has no register to put SCC in, it branches on it. Whether
/// the original has ever set it, lockstep knows, but not strict mode of a
/// kernel alone, which is then not asked about undefined values.
static bool isSccPutAside(StringRef Problem) {
  return Problem.contains("the instrumented kernel, alone, in a payload") &&
         Problem.contains("s_cbranch_scc") &&
         Problem.contains("uninitialised-branch");
}

/// Hooks are given what registers hold, and store it. Where that was read from
/// a lane that never got a value, the original discards it, as compilers have
/// masks of loops do before their first round.
static bool isGivenUndefined(StringRef Problem) {
  return Problem.contains(": in a payload: ") &&
         Problem.contains("uninitialised-store");
}

static RandomVerdict judgeKernel(const RandomCase &Case,
                                 const RandomKernel &Kernel) {
  RandomVerdict Verdict;
  const TestHooks Hooks = hooksFor(Case);
  // Judging ends before this is used again.
  auto mutate = [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
    Verdict.Has.merge(featuresOf(LR));
    insertHooks(LR, Task, Case);
  };
  auto judgeWith = [&](const JudgeOptions &Options) {
    return judge(Case.Target, Kernel.Object, Kernel.Launch, Hooks, mutate,
                 Options);
  };
  JudgeOptions Options = optionsFor(Case);
  Judgement J = judgeWith(Options);
  const bool IsGiven = isGivenUndefined(J.Problem);
  if (IsGiven || isSccPutAside(J.Problem)) {
    Options.Strict = Case.From == Language::Assembly ? "loads=latest"
                                                     : "loads=latest,hazards";
    J = judgeWith(Options);
    Verdict.Has.insert(
        IsGiven ? "hooks store undefined values, which are not judged"
                : "SCC put aside, not judged alone for undefined values");
  }
  Verdict.Original = Kernel.Object->bytes();
  Verdict.Instrumented = J.Instrumented.CodeObject;
  Verdict.Problem = J.Problem;
  Verdict.Refused = J.Refused;
  Verdict.IsUnfit = J.IsUnfit;
  Verdict.Has.merge(featuresOf(Kernel.Launch));
  Verdict.Has.merge(featuresOf(J.Instrumented.Report));
  if (Case.How == Way::Scalars && J.Problem.empty() && J.counters()[0])
    Verdict.Has.insert("scalars computed");
  if (J.Problem.empty())
    // What the kernel is said to reach in places that nobody finds runs where
    // it is, without hooks.
    Verdict.Problem = problemOf(J, Case, !Verdict.Has.contains(UnknownCode));
  return Verdict;
}

RandomVerdict judgeRandom(const RandomCase &Case) {
  std::optional<Expected<RandomKernel>> Built;
  // LLVM's code generator is not what is judged.
  CrashRecoveryContext Guard;
  if (!Guard.RunSafely([&] { Built.emplace(kernelOf(Case)); })) {
    RandomVerdict Verdict;
    Verdict.IsUnfit = true;
    Verdict.Problem = "LLVM crashed on it";
    return Verdict;
  }
  Expected<RandomKernel> &Kernel = *Built;
  if (!Kernel) {
    RandomVerdict Verdict;
    handleAllErrors(Kernel.takeError(), [&](const ErrorInfoBase &Info) {
      Verdict.IsUnfit = Info.convertToErrorCode() == std::errc::not_supported;
      Verdict.Problem = "building: " + Info.message();
    });
    return Verdict;
  }
  RandomVerdict Verdict = judgeKernel(Case, *Kernel);
  if (Verdict.Refused != RefusalReason::RegisterBudget || !Case.Storage)
    return Verdict;
  // There was no room for that form; the engine may find another.
  RandomCase Free = Case;
  Free.Storage.reset();
  return judgeKernel(Free, *Kernel);
}

static Expected<InstrumentedKernel>
instrumentAtFixedAddresses(const RandomCase &Case, const RandomKernel &Kernel) {
  constexpr uint64_t LoadBias = 0x7000'0000'0000, Counters = 0x7100'0000'0000;
  const KernelInfo *Info =
      Kernel.Launch.Kernel.empty()
          ? &Kernel.Object->kernels().front()
          : Kernel.Object->findKernel(Kernel.Launch.Kernel);
  auto LR = liftKernel(Kernel.Object, *Info);
  if (!LR)
    return LR.takeError();
  InstrumentationTask Task;
  insertHooks(**LR, Task, Case);
  HookModule Module;
  Module.ToolName = "test";
  Module.Bitcode = hooksFor(Case).Bitcode;
  Module.Variables["Counters"] = Counters;
  InstrumenterOptions How = optionsFor(Case).Engine;
  How.LoadBias = LoadBias;
  How.ApplicationStack = Kernel.Launch.Scratch;
  return instrumentKernel(
      **LR, Task,
      [&](const void *Handle) -> Expected<HookReference> {
        return HookReference{&Module, static_cast<const char *>(Handle)};
      },
      How, optionsFor(Case).SelfTest);
}

std::string digestOf(const RandomCase &Case) {
  std::string Line = Case.name() + " ";
  CrashRecoveryContext Guard;
  const bool Ended = Guard.RunSafely([&] {
    Expected<RandomKernel> Kernel = kernelOf(Case);
    if (!Kernel) {
      Line += "not built: " + toString(Kernel.takeError());
      return;
    }
    Line += utohexstr(xxh3_64bits(Kernel->Object->bytes())) + " ";
    Expected<InstrumentedKernel> New =
        instrumentAtFixedAddresses(Case, *Kernel);
    if (!New) {
      handleAllErrors(
          New.takeError(),
          [&](const Refusal &R) {
            Line += "refused: " + toString(R.reason()).str();
          },
          [&](const ErrorInfoBase &E) { Line += "failed: " + E.message(); });
      return;
    }
    std::string Rest = std::to_string(New->PrivateSegmentSize) + " " +
                       std::to_string(New->ExtraGroupSegment);
    for (const PCPair &P : New->Map)
      Rest += " " + utohexstr(P.Offset) + ":" + utohexstr(P.Original);
    for (const PlacedHook &H : New->Hooks)
      Rest += " " + utohexstr(H.Original) + ":" + H.Name;
    Line += utohexstr(xxh3_64bits(New->CodeObject)) + " " +
            utohexstr(xxh3_64bits(Rest));
  });
  return Ended ? Line : Case.name() + " LLVM crashed on it";
}

} // namespace luthier::test
