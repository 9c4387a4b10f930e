// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo apply`: the user's command to compile, with a profile for the
// code of devices, unless that is not the profile of this code.
#include "cli/ChildProgram.h"
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "cli/PgoCommands.h"
#include "cli/ProfileUse.h"
#include "cli/RunProgram.h"
#include "luthier/Refusal.h"
#include "pgo/CompileCommand.h"
#include "pgo/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <list>
#include <map>

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo apply [options] PROFILE... -- COMPILER [ARGUMENTS...]

Runs the command that compiles a program, with PROFILE for its device code
alone. The flags follow from how the profile was collected; those of the
optimisation have to be the same as then. If the program is compiled for
several targets, each may have its own profile of counters.

First, the source is compiled for the device as it was to collect, and compared
with the profile. Functions that have changed since are named (stale-profile)
and compiled as without a profile. A profile of another target (other-target),
of another version of LLVM, or that is damaged, is not used at all. The program
is compiled in any case.

options:
  --route ROUTE    fails if the profile was collected in another way
  --device-libraries DIR
                   for profiles of samples: device libraries that may be inlined
                   into functions with such a profile; default: a copy of those
                   that the compiler takes
  --no-check       does not compile to compare: clang finds by itself which
                   functions have changed, but for profiles by lines
  --lenient        exit with 0 where the profile, or a part of it, is not used
  --help           this text

The exit code is the compiler's own if that is not 0; 4 if the program was
compiled, but the profile or a part of it was not used.

example:
  luthier pgo apply app.profdata -- clang++ -x hip -O3 app.hip -o app
)";

/// The flags of profiles, and whether all of them are used. Each is for targets
/// of its own if there are several.
class Apply {
public:
  Apply(const Arguments &Args, const pgo::CompileCommand &Command)
      : Args(Args), Command(Command) {}

  /// Fails only if the user interrupts it.
  Error add(const std::string &Profile);
  ArrayRef<std::string> flags() const { return Flags; }
  bool isWhole() const { return IsWhole; }

private:
  Expected<std::vector<std::string>> flagsOf(const std::string &Profile);
  void addFlags(ArrayRef<std::string> More);

  const Arguments &Args;
  const pgo::CompileCommand &Command;
  std::list<TemporaryFolder> Folders; ///< Flags name files in them.
  std::vector<std::string> Flags;
  std::map<std::string, std::string> ProfileOf; ///< By target.
  bool IsWhole = true;
};

Expected<std::vector<std::string>> Apply::flagsOf(const std::string &Profile) {
  ProfileUse Use(Command, Profile, Folders.emplace_back("luthier-pgo").path());
  if (const std::string *Route = Args.value("--route"))
    Use.Route = *Route;
  if (const std::string *Libraries = Args.value("--device-libraries"))
    Use.SampleLibraries = *Libraries;
  Use.IsChecked = !Args.has("--no-check");
  Use.IsOneOfSeveral = Args.positional().size() > 1;
  auto Found = Use.findFlags();
  IsWhole &= Use.isWhole();
  if (Found)
    for (const std::string &Target : Use.targets())
      if (const auto [Its, IsNew] = ProfileOf.try_emplace(Target, Profile);
          !IsNew)
        return pgo::problem(pgo::ProblemKind::Target,
                            Profile + " and " + Its->second + " are both of " +
                                Target);
  return Found;
}

/// LLVM's own options are given once, which all profiles of counters share. A
/// word that is for the next one goes with that.
void Apply::addFlags(ArrayRef<std::string> More) {
  for (size_t I = 0; I != More.size(); ++I) {
    const bool IsPair =
        (More[I].starts_with("-Xarch_") || More[I] == "-Xclang") &&
        I + 1 != More.size();
    const auto Words = More.slice(I, IsPair ? 2 : 1);
    if (std::search(Flags.begin(), Flags.end(), Words.begin(), Words.end()) ==
        Flags.end())
      append_range(Flags, Words);
    I += IsPair;
  }
}

Error Apply::add(const std::string &Profile) {
  auto Found = flagsOf(Profile);
  if (Found) {
    addFlags(*Found);
    return Error::success();
  }
  IsWhole = false;
  Error Why = Found.takeError();
  if (isInterruption(Why))
    return Why;
  errs() << "luthier pgo: " << detailOf(std::move(Why))
         << "\nluthier pgo: compiling without the profile\n";
  return Error::success();
}

Expected<int> compile(const Arguments &Args, ArrayRef<std::string> Words) {
  if (Args.positional().empty())
    return misused("no profile given; see luthier pgo apply --help");
  if (Words.empty())
    return misused("no command to compile with is given; see luthier pgo "
                   "apply --help");
  auto Command = pgo::CompileCommand::read(Words);
  if (!Command)
    return Command.takeError();
  try {
    Apply All(Args, *Command);
    for (const std::string &Profile : Args.positional())
      if (Error E = All.add(Profile))
        return std::move(E);
    const int Code = runAndWait(Command->with(All.flags()));
    return Code || All.isWhole() || Args.has("--lenient") ? Code
                                                          : ProfileRefused;
  } catch (const RunError &E) {
    return failed(E.what());
  }
}

} // namespace

int pgoApplyCommand(int Argc, char **Argv) {
  const CommandParts Parts = splitAtDashes(Argc, Argv, /*MaxOthers=*/1);
  const std::vector<std::string> Words =
      Parts.Others.empty() ? std::vector<std::string>() : Parts.Others.front();
  return runParsed(Parts.OwnCount, Argv,
                   {Help,
                    {{"--route", true},
                     {"--device-libraries", true},
                     {"--no-check"},
                     {"--lenient"}}},
                   [&](const Arguments &Args) { return compile(Args, Words); });
}

} // namespace luthier::cli
