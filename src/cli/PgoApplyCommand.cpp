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
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo apply [options] PROFILE -- COMPILER [ARGUMENTS...]

Runs the command that compiles a program, with PROFILE for its device code
alone. The flags follow from how the profile was collected; those of the
optimisation have to be the same as then.

First, the source is compiled for the device as it was to collect, and compared
with the profile. Functions that have changed since are named (stale-profile)
and compiled as without a profile. A profile of another target (other-target),
of another version of LLVM, or that is damaged, is not used at all. The program
is compiled in any case.

options:
  --route ROUTE    fails if the profile was collected in another way
  --device-libraries DIR
                   for profiles of samples: device libraries that may be inlined
                   into functions with such a profile
  --no-check       does not compile to compare: clang finds by itself which
                   functions have changed, but for profiles by lines
  --lenient        exit with 0 where the profile, or a part of it, is not used
  --help           this text

The exit code is the compiler's own if that is not 0; 4 if the program was
compiled, but the profile or a part of it was not used.

example:
  luthier pgo apply app.profdata -- clang++ -x hip -O3 app.hip -o app
)";

Expected<int> compile(const Arguments &Args, ArrayRef<std::string> Words) {
  const std::string *Profile = Args.single("profile");
  if (!Profile)
    return Misuse;
  if (Words.empty())
    return misused("no command to compile with is given; see luthier pgo "
                   "apply --help");
  auto Command = pgo::CompileCommand::read(Words);
  if (!Command)
    return Command.takeError();
  try {
    const TemporaryFolder Folder("luthier-pgo");
    ProfileUse Use(*Command, *Profile, Folder.path());
    if (const std::string *Route = Args.value("--route"))
      Use.Route = *Route;
    if (const std::string *Libraries = Args.value("--device-libraries"))
      Use.SampleLibraries = *Libraries;
    Use.IsChecked = !Args.has("--no-check");
    auto Flags = Use.findFlags();
    const bool IsWhole = Flags && Use.isWhole();
    if (!Flags) {
      Error Why = Flags.takeError();
      if (isInterruption(Why))
        return std::move(Why);
      errs() << "luthier pgo: " << detailOf(std::move(Why))
             << "\nluthier pgo: compiling without the profile\n";
      Flags = std::vector<std::string>();
    }
    const int Code = runAndWait(Command->with(*Flags));
    return Code || IsWhole || Args.has("--lenient") ? Code : ProfileRefused;
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
