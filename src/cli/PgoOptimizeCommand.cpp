// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo optimize`: all steps from a command that compiles a program to
// the program that a profile makes faster. Each step is the command that users
// would give, in a process of its own.
#include "cli/ChildProgram.h"
#include "cli/ComparedRun.h"
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "cli/OptimizePlan.h"
#include "cli/PgoCommands.h"
#include "cli/ProfileUse.h"
#include "cli/RunProgram.h"
#include "luthier/Refusal.h"
#include "pgo/Flags.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo optimize [options] -- COMPILER [ARGUMENTS...] -- PROGRAM [ARGUMENTS...]
       luthier pgo optimize --program PROGRAM [options] -- BUILD [ARGUMENTS...] -- PROGRAM [ARGUMENTS...]

Compiles a program as the command says, collects a profile by running it,
compiles it with the profile, and judges: it has to print the same as without,
and kernels that became worse are taken out of the profile, until none is left.
A kernel can stay worse, by functions that are inlined into it and have a
profile of their own. Then the profile is used if all kernels together gain.
What becomes PROGRAM, the -o of the command, is the best build that is right.

PROGRAM is run to collect, with all arguments that follow; several such parts,
each behind a --, are several runs. What counts has to do the same as the build
without a profile; otherwise, nothing that it has counted is used.

BUILD is any command that makes PROGRAM, such as make: it compiles all of the
device code anew each time that it is started, with the flags that are in the
environment variable LUTHIER_PGO_FLAGS then. luthier pgo launch, before the
compiler, adds them.

options:
  --route ROUTE      counters (default) or ir: another build counts; cs: ir, and
                     a second build that counts after inlining; probes or lines:
                     the release is counted as it is
  --weights, --calls, --count-by
                     of routes probes and lines, as in luthier pgo collect
  --device-libraries as in luthier pgo apply
  --program PROGRAM  what BUILD makes; with it,
    --compiler PATH  the clang that BUILD uses ()" LUTHIER_PGO_CLANGXX R"()
    --rdc            BUILD links units for the GPU (-fgpu-rdc)
  -o PROFILE         where to keep the profile (PROGRAM.prof); what is there
                     stays if none is collected
  --judge COMMAND    judge by this run, given as one word for a shell, instead
                     of those that collect; may be given several times
  --input FILE       what all runs read on stdin (default: nothing)
  --by, --tolerance, --compare, --ignore, --code
                     as in luthier pgo judge
  --device NAME      the emulated GPU (gfx90a)
  --lenient          exit with 0 where PROGRAM was compiled without a profile,
                     whatever the reason
  --help             this text

The exit code is 0 if PROGRAM was compiled with a profile or, where that brings
nothing, without; 4 if it was compiled without because no profile could be made,
or the build with it was wrong; 130 if the keyboard interrupted it, which leaves
what was there.

example:
  luthier pgo optimize -- clang++ -x hip -O3 app.hip -o app -- ./app --size 4096
  luthier pgo optimize --program ./app -- make -B app -- ./app --size 4096
)";

class Optimize {
public:
  Optimize(const Arguments &Args, OptimizePlan Plan, std::string Folder)
      : Args(Args), Plan(std::move(Plan)), Folder(std::move(Folder)) {}
  Expected<int> run();

private:
  Error readOptions();
  Error checkOptions() const;
  Error collect();
  Error countBy(StringRef Name, const std::string &First);
  Error countInto(ArrayRef<std::string> Run, const std::string &Program);
  Expected<pgo::RunOutput> runPrinting(ArrayRef<std::string> Command) const;
  Error checkSame(ArrayRef<std::string> Run, const pgo::RunOutput &Counting);
  Expected<bool> judgeUntilNoneIsWorse();
  Expected<Verdict> judge() const;
  Error compile(ArrayRef<std::string> Flags, const std::string &To) const;
  Error build(ArrayRef<std::string> Flags, const std::string &To) const;
  Error checkUsesFlags(const std::string &Program) const;
  Error compileWithProfile() const;

  std::string made(StringRef Name) const { return Folder + "/" + Name.str(); }

  const Arguments &Args;
  OptimizePlan Plan;
  const std::string Folder;
  std::string Route = "counters", Profile, Device;
  pgo::OutputFilter Filter;
  /// Of the build without a profile, by the arguments of the run.
  std::map<std::vector<std::string>, pgo::RunOutput> PlainOutputs;
  std::vector<std::vector<std::string>> Judges; ///< Without the program.
};

void say(const Twine &What) {
  outs().flush();
  errs() << "luthier pgo optimize: " << What << '\n';
}

std::string luthierPath() {
  return programPrefix(/*BelowLibexec=*/true) + "/bin/luthier";
}

bool isRelease(StringRef Route) {
  return Route == "probes" || Route == "lines";
}

Error Optimize::checkOptions() const {
  if (!isRelease(Route) && Route != "counters" && Route != "ir" &&
      Route != "cs")
    return misused("--route " + Route +
                   ": counters, ir, cs, probes or lines is expected");
  for (const char *Option : {"--weights", "--calls", "--count-by"})
    if (Args.has(Option) && !isRelease(Route))
      return misused(Twine(Option) + " is of routes probes and lines, not of " +
                     Route);
  for (const auto &[Option, First, Second] :
       {std::tuple("--weights", "waves", "lanes"),
        {"--count-by", "emulator", "hooks"}})
    if (const std::string *Text = Args.value(Option);
        Text && *Text != First && *Text != Second)
      return misused(Twine(Option) + " " + *Text + ": " + First + " or " +
                     Second + " is expected");
  return Error::success();
}

Error Optimize::readOptions() {
  if (const std::string *Name = Args.value("--route"))
    Route = *Name;
  if (Error E = checkOptions())
    return E;
  const std::string *Path = Args.value("-o");
  Profile = Path ? *Path : Plan.Program + ".prof";
  if (const std::string *Name = Args.value("--device"))
    Device = *Name;
  if (StringRef(Device).contains(','))
    return misused("--device " + Device + ": one GPU is expected");
  Expected<pgo::OutputFilter> Given = outputFilter(Args);
  if (!Given)
    return Given.takeError();
  Filter = std::move(*Given);
  for (const std::string &Text : Args.values("--judge")) {
    BumpPtrAllocator Memory;
    StringSaver Saver(Memory);
    SmallVector<const char *> Words;
    cl::TokenizeGNUCommandLine(Text, Saver, Words);
    auto Run =
        Plan.argumentsOf(std::vector<std::string>(Words.begin(), Words.end()));
    if (!Run)
      return Run.takeError();
    Judges.push_back(std::move(*Run));
  }
  if (Judges.empty())
    Judges = Plan.Runs;
  return Error::success();
}

Error Optimize::compile(ArrayRef<std::string> Flags,
                        const std::string &To) const {
  if (!Plan.BuildCommand.empty())
    return build(Flags, To);
  if (const int Code = runAndWait(Plan.Compile.with(Flags, To)))
    return failedBy(Code, "the compiler ended with " + Twine(Code));
  return Error::success();
}

/// What another build has left there is no program of this one's.
Error Optimize::build(ArrayRef<std::string> Flags,
                      const std::string &To) const {
  sys::fs::remove(Plan.Program);
  ::setenv(FlagsVariable, quoted(Flags).c_str(), /*overwrite=*/1);
  if (const int Code = runAndWait(Plan.BuildCommand))
    return failedBy(Code, "the build ended with " + Twine(Code));
  if (!sys::fs::exists(Plan.Program))
    return failed("the build has made no " + Plan.Program);
  return putInPlace(Plan.Program, To);
}

/// Of builds that count by the flags.
Error Optimize::checkUsesFlags(const std::string &Program) const {
  if (Plan.BuildCommand.empty() || isRelease(Route) ||
      contentsOf(Program) != contentsOf(made("before")))
    return Error::success();
  return failed("no profile: the build makes the same program whatever is in " +
                Twine(FlagsVariable) +
                ": it does not compile anew, or without these flags");
}

/// Words for luthier, then those of \p Program.
std::vector<std::string> commandOf(ArrayRef<std::string> Luthier,
                                   const std::string &Device,
                                   const std::string &Program,
                                   ArrayRef<std::string> Run) {
  std::vector<std::string> Command = {luthierPath()};
  append_range(Command, Luthier);
  append_range(Command, deviceOption(Device));
  append_range(Command, std::vector<std::string>{"--", Program});
  append_range(Command, Run);
  return Command;
}

Expected<pgo::RunOutput>
Optimize::runPrinting(ArrayRef<std::string> Command) const {
  return runToCompare(
      Args,
      [&](const std::string &Input, std::string &Printed) -> Expected<int> {
        const std::string Path = made("printed");
        const int Code = runWith(Command, {Input, Path, ""});
        Printed = contentsOf(Path).value_or("");
        return Code;
      });
}

Error Optimize::countInto(ArrayRef<std::string> Run,
                          const std::string &Program) {
  std::vector<std::string> Words = {"pgo", "collect", "--add", "-o",
                                    made("profile")};
  for (const char *Option : {"--weights", "--count-by"})
    if (const std::string *Value = Args.value(Option))
      append_range(Words, std::vector<std::string>{Option, *Value});
  if (Args.has("--calls"))
    Words.push_back("--calls");
  auto Counting = runPrinting(commandOf(Words, Device, Program, Run));
  if (!Counting)
    return Counting.takeError();
  if (const int Code = Counting->ExitCode)
    return failedBy(Code, "no profile: collect ended with " + Twine(Code));
  return checkSame(Run, *Counting);
}

/// A build that is compiled wrongly counts what another program does.
Error Optimize::checkSame(ArrayRef<std::string> Run,
                          const pgo::RunOutput &Counting) {
  const auto [Its, IsNew] = PlainOutputs.try_emplace(Run.vec());
  pgo::RunOutput &Plain = Its->second;
  if (IsNew) {
    auto Output = runPrinting(commandOf({"run"}, Device, made("before"), Run));
    if (!Output)
      return Output.takeError();
    if (Output->ExitCode == Interrupted)
      return failedBy(Interrupted, "the program was interrupted");
    Plain = std::move(*Output);
  }
  const std::string Difference = pgo::differenceOf(Plain, Counting, Filter);
  if (Difference.empty())
    return Error::success();
  return failed("no profile: the build that counts does something else than "
                "the one without a profile: " +
                Difference +
                (pgo::differsLikeRounding(Plain, Counting, Filter)
                     ? Twine("; ") + pgo::RoundingHint
                     : Twine()));
}

/// Adds up all runs of a build of one route. Of a second round, \p First is the
/// profile of the first.
Error Optimize::countBy(StringRef Name, const std::string &First) {
  auto Major = pgo::askClangMajor(Plan.Compile.compiler());
  if (!Major)
    return Major.takeError();
  auto Its = pgo::findRoute(Name, *Major);
  if (!Its)
    return Its.takeError();
  auto Flags = pgo::expand(
      flagsOf(**Its, pgo::Build::Collect, Plan.Compile.linksUnits()),
      {First, "", valueHeader(), linkedCounters()});
  if (!Flags)
    return Flags.takeError();
  say("compiling to collect, route " + Name);
  const std::string Program = made("collecting");
  if (Error E = compile(*Flags, Program))
    return E;
  if (Error E = checkUsesFlags(Program))
    return E;
  for (const std::vector<std::string> &Run : Plan.Runs) {
    say("collecting: " + Plan.textOf(Run));
    if (Error E = countInto(Run, Program))
      return E;
  }
  return Error::success();
}

Error Optimize::collect() {
  std::string First;
  if (Route == "cs") {
    if (Error E = countBy("ir", ""))
      return E;
    First = made("first");
    if (Error E = putInPlace(made("profile"), First))
      return E;
  }
  if (Error E = countBy(Route, First))
    return E;
  return putInPlace(made("profile"), Profile);
}

Expected<Verdict> Optimize::judge() const {
  Verdict Result;
  const std::string *By = Args.value("--by");
  Result.ByInstructions = By && *By == "instructions";
  for (const std::vector<std::string> &Run : Judges) {
    say("judging: " + Plan.textOf(Run));
    const std::string Report = made("verdict.json");
    std::vector<std::string> Command = {
        luthierPath(),  "pgo",     "judge",       "--before",
        made("before"), "--after", made("after"), "--drop-worse",
        Profile,        "--json",  Report};
    append_range(Command, deviceOption(Device));
    for (const char *Option :
         {"--by", "--tolerance", "--input", "--compare", "--ignore", "--code"})
      for (const std::string &Value : Args.values(Option))
        append_range(Command, std::vector<std::string>{Option, Value});
    Command.push_back("--");
    append_range(Command, Run);
    sys::fs::remove(Report);
    const int Code = runAndWait(Command);
    if (Error E = Result.add(Report, Code))
      return std::move(E);
  }
  return Result;
}

/// It was collected from this source just now.
Error Optimize::compileWithProfile() const {
  const std::string *Libraries = Args.value("--device-libraries");
  if (!Plan.BuildCommand.empty()) {
    // The build's compilers may be started elsewhere.
    SmallString<128> Path = StringRef(Profile);
    if (std::error_code Failure = sys::fs::make_absolute(Path))
      return failed(Profile + ": " + Failure.message());
    ProfileUse Use(Plan.Compile, Path.str().str(), Folder);
    if (Libraries)
      Use.SampleLibraries = *Libraries;
    Use.IsChecked = false;
    auto Flags = Use.findFlags();
    return Flags ? build(*Flags, made("after")) : Flags.takeError();
  }
  std::vector<std::string> Command = {luthierPath(), "pgo", "apply",
                                      "--no-check"};
  if (Libraries)
    append_range(Command,
                 std::vector<std::string>{"--device-libraries", *Libraries});
  append_range(Command, std::vector<std::string>{Profile, "--"});
  append_range(Command, Plan.Compile.with({}, made("after")));
  if (const int Code = runAndWait(Command))
    return failedBy(Code, "apply ended with " + Twine(Code));
  return Error::success();
}

/// Whether the build with the profile is the better one. Fails if it is not
/// right.
Expected<bool> Optimize::judgeUntilNoneIsWorse() {
  std::set<std::string> Dropped;
  while (true) {
    say("compiling with the profile");
    if (Error E = compileWithProfile())
      return std::move(E);
    Expected<Verdict> Its = judge();
    if (!Its)
      return Its.takeError();
    if (!Its->IsSame)
      return failed("the build with the profile prints something else");
    if (Its->Worse.empty())
      return Its->isGain();
    const size_t Before = Dropped.size();
    Dropped.insert(Its->Worse.begin(), Its->Worse.end());
    if (Dropped.size() != Before)
      continue;
    for (const std::string &Name : Its->Worse)
      say(readableName(Name) + " is worse though it is not in the profile");
    return Its->isGain();
  }
}

Expected<int> Optimize::run() {
  if (Error E = readOptions())
    return std::move(E);
  say("compiling without a profile");
  // A build makes the program in its place.
  const bool WasThere =
      !Plan.BuildCommand.empty() && sys::fs::exists(Plan.Program);
  if (WasThere)
    if (Error E = putInPlace(Plan.Program, made("earlier")))
      return std::move(E);
  if (Error E = compile({}, made("before"))) {
    if (WasThere)
      E = joinErrors(std::move(E), putInPlace(made("earlier"), Plan.Program));
    return std::move(E);
  }
  Error Why = collect();
  bool IsUsed = false;
  if (!Why) {
    Expected<bool> IsBetter = judgeUntilNoneIsWorse();
    IsUsed = IsBetter && *IsBetter;
    Why = IsBetter.takeError();
  }
  if (isInterruption(Why)) {
    // A build has put the last one there.
    if (!Plan.BuildCommand.empty())
      if (Error E = putInPlace(made("before"), Plan.Program))
        say(detailOf(std::move(E)));
    return std::move(Why);
  }
  const std::string &Program = Plan.Program;
  Error Misplaced = putInPlace(made(IsUsed ? "after" : "before"), Program);
  const bool IsPlain = bool(Why);
  if (IsPlain)
    say(detailOf(std::move(Why)));
  if (Misplaced)
    return std::move(Misplaced);
  if (IsPlain) {
    say(Program + " is compiled without a profile");
    return Args.has("--lenient") ? Success : ProfileRefused;
  }
  say(Program + (IsUsed ? " is compiled with " + Profile
                        : " is compiled without a profile, which brings "
                          "nothing here"));
  return Success;
}

Expected<int> optimize(const Arguments &Args,
                       ArrayRef<std::vector<std::string>> Parts) {
  if (!Args.positional().empty())
    return misused("'" + Args.positional().front() +
                   "' stands before the first --");
  std::optional<OptimizePlan::Build> Build;
  if (const std::string *Program = Args.value("--program")) {
    const std::string *Compiler = Args.value("--compiler");
    Build = {*Program, Compiler ? *Compiler : LUTHIER_PGO_CLANGXX,
             Args.has("--rdc")};
  } else {
    for (const char *Option : {"--compiler", "--rdc"})
      if (Args.has(Option))
        return misused(Twine(Option) + " is of builds, with --program");
  }
  auto Plan = OptimizePlan::read(Parts, Build);
  if (!Plan)
    return Plan.takeError();
  try {
    const TemporaryFolder Folder("luthier-pgo");
    return Optimize(Args, std::move(*Plan), Folder.path()).run();
  } catch (const RunError &E) {
    return failed(E.what());
  }
}

} // namespace

int pgoOptimizeCommand(int Argc, char **Argv) {
  const CommandParts Parts = splitAtDashes(Argc, Argv);
  return runParsed(
      Parts.OwnCount, Argv,
      {Help,
       {{"--route", true},
        {"--weights", true},
        {"--calls"},
        {"--count-by", true},
        {"--device-libraries", true},
        {"--program", true},
        {"--compiler", true},
        {"--rdc"},
        {"-o", true},
        {"--judge", true, false, true},
        {"--by", true},
        {"--tolerance", true},
        {"--input", true},
        {"--compare", true, false, true},
        {"--ignore", true, false, true},
        {"--code", true, false, true},
        {"--device", true},
        {"--lenient"}}},
      [&](const Arguments &Args) { return optimize(Args, Parts.Others); });
}

} // namespace luthier::cli
