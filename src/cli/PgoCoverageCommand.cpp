// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo coverage`: which source of a program's kernels was executed.
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "cli/PgoCommands.h"
#include "cli/RunProgram.h"
#include "luthier/Refusal.h"
#include "pgo/CoverageRecords.h"
#include "pgo/LineCoverage.h"
#include "pgo/LineProfile.h"
#include "pgo/ProfileSum.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ProfileData/InstrProfReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo coverage [options] -- PROGRAM [ARGUMENTS...] [-- PROGRAM [ARGUMENTS...]]...

Runs a program, and shows which source of its kernels was executed, by lanes if
it was compiled for that (luthier pgo flags collect --route coverage, or mcdc):
regions, branches, and conditions of decisions, by llvm-cov. Of a release with
line tables (-Xarch_device -gline-tables-only), which lines, by waves. Several
runs, each behind a --, are added up, and may be of several programs.

options:
  --format FORMAT    report   a line for each file (default)
                     show     the source with its counts; not of a release
                     html     likewise, in a folder
                     lcov     for genhtml and others
                     json     as llvm-cov export has it; not of a release
  -o PATH            the file, or, of html, the folder (stdout)
  --lines            as of a release, whatever the code was compiled for
  --count-by WAY     of a release: emulator (default), the emulated GPU's own
                     counts; hooks, those of the tool block-count, on any GPU
  --code FILE        where else code of the kernels is: libraries, or a program
                     that PROGRAM starts; may be given several times
  --llvm-cov PATH    which one ()" LUTHIER_PGO_LLVM_COV R"()
  --device NAMES     the emulated GPUs (gfx90a)
  --help             this text

What the programs print on stdout goes nowhere. The exit code is that of the
first run that fails; 1 if what a kernel executed is not known, since it cannot
have hooks.

examples:
  luthier pgo coverage --format html -o coverage -- ./app-coverage --size 64
  luthier pgo coverage -- ./app-coverage --size 64 -- ./app-coverage --size 0
)";

class Coverage {
public:
  Coverage(const Arguments &Args, std::vector<std::vector<std::string>> Runs,
           std::string Folder)
      : Args(Args), Runs(std::move(Runs)), Folder(std::move(Folder)) {}
  Expected<int> run();

private:
  Error openCode();
  Error extractMapped();
  Expected<int> ofRegions();
  Expected<int> ofLines();
  Expected<int> countLines(const std::vector<std::string> &Run);
  Error addHookCounts(StringRef Text);
  bool sayMissing() const;
  Error addLines(pgo::LineCoverage &To) const;
  Error sumUp() const;
  std::vector<std::string> exportCommand() const;
  Error write(function_ref<void(raw_ostream &)> Print) const;

  std::string profile() const { return Folder + "/all.profdata"; }
  std::string device() const {
    const std::string *Names = Args.value("--device");
    return Names ? *Names : "";
  }

  const Arguments &Args;
  const std::vector<std::vector<std::string>> Runs;
  const std::string Folder;
  std::string Format = "report";
  std::vector<std::unique_ptr<CodeObject>> Objects;
  std::vector<std::string> Mapped; ///< Code that says what its regions are.
  bool ByHooks = false;
  pgo::ExecutedCode Executed;
  pgo::UncountedKernels Refused, Overflown; ///< By hooks.
};

Error Coverage::openCode() {
  std::vector<std::string> More = Args.values("--code");
  std::set<std::string> Programs;
  for (const std::vector<std::string> &Run : Runs) {
    if (!Programs.insert(Run.front()).second)
      continue;
    auto Files = openProgramCode(Run.front(), More);
    More.clear();
    if (!Files)
      return Files.takeError();
    if (Error E = forEachCodeObject(*Files, [&](auto Object) {
          Objects.push_back(std::move(Object));
          return Error::success();
        }))
      return E;
  }
  return Error::success();
}

/// llvm-cov reads no fat binaries, but code objects.
Error Coverage::extractMapped() {
  for (const auto &Object : Objects)
    if (Object->section("__llvm_covmap")) {
      auto Records = pgo::namedCoverageRecords(*Object);
      if (!Records)
        return Records.takeError();
      if (Records->NumDropped)
        errs() << "luthier pgo: functions that are not shown: "
               << Records->NumDropped
               << "; no code is left of them, and the linker dropped their "
                  "names\n";
      Mapped.push_back(Folder + "/code" + std::to_string(Mapped.size()));
      if (Error E = writeFile(Mapped.back(), Records->Code))
        return E;
    }
  return Error::success();
}

/// There is a profile for each target; none if nothing was counted, which has
/// been said.
Error Coverage::sumUp() const {
  pgo::ProfileSum Sum;
  bool IsThere = false;
  if (Error E = forEachReport(Folder, "kernels", [&](StringRef Bytes) -> Error {
        // Those of samples are of other code, which has no regions.
        if (!IndexedInstrProfReader::hasFormat(*MemoryBuffer::getMemBuffer(
                Bytes, "", /*RequiresNullTerminator=*/false)))
          return Error::success();
        IsThere = true;
        return Sum.add(Bytes, "the profile of this run");
      }))
    return E;
  return IsThere ? Sum.write(profile()) : failed("nothing has counted");
}

std::vector<std::string> Coverage::exportCommand() const {
  const std::string *Given = Args.value("--llvm-cov");
  std::vector<std::string> Command = {Given ? *Given : LUTHIER_PGO_LLVM_COV};
  const auto Add = [&](std::initializer_list<const char *> Words) {
    Command.insert(Command.end(), Words.begin(), Words.end());
  };
  if (Format == "report")
    Add({"report", "-show-mcdc-summary"});
  else if (Format == "lcov")
    Add({"export", "-format=lcov"});
  else if (Format == "json")
    Add({"export", "-format=text"});
  else
    Add({"show", "-show-branches=count", "-show-mcdc"});
  if (Format == "html") {
    Add({"-format=html", "-output-dir"});
    Command.push_back(*Args.value("-o"));
  }
  append_range(Command, std::vector<std::string>{"-instr-profile", profile()});
  Command.push_back(Mapped.front());
  for (const std::string &Path : ArrayRef(Mapped).drop_front())
    append_range(Command, std::vector<std::string>{"-object", Path});
  return Command;
}

Expected<int> Coverage::ofRegions() {
  int Code = Success;
  for (const auto &[Number, Run] : enumerate(Runs)) {
    std::vector<std::string> Collect = {
        programPrefix(/*BelowLibexec=*/true) + "/bin/luthier",
        "pgo",
        "collect",
        "--accept-partial",
        "-o",
        Folder + "/kernels" + std::to_string(Number) + ".profdata"};
    append_range(Collect, deviceOption(device()));
    Collect.push_back("--");
    append_range(Collect, Run);
    const int Its = runWithoutOutput(Collect);
    if (Its == Interrupted)
      return failedBy(Its, "the program was interrupted");
    Code = Code ? Code : Its;
  }
  if (Error E = sumUp())
    return std::move(E);
  std::string To;
  if (const std::string *Path = Args.value("-o"); Path && Format != "html")
    To = *Path;
  if (const int Failure = runInto(exportCommand(), To))
    return failed("llvm-cov ended with " + Twine(Failure));
  return Code;
}

Error Coverage::write(function_ref<void(raw_ostream &)> Print) const {
  const std::string *Path = Args.value("-o");
  if (!Path)
    return Print(outs()), Error::success();
  std::string Text;
  raw_string_ostream OS(Text);
  Print(OS);
  return writeFile(*Path, arrayRefFromStringRef(Text));
}

/// Code that is not executed need have no line tables, nor need stripped code
/// if the same is there with some.
Error Coverage::addLines(pgo::LineCoverage &To) const {
  std::set<std::string> Known;
  for (const auto &Object : Objects)
    if (pgo::hasLines(*Object))
      Known.insert(pgo::digestOf(*Object));
  std::set<std::string> Added; // Copies of a program have the same code.
  for (const auto &Object : Objects) {
    const std::string Digest = pgo::digestOf(*Object);
    if (pgo::hasLines(*Object) && !Added.insert(Digest).second)
      continue;
    const auto Found = Executed.find(Digest);
    const bool IsExecuted = Found != Executed.end();
    if (!pgo::hasLines(*Object) && (!IsExecuted || Known.count(Digest)))
      continue;
    if (Error E = pgo::addLineCoverage(
            *Object, IsExecuted ? pgo::sumOf(Found->second) : pgo::CodeCounts(),
            To))
      return E;
  }
  return Error::success();
}

Error Coverage::addHookCounts(StringRef Text) {
  if (Error E = pgo::addCounts(Text, Executed))
    return E;
  if (Error E = pgo::addUncounted(Text, Refused))
    return E;
  return pgo::addOverflown(Text, Overflown);
}

Expected<int> Coverage::countLines(const std::vector<std::string> &Command) {
  EmulatedRun Run;
  const std::string Device = device();
  if (!ByHooks || !Device.empty())
    Run.Device =
        "emulated:" + emulatedDevices(Device.empty() ? nullptr : &Device);
  Run.Options = {"--counts", "%s/counts-%p.json"};
  if (ByHooks)
    Run.Options = {"--tool", "block-count:no-calls", "--output", "%s"};
  Run.Command = Command;
  std::string Printed;
  return runForReports(
      std::move(Run), &Printed, ByHooks ? "block-count" : "counts-",
      [&](StringRef Text) {
        return ByHooks ? addHookCounts(Text) : pgo::addCounts(Text, Executed);
      });
}

/// Whether there is something.
bool Coverage::sayMissing() const {
  for (const auto &[Kernels, Why] :
       {std::pair(&Refused, "it runs without hooks"),
        {&Overflown, "counts do not fit into counters"}})
    for (const auto &[Of, Reason] : *Kernels)
      errs() << "luthier pgo: lines of " << readableName(Of.second)
             << " are missing, for " << Why << ": " << Reason << '\n';
  return !Refused.empty() || !Overflown.empty();
}

Expected<int> Coverage::ofLines() {
  if (Format != "report" && Format != "lcov")
    return misused("--format " + Format +
                   ": of a release there are report and lcov; genhtml makes "
                   "HTML of the latter");
  if (none_of(Objects, [](const auto &O) { return pgo::hasLines(*O); }))
    return pgo::lackOfLines(*Objects.front());
  int Code = Success;
  for (const std::vector<std::string> &Run : Runs) {
    Expected<int> Its = countLines(Run);
    if (!Its)
      return Its.takeError();
    if (*Its == Interrupted)
      return failedBy(*Its, "the program was interrupted");
    Code = Code ? Code : *Its;
  }
  pgo::LineCoverage Lines;
  if (Error E = addLines(Lines))
    return std::move(E);
  if (Error E = write([&](raw_ostream &OS) {
        Format == "lcov" ? printLcov(Lines, OS) : printSummary(Lines, OS);
      }))
    return std::move(E);
  const bool IsMissing = sayMissing();
  return !Code && IsMissing ? Failed : Code;
}

Expected<int> Coverage::run() {
  for (const std::vector<std::string> &Run : Runs)
    if (Run.empty())
      return misused("no program given; see luthier pgo coverage --help");
  if (const std::string *Name = Args.value("--format"))
    Format = *Name;
  if (!is_contained({"report", "show", "html", "lcov", "json"}, Format))
    return misused("--format " + Format +
                   ": report, show, html, lcov or json is expected");
  if (Format == "html" && !Args.has("-o"))
    return misused("--format html needs -o and the name of a folder");
  if (const std::string *Way = Args.value("--count-by")) {
    ByHooks = *Way == "hooks";
    if (!ByHooks && *Way != "emulator")
      return misused("--count-by " + *Way + ": emulator or hooks is expected");
  }
  if (Error E = openCode())
    return std::move(E);
  if (!Args.has("--lines"))
    if (Error E = extractMapped())
      return std::move(E);
  return Mapped.empty() ? ofLines() : ofRegions();
}

} // namespace

int pgoCoverageCommand(int Argc, char **Argv) {
  const CommandParts Parts = splitAtDashes(Argc, Argv);
  const auto Show = [&](const Arguments &Args) -> Expected<int> {
    std::vector<std::vector<std::string>> Runs = Parts.Others;
    if (Runs.empty() || !Args.positional().empty())
      Runs.insert(Runs.begin(), Args.positional());
    try {
      const TemporaryFolder Folder("luthier-coverage");
      return Coverage(Args, std::move(Runs), Folder.path()).run();
    } catch (const RunError &E) {
      return failed(E.what());
    }
  };
  return runParsed(Parts.OwnCount, Argv,
                   {Help,
                    {{"--format", true},
                     {"-o", true},
                     {"--lines"},
                     {"--count-by", true},
                     {"--code", true, false, true},
                     {"--llvm-cov", true},
                     {"--device", true}}},
                   Show);
}

} // namespace luthier::cli
