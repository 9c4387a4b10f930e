// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo show`: what of a program's kernels was executed, beside its
// source.
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "cli/PgoCommands.h"
#include "luthier/Refusal.h"
#include "pgo/KernelBlocks.h"
#include "pgo/LineProfile.h"
#include "pgo/ProbeProfile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
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
  calls      through pointers: which functions, how often
  source     each line with the executions of its busiest block, if the code has
             line tables

options:
  --kernel REGEX     only kernels whose name matches
  --code FILE        where else code of the kernels is: libraries, or a program
                     that PROGRAM starts; may be given several times
  --device NAMES     the emulated GPUs (gfx90a)
  --no-branches      spares the run with hooks at branches
  --no-source        no lines of source
  --help             this text

example:
  luthier pgo show --kernel reduce -- ./app
)";

using Branches = std::map<uint64_t, pgo::CountedBranch>;

class Show {
public:
  explicit Show(const Arguments &Args) : Args(Args) {}
  Expected<int> run();

private:
  Error runFor(std::vector<std::string> Options, StringRef Report,
               function_ref<Error(StringRef)> Use) const;
  Error openFiles();
  Error showObject(const std::shared_ptr<const CodeObject> &Object);
  Error showKernel(const std::shared_ptr<const CodeObject> &Object,
                   const KernelInfo &Kernel, const pgo::CodeCounts &Counts);
  Error showCalls(const CodeObject &Object);

  const Arguments &Args;
  std::optional<Regex> Wanted;
  std::vector<InspectedFile> Files;
  pgo::ExecutedCode Executed;
  std::map<std::string, Branches> BranchesOf; ///< By kernel.
  std::optional<pgo::ExecutedCalls> Calls;
  size_t Shown = 0;
};

/// Reports go to a folder that %s in the options stands for.
Error Show::runFor(std::vector<std::string> Options, StringRef Report,
                   function_ref<Error(StringRef)> Use) const {
  const TemporaryFolder Folder("luthier-show");
  EmulatedRun Run;
  Run.Device = "emulated:" + emulatedDevices(Args.value("--device"));
  for (std::string &Option : Options) {
    const size_t At = Option.find("%s");
    if (At != std::string::npos)
      Option.replace(At, 2, Folder.path());
    Run.Options.push_back(Option);
  }
  Run.Command = Args.positional();
  Run.Input = "/dev/null";
  Run.IsQuiet = true;
  std::string Printed;
  Expected<int> Code = runEmulated(Run, &Printed);
  if (!Code)
    return Code.takeError();
  if (*Code)
    return failed("the program ended with " + Twine(*Code) + " under luthier " +
                  "run " + join(Run.Options, " "));
  return forEachReport(Folder.path(), Report, Use);
}

Error Show::openFiles() {
  std::vector<std::string> Paths = Args.values("--code");
  const bool HasOthers = !Paths.empty();
  Paths.insert(Paths.begin(), Args.positional().front());
  for (const std::string &Path : Paths) {
    Expected<InspectedFile> File = InspectedFile::open(Path, nullptr);
    if (File)
      Files.push_back(std::move(*File));
    else if (HasOthers && Path == Paths.front())
      consumeError(File.takeError()); // A script, say.
    else
      return File.takeError();
  }
  return Error::success();
}

std::string shortSource(const std::optional<SourceLine> &Source) {
  return Source
             ? (sys::path::filename(Source->File) + ":" + Twine(Source->Line))
                   .str()
             : "";
}

std::string lanesPerWave(const pgo::ExecutionCount &Count) {
  return Count.Waves
             ? formatv("{0:f1}", double(Count.Lanes) / double(Count.Waves))
                   .str()
             : "-";
}

void printBlocks(const pgo::KernelBlocks &K) {
  outs() << formatv("  {0} of {1} blocks never executed, {2:f1} % of the "
                    "code\n",
                    K.unused(), K.Blocks.size(), K.unusedPercent());
  outs() << formatv("  {0,8}{1,13}{2,12}{3,8}  {4}\n", "block", "waves",
                    "lanes/wave", "instr.", "source");
  for (const pgo::CountedBlock &B : K.Blocks)
    outs() << formatv("  {0,8:x-}{1,13}{2,12}{3,8}  {4}\n", B.Address,
                      B.Count.Waves, lanesPerWave(B.Count), B.Instructions,
                      shortSource(B.Source));
}

/// How much of what was executed a profile would know.
Error printMarks(const CodeObject &Object, const pgo::KernelBlocks &K) {
  if (pgo::hasLines(Object))
    outs() << formatv("  lines are known of {0:f1} % of what waves executed\n",
                      K.linePercent());
  if (!pgo::hasProbes(Object))
    return Error::success();
  Expected<std::vector<uint64_t>> Probes = pgo::probeAddresses(Object);
  if (!Probes)
    return Probes.takeError();
  outs() << formatv("  probes mark {0:f1} % of what waves executed\n",
                    K.probePercent(*Probes));
  return Error::success();
}

void printBranches(const Branches &Of) {
  if (Of.empty())
    return;
  outs() << formatv("  {0,8}{1,13}{2,12}  {3,-15} {4,-22} {5}\n", "branch",
                    "executed", "% diverged", "class", "instruction", "source");
  for (const auto &[Address, B] : Of)
    outs() << formatv(
        "  {0,8:x-}{1,13}{2,12}  {3,-15} {4,-22} {5}\n", Address, B.Executed,
        B.Executed ? formatv("{0:f1}", 100.0 * double(B.Executed - B.Agreed) /
                                           double(B.Executed))
                         .str()
                   : "-",
        pgo::toString(B.classify()), B.Instruction,
        sys::path::filename(B.Source));
}

/// The lines of one file that blocks come from, and those between.
void printFile(StringRef Path, const std::map<unsigned, uint64_t> &Lines) {
  const auto Text = contentsOf(Path.str());
  if (!Text)
    return;
  SmallVector<StringRef> All;
  StringRef(*Text).split(All, '\n');
  outs() << "  " << Path << ":\n";
  for (unsigned N = Lines.begin()->first;
       N <= Lines.rbegin()->first && N <= All.size(); ++N) {
    const auto Found = Lines.find(N);
    const std::string Count =
        Found == Lines.end() ? "" : std::to_string(Found->second);
    outs() << formatv("  {0,12} {1,5}  {2}\n", Count, N, All[N - 1]);
  }
}

void printSource(const pgo::KernelBlocks &K) {
  std::map<std::string, std::map<unsigned, uint64_t>> Files;
  for (const pgo::CountedBlock &B : K.Blocks)
    if (B.Source) {
      uint64_t &Most = Files[B.Source->File][B.Source->Line];
      Most = std::max(Most, B.Count.Waves);
    }
  for (const auto &[Path, Lines] : Files)
    printFile(Path, Lines);
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
  for (const auto &[Address, Targets] : (*Calls)[pgo::digestOf(Object)])
    for (const auto &[Target, Count] : Targets) {
      const FunctionInfo *Function = Object.findFunction(Target);
      outs() << formatv("  {0,8:x-} calls {1}: {2} waves, {3} lanes\n", Address,
                        !Target    ? "others"
                        : Function ? readableName(Function->Name)
                                   : "a function at 0x" + utohexstr(Target),
                        Count.Waves, Count.Lanes);
    }
  return Error::success();
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
  printBranches(BranchesOf[Kernel.Name]);
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
  if (Error E = openFiles())
    return std::move(E);
  if (Error E = runFor(
          {"--counts", "%s/counts-%p.json"}, "counts-",
          [&](StringRef Text) { return pgo::addCounts(Text, Executed); }))
    return std::move(E);
  if (!Args.has("--no-branches"))
    if (Error E = runFor({"--tool", "branch-divergence", "--output", "%s"},
                         "branch-divergence", [&](StringRef Text) {
                           return pgo::addBranches(Text, BranchesOf);
                         }))
      return std::move(E);
  for (const InspectedFile &File : Files)
    for (const BundledCodeObject &Image : File.Images) {
      auto Object = CodeObject::create(Image.Bytes);
      if (!Object)
        return failed(detailOf(Object.takeError()));
      if (Error E = showObject(std::move(*Object)))
        return std::move(E);
    }
  if (!Shown)
    return failed("no such kernel of these files was executed");
  return Success;
}

} // namespace

int pgoShowCommand(int Argc, char **Argv) {
  const auto Args = Arguments::parse(Argc, Argv,
                                     {{"--kernel", true},
                                      {"--code", true, false, true},
                                      {"--device", true},
                                      {"--no-branches"},
                                      {"--no-source"},
                                      {"--help"},
                                      {"-h"}});
  if (!Args)
    return Misuse;
  if (Args->has("--help") || Args->has("-h")) {
    outs() << Help;
    return Success;
  }
  Expected<int> Code = Show(*Args).run();
  return Code ? *Code : reportError(Code.takeError());
}

} // namespace luthier::cli
