// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo collect`: runs a program, and adds up what its code has counted
// or what was counted of it.
#include "cli/ChildProgram.h"
#include "cli/CollectOptions.h"
#include "cli/Commands.h"
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "cli/PgoCommands.h"
#include "cli/RepeatedInput.h"
#include "cli/RunProgram.h"
#include "pgo/Collection.h"
#include "pgo/Problem.h"
#include "pgo/ReplaceFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <map>

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo collect [options] [--] PROGRAM [ARGUMENTS...]
       luthier pgo collect [options] --exec-counts FILE --code FILE

Runs PROGRAM and writes a profile of its kernels for clang. How a code object
is counted depends on what it has:
  counters      they are read (luthier pgo flags collect)
  else, pseudo probes
                its instructions are counted (luthier pgo flags collect
                --route probes)
  else, line tables
                likewise (luthier pgo flags collect --route lines)
  none of these a message says what the code lacks
Counts of all loads, devices and processes are added up.

options:
  -o FILE            the profile (kernels.profdata). If kernels of several
                     targets or routes were counted, each gets a profile with
                     these in its name: kernels.gfx90a.probes.profdata
  --add              add to the profiles of earlier runs, partial ones to partial
                     ones; if a profile cannot be added to, this run's is
                     kernels.new.profdata, and the exit code is 1
  --keep-raw DIR     also keep LLVM's raw profiles in DIR, one for each load of
                     a code object with counters on a device
  --accept-partial   write the profile under its usual name even if counts are
                     missing: a process was killed, launches had not ended, or
                     a kernel ran without hooks; without this option, its name
                     is kernels.partial.profdata and the exit code 1
  --device DEVICE    as in luthier run, whose options for the emulated GPU work
                     here, too
  --help             this text
for a release, which has no counters:
  --weights W        what to count: waves (default), or lanes, as LLVM's own
                     counters do
  --route R          probes or lines; default: what the code has, probes first
  --count-by WAY     emulator: its own counts, at no cost; hooks: those of the
                     tool block-count, on any GPU. Default: hooks on a native
                     GPU, otherwise the emulator
  --calls            also find the functions that are called through pointers;
                     beside the emulator's counts, the program runs once more
                     for that, before, and what it prints in that run is not
                     shown
  --text             write the profile as text
for a kernel that luthier exec has run, without a program:
  --exec-counts FILE what its --counts has written
  --code FILE        the code, also if it is not linked
  --target NAME      which of that, if it has several

The exit code is the program's own if that is not 0, and 1 if there is no
profile.

examples:
  luthier pgo collect -o app.profdata -- ./app-counting input
  luthier pgo collect -o app.prof --weights lanes -- ./app-with-probes input
)";

/// As many as it can.
bool keepRaw(const pgo::Collected &From, const std::string &Folder) {
  bool IsKept = true;
  for (const pgo::Collected::Profile &Profile : From.Profiles) {
    const std::string To =
        Folder + "/" + sys::path::filename(Profile.Path).str();
    if (std::error_code Failure = sys::fs::copy_file(Profile.Path, To)) {
      errs() << "luthier pgo: cannot write " << To << ": " << Failure.message()
             << '\n';
      IsKept = false;
    }
  }
  return IsKept;
}

/// Before the program runs, which may take long.
Error checkOutputs(const CollectOptions &Options) {
  if (!Options.RawFolder.empty())
    if (std::error_code Failure =
            sys::fs::create_directories(Options.RawFolder))
      return failed("cannot write to " + Options.RawFolder + ": " +
                    Failure.message());
  return pgo::checkWritable(Options.Written.Output);
}

/// What a process has left half-written is missing; the counts of others stay.
Error noteUnreadable(Error E, std::vector<std::string> &Uncounted) {
  return handleErrors(
      std::move(E), [&](std::unique_ptr<pgo::Problem> Its) -> Error {
        if (Its->kind() != pgo::ProblemKind::Report)
          return Error(std::move(Its));
        Uncounted.push_back("what a process counted cannot be read: " +
                            Its->detail());
        return Error::success();
      });
}

/// An exit code of runAndWait(), or what shells have made of it.
bool isBySignal(int Code) { return Code > 128 && Code <= 128 + SIGRTMAX; }

/// A run of PROGRAM, and what it leaves in a folder.
class Collect {
public:
  Collect(const CollectOptions &Options, RunOptions Run)
      : Options(Options), Run(std::move(Run)) {}
  int run();
  /// Of what luthier exec has counted.
  int runOnCounts();

private:
  RunPlan plan();
  Error readExecCounts(pgo::Collected &Found);
  Error findCalls();
  Error addFoundCalls(StringRef Text);
  Error noteReport(StringRef Text);
  Error addEmulatorCounts(StringRef Text);
  Error addHookCounts(StringRef Text, pgo::UncountedKernels &Refused,
                      pgo::UncountedKernels &Overflown);
  void noteLostReports(pgo::Collected &Found);
  Error readCounts(pgo::Collected &Found);
  Expected<bool> writeProfiles(pgo::Collected &Found);
  Expected<bool> writeAll();

  const std::string &folder() const { return Folder.path(); }
  /// Of the emulated GPU, for a process, or %p.
  std::string countsOf(const std::string &Process) const {
    return folder() + "/counts-" + Process + ".json";
  }

  const CollectOptions &Options;
  RunOptions Run;
  const std::string Prefix = programPrefix(/*BelowLibexec=*/true);
  const TemporaryFolder Folder{"luthier-pgo"};
  std::optional<RepeatedInput> Input; ///< Of several runs.
  bool ByHooks = false;
  pgo::ExecutedCode Executed;
  pgo::ExecutedCalls Calls;
  /// Of hooks or the emulator: by process, those written at its end.
  std::map<int64_t, size_t> Reports;
  /// In the run that finds calls.
  pgo::UncountedKernels WithoutCalls;
  std::vector<std::string> LostCalls; ///< Why some may be missing.
};

RunPlan Collect::plan() {
  const Surroundings Around = lookAround(Prefix);
  Run.Tools = {Prefix + "/lib/luthier/pgo/libpgo-collector.so"};
  Run.Output = folder();
  const bool IsEmulated = planRun(Run, Around).IsEmulated;
  ByHooks = Options.ByHooks.value_or(!IsEmulated);
  if (!ByHooks && !IsEmulated)
    throw RunError("--count-by emulator: a native GPU is counted by hooks");
  if (ByHooks)
    Run.Tools.push_back(Options.FindsCalls
                            ? "block-count:releases-only"
                            : "block-count:releases-only,no-calls");
  else
    Run.EmulatorSettings.emplace_back("LUTHIER_EMULATOR_COUNTS",
                                      countsOf("%p"));
  return planRun(Run, Around);
}

/// Hooks at calls change what the emulated GPU counts, so that takes a run of
/// its own; where hooks count, calls are counted in the same run. Its output is
/// that of the run that counts, and so is its input.
Error Collect::findCalls() {
  const TemporaryFolder Left("luthier-pgo-calls");
  std::vector<std::string> Command = {
      Prefix + "/bin/luthier",  "run",      "--tool",
      "block-count:only-calls", "--output", Left.path()};
  append_range(Command, Options.Others);
  const int Code = runWithoutOutput(Command);
  Input->rewind();
  if (Code) {
    errs() << "luthier pgo: the program ended with " << Code
           << " in the run that finds calls\n";
    if (isBySignal(Code))
      LostCalls.push_back("it ended with " + std::to_string(Code));
  }
  return forEachReport(Left.path(), "block-count", [&](StringRef Text) {
    return noteUnreadable(addFoundCalls(Text), LostCalls);
  });
}

Error Collect::addFoundCalls(StringRef Text) {
  if (Error E = pgo::addCalls(Text, Calls))
    return E;
  if (Error E = pgo::addUncounted(Text, WithoutCalls))
    return E;
  auto Origin = pgo::originOf(Text);
  if (!Origin)
    return Origin.takeError();
  const std::string Who = "process " + std::to_string(Origin->Process);
  if (Origin->isInBetween())
    LostCalls.push_back(Who + " was killed");
  else if (pgo::isAbrupt(Origin->Ended))
    LostCalls.push_back(Who + " ended by " + Origin->Ended);
  return Error::success();
}

/// Of what has counted a process's code from outside.
Error Collect::noteReport(StringRef Text) {
  auto Origin = pgo::originOf(Text);
  if (!Origin)
    return Origin.takeError();
  Reports[Origin->Process] += !Origin->isInBetween();
  return Error::success();
}

Error Collect::addEmulatorCounts(StringRef Text) {
  if (Error E = pgo::addCounts(Text, Executed))
    return E;
  return noteReport(Text);
}

Error Collect::addHookCounts(StringRef Text, pgo::UncountedKernels &Refused,
                             pgo::UncountedKernels &Overflown) {
  if (Error E = pgo::addCounts(Text, Executed))
    return E;
  if (Error E = pgo::addCalls(Text, Calls))
    return E;
  if (Error E = pgo::addUncounted(Text, Refused))
    return E;
  if (Error E = pgo::addOverflown(Text, Overflown))
    return E;
  return noteReport(Text);
}

/// A process's note is written before the other report, which the disk may
/// have no room for. A process that becomes another program has two of each.
void Collect::noteLostReports(pgo::Collected &Found) {
  for (pgo::ProcessNote &Note : Found.Notes) {
    if (!Note.Releases || Note.Ended.empty())
      continue;
    if (size_t &Left = Reports[Note.Process])
      --Left;
    else if (Note.Failed.empty())
      Note.Failed = ByHooks
                        ? "what its hooks counted was not written at its end"
                        : "what the emulated GPU counted was not written "
                          "at its end";
  }
}

Error Collect::readCounts(pgo::Collected &Found) {
  pgo::noteUncounted(WithoutCalls, "calls through pointers", Found);
  for (const std::string &Why : LostCalls)
    Found.Uncounted.push_back("calls through pointers may be missing: in the "
                              "run that finds them, " +
                              Why);
  if (ByHooks) {
    pgo::UncountedKernels Refused, Overflown;
    if (Error E = forEachReport(folder(), "block-count", [&](StringRef Text) {
          return noteUnreadable(addHookCounts(Text, Refused, Overflown),
                                Found.Uncounted);
        }))
      return E;
    noteLostReports(Found);
    pgo::noteUncounted(Refused, "counts", Found);
    pgo::noteOverflown(Overflown, Found);
    return Error::success();
  }
  const size_t Before = Found.Uncounted.size();
  if (Error E = forEachReport(folder(), "counts-", [&](StringRef Text) {
        return noteUnreadable(addEmulatorCounts(Text), Found.Uncounted);
      }))
    return E;
  // What cannot be read does not say whose it is.
  if (Found.Uncounted.size() == Before)
    noteLostReports(Found);
  return Error::success();
}

/// Says what was written. False if that is not the profile that was asked for.
Expected<bool> Collect::writeProfiles(pgo::Collected &Found) {
  auto Sampled = pgo::sampleCode(Found, Executed, Calls, Options.Samples);
  if (!Sampled)
    return Sampled.takeError();
  auto Result =
      pgo::writeCollection(Found, std::move(*Sampled), Options.Written);
  if (!Result)
    return Result.takeError();
  for (const std::string &Warning : Result->Warnings)
    errs() << "luthier pgo: " << Warning << '\n';
  for (const pgo::WrittenProfile &Profile : Result->Profiles) {
    errs() << "luthier pgo: " << Profile.Path << ": " << Profile.Target << ", "
           << Profile.NumFunctions << " functions, by " << Profile.Route;
    if (Profile.NumLoads)
      errs() << ", " << Profile.NumLoads
             << (Profile.NumLoads == 1 ? " load" : " loads");
    errs() << '\n';
  }
  return !Result->IsApart && !Result->IsUnwritten &&
         (!Result->IsPartial || Options.Written.AcceptPartial);
}

/// What is kept besides comes last, whatever has become of the profiles.
Expected<bool> Collect::writeAll() {
  auto Found = pgo::readCollectFolder(folder());
  if (!Found)
    return Found.takeError();
  const auto WriteProfiles = [&]() -> Expected<bool> {
    if (Error E = readCounts(*Found))
      return std::move(E);
    return writeProfiles(*Found);
  };
  Expected<bool> IsComplete = WriteProfiles();
  const bool IsKept =
      Options.RawFolder.empty() || keepRaw(*Found, Options.RawFolder);
  if (IsComplete)
    *IsComplete &= IsKept;
  return IsComplete;
}

int Collect::run() {
  if (Error E = checkOutputs(Options))
    return reportError(std::move(E));
  const RunPlan Plan = plan();
  if (Options.FindsCalls && !ByHooks) {
    Input.emplace(folder());
    if (Error E = findCalls())
      return reportError(std::move(E));
  }
  setUp(Plan);
  ::setenv(pgo::CollectFolderVariable, folder().c_str(), /*overwrite=*/1);
  const int Code = runAndWait(Run.Command);
  if (Code == NotFound || Code == CannotStart)
    return Code;
  if (Code)
    errs() << "luthier pgo: the program ended with " << Code << '\n';
  Expected<bool> IsComplete = writeAll();
  if (!IsComplete)
    return std::max(reportError(IsComplete.takeError()), Code);
  return Code ? Code : *IsComplete ? Success : Failed;
}

/// The code gets a place where that of programs is.
Error Collect::readExecCounts(pgo::Collected &Found) {
  const std::optional<std::string> Text = contentsOf(Options.ExecCounts);
  if (!Text)
    return failed("cannot read " + Options.ExecCounts);
  auto File = InspectedFile::open(
      Options.Code, Options.Target.empty() ? nullptr : &Options.Target);
  if (!File)
    return File.takeError();
  if (File->Images.size() != 1)
    return failed(Options.Code +
                  " has code for several targets; --target names one");
  const ArrayRef<uint8_t> Bytes = File->Images.front().Bytes;
  auto Object = CodeObject::create(Bytes);
  if (!Object)
    return Object.takeError();
  pgo::CodeCounts Counts;
  if (Error E = pgo::addExecCounts(*Text, Counts))
    return E;
  if (Counts.empty())
    return failed(Options.ExecCounts + " has no counts");
  const auto IsIn = [](uint64_t Address, uint64_t Begin, uint64_t Size) {
    return Address >= Begin && Address - Begin < Size;
  };
  for (const auto &[Address, Count] : Counts)
    if (none_of((*Object)->kernels(),
                [&, A = Address](const KernelInfo &K) {
                  return IsIn(A, K.EntryAddress, K.CodeSize);
                }) &&
        none_of((*Object)->functions(),
                [&, A = Address](const FunctionInfo &F) {
                  return IsIn(A, F.Address, F.Size);
                }))
      return failed(Options.ExecCounts + " is of other code than " +
                    Options.Code + ": nothing is at 0x" + utohexstr(Address));
  const std::string Digest = pgo::digestOf(**Object);
  Executed[Digest]["luthier exec"] = std::move(Counts);
  Found.Code[Digest] = folder() + "/code";
  return writeFile(Found.Code[Digest], Bytes);
}

int Collect::runOnCounts() {
  if (Error E = checkOutputs(Options))
    return reportError(std::move(E));
  pgo::Collected Found;
  if (Error E = readExecCounts(Found))
    return reportError(std::move(E));
  Expected<bool> IsComplete = writeProfiles(Found);
  if (!IsComplete)
    return reportError(IsComplete.takeError());
  return *IsComplete ? Success : Failed;
}

int collect(ArrayRef<std::string> Arguments) {
  const CollectOptions Options = parseCollectOptions(Arguments);
  if (Options.Help) {
    outs() << Help;
    return Success;
  }
  if (!Options.ExecCounts.empty())
    return Collect(Options, RunOptions()).runOnCounts();
  RunOptions Run = parseRunArguments(Options.Others);
  if (Run.Help) {
    outs() << Help;
    return Success;
  }
  return Collect(Options, std::move(Run)).run();
}

} // namespace

int pgoCollectCommand(int Argc, char **Argv) {
  try {
    const std::vector<std::string> Arguments(Argv + 1, Argv + Argc);
    return collect(Arguments);
  } catch (const RunError &E) {
    errs() << "luthier: error: " << E.what()
           << "; see luthier pgo collect --help\n";
  }
  return Misuse;
}

} // namespace luthier::cli
