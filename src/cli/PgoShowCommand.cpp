// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo show`: what of a program's kernels was executed, beside its
// source.
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "cli/KernelListing.h"
#include "cli/PgoCommands.h"
#include "luthier/Refusal.h"
#include "pgo/KernelBlocks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo show [options] -- PROGRAM [ARGUMENTS...]

Runs a program on the emulated GPU, as often as it takes to find out everything,
and shows for each kernel that it launches:
  blocks     how often waves executed each, with how many active lanes; those
             that were never executed, and their share of the kernel's code
  branches   always uniform (by a scalar), uniform so far (lanes could disagree,
             but never did), divergent (and how often), or not executed
  loads      the same of their addresses: always uniform (scalar, or made of
             scalars), uniform so far, divergent
  calls      through pointers: which functions, how often
  source     each line with the executions of its busiest block, if the code has
             line tables

options:
  --kernel REGEX     only kernels whose name matches
  --code FILE        where else code of the kernels is: libraries, or a program
                     that PROGRAM starts; may be given several times
  --device NAMES     the emulated GPUs (gfx90a)
  --no-branches      spares the run with hooks at branches
  --no-loads         spares the run with hooks at loads
  --no-source        no lines of source
  --help             this text

The exit code is the program's own if that is not 0.

example:
  luthier pgo show --kernel reduce -- ./app
)";

class Show {
public:
  explicit Show(const Arguments &Args) : Args(Args) {}
  Expected<int> run();

private:
  Error runFor(std::vector<std::string> Options, StringRef Report,
               function_ref<Error(StringRef)> Use);
  Error showObject(const std::shared_ptr<const CodeObject> &Object);
  Error showKernel(const std::shared_ptr<const CodeObject> &Object,
                   const KernelInfo &Kernel, const pgo::CodeCounts &Counts);
  Error showLoads(const std::shared_ptr<const CodeObject> &Object,
                  const KernelInfo &Kernel, const pgo::CodeCounts &Counts);
  Error showCalls(const CodeObject &Object);
  void showBranches(const CodeObject &Object, const KernelInfo &Kernel);
  Error addBranches(StringRef Report);

  const Arguments &Args;
  std::optional<Regex> Wanted;
  std::vector<InspectedFile> Files;
  pgo::ExecutedCode Executed;
  pgo::ExecutedBranches Branches;
  /// Kernels that ran without hooks.
  pgo::UncountedKernels WithoutBranches;
  pgo::ExecutedLoads Loads;
  std::optional<pgo::ExecutedCalls> Calls;
  size_t Shown = 0;
  int Ended = Success; ///< The program, if one of its runs failed.
};

Error Show::runFor(std::vector<std::string> Options, StringRef Report,
                   function_ref<Error(StringRef)> Use) {
  EmulatedRun Run;
  Run.Device = "emulated:" + emulatedDevices(Args.value("--device"));
  Run.Options = Options;
  Run.Command = Args.positional();
  Run.Input = "/dev/null";
  Run.IsQuiet = true;
  std::string Printed;
  Expected<int> Code = runForReports(std::move(Run), &Printed, Report, Use);
  if (!Code)
    return Code.takeError();
  if (*Code == Interrupted)
    return failedBy(*Code, "the program was interrupted");
  // What it executed until then is there, unless it crashed.
  if (*Code) {
    Ended = *Code;
    errs() << "luthier pgo: the program ended with " << *Code
           << " under luthier run " << join(Options, " ") << '\n';
  }
  return Error::success();
}

Error Show::showCalls(const CodeObject &Object) {
  if (!Calls) {
    Calls.emplace();
    if (Error E = runFor({"--tool", "block-count:only-calls", "--output", "%s"},
                         "block-count", [&](StringRef Text) {
                           return pgo::addCalls(Text, *Calls);
                         }))
      return E;
  }
  printCalls(Object, (*Calls)[pgo::digestOf(Object)]);
  return Error::success();
}

Error Show::showLoads(const std::shared_ptr<const CodeObject> &Object,
                      const KernelInfo &Kernel, const pgo::CodeCounts &Counts) {
  Expected<std::vector<pgo::CountedLoad>> Of = pgo::loadsOf(
      Object, Kernel, Counts, Loads[pgo::digestOf(*Object)][Kernel.Name]);
  if (!Of)
    return Of.takeError();
  printLoads(*Of);
  return Error::success();
}

Error Show::addBranches(StringRef Report) {
  if (Error E = pgo::addBranches(Report, Branches))
    return E;
  return pgo::addUncounted(Report, WithoutBranches);
}

void Show::showBranches(const CodeObject &Object, const KernelInfo &Kernel) {
  const std::string Digest = pgo::digestOf(Object);
  if (const auto Why = WithoutBranches.find({Digest, Kernel.Name});
      Why != WithoutBranches.end())
    outs() << "  branches are not counted: " << Why->second << '\n';
  printBranches(Branches[Digest][Kernel.Name]);
}

Error Show::showKernel(const std::shared_ptr<const CodeObject> &Object,
                       const KernelInfo &Kernel,
                       const pgo::CodeCounts &Counts) {
  outs() << (Shown++ ? "\n" : "") << readableName(Kernel.Name) << ", "
         << Object->target().str() << '\n';
  Expected<pgo::KernelBlocks> Blocks = pgo::blocksOf(Object, Kernel, Counts);
  if (!Blocks) {
    outs() << "  cannot be read: " << detailOf(Blocks.takeError()) << '\n';
    return Error::success();
  }
  printBlocks(*Blocks);
  if (Error E = printMarks(*Object, *Blocks))
    return E;
  showBranches(*Object, Kernel);
  if (!Args.has("--no-loads"))
    if (Error E = showLoads(Object, Kernel, Counts))
      return E;
  if (Blocks->CallsThroughPointers)
    if (Error E = showCalls(*Object))
      return E;
  if (!Args.has("--no-source"))
    printSource(*Blocks);
  return Error::success();
}

Error Show::showObject(const std::shared_ptr<const CodeObject> &Object) {
  const auto Found = Executed.find(pgo::digestOf(*Object));
  if (Found == Executed.end())
    return Error::success();
  for (const KernelInfo &Kernel : Object->kernels()) {
    const auto Counts = Found->second.find(Kernel.Name);
    if (Counts == Found->second.end() ||
        (Wanted && !Wanted->match(Kernel.Name) &&
         !Wanted->match(readableName(Kernel.Name))))
      continue;
    if (Error E = showKernel(Object, Kernel, Counts->second))
      return E;
  }
  return Error::success();
}

Expected<int> Show::run() {
  if (Args.positional().empty())
    return misused("no program given; see luthier pgo show --help");
  if (const std::string *Text = Args.value("--kernel")) {
    Wanted.emplace(*Text);
    std::string Why;
    if (!Wanted->isValid(Why))
      return misused("--kernel " + *Text + ": " + Why);
  }
  auto Opened =
      openProgramCode(Args.positional().front(), Args.values("--code"));
  if (!Opened)
    return Opened.takeError();
  Files = std::move(*Opened);
  if (Error E = runFor(
          {"--counts", "%s/counts-%p.json"}, "counts-",
          [&](StringRef Text) { return pgo::addCounts(Text, Executed); }))
    return std::move(E);
  if (!Args.has("--no-branches"))
    if (Error E = runFor({"--tool", "branch-divergence", "--output", "%s"},
                         "branch-divergence",
                         [&](StringRef Text) { return addBranches(Text); }))
      return std::move(E);
  if (!Args.has("--no-loads"))
    if (Error E = runFor({"--tool", "block-count:only-loads", "--output", "%s"},
                         "block-count", [&](StringRef Text) {
                           return pgo::addLoads(Text, Loads);
                         }))
      return std::move(E);
  if (Error E = forEachCodeObject(
          Files, [&](auto Object) { return showObject(std::move(Object)); }))
    return std::move(E);
  if (!Shown)
    return failed("no such kernel of these files was executed");
  return Ended;
}

} // namespace

int pgoShowCommand(int Argc, char **Argv) {
  return runParsed(Argc, Argv,
                   {Help,
                    {{"--kernel", true},
                     {"--code", true, false, true},
                     {"--device", true},
                     {"--no-branches"},
                     {"--no-loads"},
                     {"--no-source"}}},
                   [](const Arguments &Args) { return Show(Args).run(); });
}

} // namespace luthier::cli
