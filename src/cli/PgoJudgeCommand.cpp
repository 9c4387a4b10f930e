// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo judge`: whether another build of a program computes the same,
// and which of its kernels cost more or less.
#include "cli/ComparedRun.h"
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "cli/PgoCommands.h"
#include "luthier/Refusal.h"
#include "pgo/DropFunctions.h"
#include "pgo/Judgement.h"
#include "pgo/RunOutput.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo judge --before PROGRAM --after PROGRAM [options] [-- ARGUMENTS...]

Runs two builds of a program with the same arguments on the emulated GPU. Says
whether they print the same, and what each kernel costs now: instructions of
waves and of lanes, cycles of the emulator's model, registers, those that were
spilled, scratch, and how many waves a SIMD can hold.

options:
  --before PROGRAM   the build to compare with
  --after PROGRAM    the build to judge
  --code FILE        where else code of the kernels is: a library that both
                     builds use; may be given several times
  --device NAMES     the emulated GPUs (gfx90a)
  --input FILE       what both read on stdin (default: nothing)
  --compare FILE     a file that the program writes, to be compared as well;
                     may be given several times; fails if neither build writes
                     it
  --ignore REGEX     lines of the output that are not compared, such as times;
                     may be given several times
  --by MEASURE       cycles (default) or instructions: what better and worse go
                     by
  --tolerance P      per cent by which costs may differ in a kernel that is
                     called the same (1)
  --drop-worse FILE  takes the kernels that became worse out of this profile:
                     the next compilation treats them as without one
  --fail-if-worse    exit with 1 if a kernel became worse
  --json FILE        writes the verdict for scripts; - for stdout
  --help             this text

A program whose output differs is run once more as it was before: if it differs
from itself, nothing can be said. The exit code is 0 if the output is the same,
1 if it is not, or no kernel ran.

example:
  luthier pgo judge --before ./app --after ./app-pgo \
      --drop-worse app.profdata -- --size 4096
)";

struct Judged {
  pgo::RunOutput Output;
  pgo::ProgramCosts Costs;
};

class Judge {
public:
  explicit Judge(const Arguments &Args) : Args(Args) {}
  Expected<int> run();

private:
  Error readOptions();
  Expected<Judged> runBuild(const std::string &Program) const;
  Expected<pgo::RunOutput> runOnce(const std::string &Program,
                                   const std::string &Statistics) const;
  Expected<pgo::ProgramCosts> costsOf(const std::string &Program,
                                      const pgo::ExecutedKernels &Ran) const;
  Error drop(ArrayRef<pgo::JudgedKernel> Kernels) const;
  Error writeReport(ArrayRef<pgo::JudgedKernel> Kernels,
                    StringRef Difference) const;

  const Arguments &Args;
  std::string Device;
  pgo::OutputFilter Filter;
  pgo::Measure By = pgo::Measure::Cycles;
  double Tolerance = 1;
};

Error Judge::readOptions() {
  for (const char *Needed : {"--before", "--after"})
    if (!Args.has(Needed))
      return misused(Twine("no ") + Needed +
                     " given; see luthier pgo judge --help");
  Device = emulatedDevices(Args.value("--device"));
  Expected<pgo::OutputFilter> Given = outputFilter(Args);
  if (!Given)
    return Given.takeError();
  Filter = std::move(*Given);
  if (const std::string *Name = Args.value("--by")) {
    if (*Name == "instructions")
      By = pgo::Measure::Instructions;
    else if (*Name != "cycles")
      return misused("--by " + *Name + ": cycles or instructions is expected");
  }
  if (const std::string *Text = Args.value("--tolerance"))
    if (StringRef(*Text).getAsDouble(Tolerance) || !(Tolerance >= 0))
      return misused("--tolerance " + *Text + ": a number is expected");
  return Error::success();
}

Expected<pgo::RunOutput> Judge::runOnce(const std::string &Program,
                                        const std::string &Statistics) const {
  EmulatedRun Run;
  Run.Device = "emulated:" + Device;
  // With more threads, the order of atomic operations varies.
  Run.Options = {"--stats", Statistics, "--threads", "1"};
  Run.Command = {Program};
  append_range(Run.Command, Args.positional());
  auto Output =
      runToCompare(Args, [&](const std::string &Input, std::string &Printed) {
        Run.Input = Input;
        return runEmulated(Run, &Printed);
      });
  if (Output && Output->ExitCode == Interrupted)
    return failedBy(Interrupted, Program + " was interrupted");
  return Output;
}

/// A script has no code for GPUs, and its kernels' resources are not known
/// unless
/// --code has them.
Expected<pgo::ProgramCosts>
Judge::costsOf(const std::string &Program,
               const pgo::ExecutedKernels &Ran) const {
  // Whose bytes the images are.
  std::vector<InspectedFile> Files;
  if (auto File = InspectedFile::open(Program, nullptr))
    Files.push_back(std::move(*File));
  else
    consumeError(File.takeError());
  for (const std::string &Path : Args.values("--code")) {
    auto File = InspectedFile::open(Path, nullptr);
    if (!File)
      return File.takeError();
    Files.push_back(std::move(*File));
  }
  std::vector<BundledCodeObject> Images;
  SmallVector<StringRef> Names;
  StringRef(Device).split(Names, ',');
  for (InspectedFile &File : Files)
    for (BundledCodeObject &Image : File.Images)
      if (is_contained(Names, Image.Target.Processor))
        Images.push_back(std::move(Image));
  return pgo::programCosts(Ran, Images);
}

Expected<Judged> Judge::runBuild(const std::string &Program) const {
  const TemporaryFolder Folder("luthier-judge");
  Expected<pgo::RunOutput> Output =
      runOnce(Program, Folder.path() + "/stats-%p.json");
  if (!Output)
    return Output.takeError();
  pgo::ExecutedKernels Ran;
  if (Error E = forEachReport(Folder.path(), "stats-", [&](StringRef Text) {
        return pgo::addStatistics(Text, Ran);
      }))
    return std::move(E);
  Expected<pgo::ProgramCosts> Costs = costsOf(Program, Ran);
  if (!Costs)
    return failed(Program + ": " + detailOf(Costs.takeError()));
  return Judged{std::move(*Output), std::move(*Costs)};
}

/// Fails if nothing is known of the kernels of \p Program: it has run none, or
/// crashed, which the emulated GPU's statistics do not survive.
Error checkRan(const std::string &Program, const Judged &Its) {
  if (!Its.Costs.empty())
    return Error::success();
  const int Code = Its.Output.ExitCode;
  return failed(Program +
                (Code > 128 ? " has crashed (exit code "
                            : " has run no kernel (exit code ") +
                Twine(Code) + ")");
}

Error Judge::drop(ArrayRef<pgo::JudgedKernel> Kernels) const {
  const std::string *Profile = Args.value("--drop-worse");
  if (!Profile)
    return Error::success();
  std::vector<std::string> Worse;
  for (const pgo::JudgedKernel &K : Kernels)
    if (K.Change == pgo::JudgedKernel::Worse)
      Worse.push_back(K.Name);
  if (Worse.empty())
    return Error::success();
  Expected<std::vector<std::string>> Dropped =
      pgo::dropFunctions(*Profile, Worse);
  if (!Dropped)
    return Dropped.takeError();
  for (const std::string &Name : Worse)
    outs() << (is_contained(*Dropped, Name) ? "dropped from " + *Profile + ": "
                                            : "not in " + *Profile + ": ")
           << readableName(Name) << '\n';
  return Error::success();
}

Error Judge::writeReport(ArrayRef<pgo::JudgedKernel> Kernels,
                         StringRef Difference) const {
  const std::string *Path = Args.value("--json");
  if (!Path)
    return Error::success();
  std::string Text;
  raw_string_ostream OS(Text);
  pgo::printJson(Kernels, Difference, OS);
  return *Path == "-" ? (outs() << Text, Error::success())
                      : writeFile(*Path, arrayRefFromStringRef(Text));
}

std::string countsOf(ArrayRef<pgo::JudgedKernel> Kernels) {
  using pgo::JudgedKernel;
  auto Number = [&](JudgedKernel::ChangeType Change) {
    return count_if(Kernels, [&](const auto &K) { return K.Change == Change; });
  };
  return formatv("{0} better, {1} worse, {2} the same",
                 Number(JudgedKernel::Better), Number(JudgedKernel::Worse),
                 Number(JudgedKernel::Same));
}

Expected<int> Judge::run() {
  if (Error E = readOptions())
    return std::move(E);
  const std::string &Old = *Args.value("--before"),
                    &New = *Args.value("--after");
  Expected<Judged> Before = runBuild(Old);
  if (!Before)
    return Before.takeError();
  Expected<Judged> After = runBuild(New);
  if (!After)
    return After.takeError();
  if (Error E = checkWritten(Before->Output, After->Output))
    return std::move(E);
  const std::string Difference =
      pgo::differenceOf(Before->Output, After->Output, Filter);
  if (Difference.empty())
    for (const auto &[Program, Its] :
         {std::pair(&Old, &*Before), {&New, &*After}})
      if (Error E = checkRan(*Program, *Its))
        return std::move(E);
  std::vector<pgo::JudgedKernel> Kernels;
  if (!Before->Costs.empty() && !After->Costs.empty())
    Kernels = pgo::judge(Before->Costs, After->Costs, By, Tolerance);
  pgo::printTable(Kernels, outs());
  if (Error E = writeReport(Kernels, Difference))
    return std::move(E);
  if (Difference.empty()) {
    if (Error E = drop(Kernels))
      return std::move(E);
    if (const int Code = Before->Output.ExitCode)
      outs() << "luthier pgo judge: both programs end with " << Code << '\n';
    if (Before->Output.Printed.empty() && Before->Output.Files.empty())
      outs() << "luthier pgo judge: the programs print nothing, so only their "
                "exit codes were compared; --compare FILE compares what they "
                "write\n";
    outs() << "luthier pgo judge: same output; kernels: " << countsOf(Kernels)
           << '\n';
    const bool IsWorse = any_of(Kernels, [](const pgo::JudgedKernel &K) {
      return K.Change == pgo::JudgedKernel::Worse;
    });
    return Args.has("--fail-if-worse") && IsWorse ? Failed : Success;
  }
  Expected<pgo::RunOutput> Again = runOnce(Old, "/dev/null");
  if (!Again)
    return Again.takeError();
  const std::string Own = pgo::differenceOf(Before->Output, *Again, Filter);
  if (!Own.empty())
    outs() << "luthier pgo judge: NOT COMPARABLE: " << Old
           << " differs from run to run: " << Own << '\n';
  else
    outs() << "luthier pgo judge: DIFFERENT OUTPUT: " << Difference << '\n';
  if (Own.empty() &&
      pgo::differsLikeRounding(Before->Output, After->Output, Filter))
    outs() << "luthier pgo judge: " << pgo::RoundingHint << '\n';
  return Failed;
}

} // namespace

int pgoJudgeCommand(int Argc, char **Argv) {
  return runParsed(Argc, Argv,
                   {Help,
                    {{"--before", true},
                     {"--after", true},
                     {"--code", true, false, true},
                     {"--device", true},
                     {"--input", true},
                     {"--compare", true, false, true},
                     {"--ignore", true, false, true},
                     {"--by", true},
                     {"--tolerance", true},
                     {"--drop-worse", true},
                     {"--fail-if-worse"},
                     {"--json", true}}},
                   [](const Arguments &Args) { return Judge(Args).run(); });
}

} // namespace luthier::cli
