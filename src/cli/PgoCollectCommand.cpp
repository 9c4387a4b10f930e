// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo collect`: runs a program that was compiled to count, and adds up
// the counters of its processes.
#include "cli/ChildProgram.h"
#include "cli/Commands.h"
#include "cli/FileCommand.h"
#include "cli/PgoCommands.h"
#include "cli/RunProgram.h"
#include "pgo/CollectFolder.h"
#include "pgo/Collection.h"
#include "pgo/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo collect [options] [--] PROGRAM [ARGUMENTS...]

Runs PROGRAM, whose kernels were compiled to count (luthier pgo flags collect),
and writes what they counted as a profile for clang. Counters of all loads,
devices and processes are added up. PROGRAM's kernels run as they are.

options:
  -o FILE            the profile (kernels.profdata). Where kernels of several
                     targets have counted, one for each, with the target in its
                     name: kernels.gfx90a.profdata
  --add              adds to profiles that are there, of earlier runs
  --keep-raw DIR     also leaves LLVM's raw profiles there, one for each load
                     of a code object on a device
  --accept-partial   takes what there is as the profile even if a process was
                     killed or launches had not ended; otherwise it becomes
                     kernels.partial.profdata, and the exit code is 1
  --device DEVICE    as in luthier run; its options of the emulated GPU too
  --help             this text

The exit code is the program's own if that is not 0, and 1 if there is no
profile.

example:
  luthier pgo collect -o app.profdata -- ./app-counting input
)";

struct CollectOptions {
  std::string Output = "kernels.profdata";
  std::string RawFolder;
  bool Add = false, AcceptPartial = false, Help = false;
  /// For luthier run.
  std::vector<std::string> Others;
};

/// Takes this command's own options out; the rest is luthier run's.
CollectOptions parse(ArrayRef<std::string> Arguments) {
  CollectOptions Options;
  size_t I = 0;
  const auto TakeValue = [&](StringRef Name, std::string &Value) {
    StringRef Text = Arguments[I];
    if (!Text.consume_front(Name) || (!Text.empty() && Text[0] != '='))
      return false;
    if (Text.empty() && I + 1 == Arguments.size())
      throw RunError(Name.str() + " needs a value");
    Value = Text.empty() ? Arguments[++I] : Text.drop_front().str();
    if (Value.empty())
      throw RunError(Name.str() + " needs a value");
    return true;
  };
  for (; I < Arguments.size() && Arguments[I].starts_with('-'); ++I) {
    const std::string &Text = Arguments[I];
    if (Text == "--")
      break;
    if (Text == "--help" || Text == "-h") {
      Options.Help = true;
    } else if (Text == "--add") {
      Options.Add = true;
    } else if (Text == "--accept-partial") {
      Options.AcceptPartial = true;
    } else if (!TakeValue("-o", Options.Output) &&
               !TakeValue("--keep-raw", Options.RawFolder)) {
      if (StringRef(Text).starts_with("--tool"))
        throw RunError("--tool: tools change kernels, and with them what they "
                       "count");
      Options.Others.push_back(Text);
      // Values that stand apart; luthier run says what is wrong with others.
      if (Text.find('=') == std::string::npos && Text != "--no-cache" &&
          Text != "--strict" && I + 1 < Arguments.size())
        Options.Others.push_back(Arguments[++I]);
    }
  }
  append_range(Options.Others, Arguments.drop_front(I));
  return Options;
}

/// Those of \p From that are not there yet keep their names.
Error keepRaw(const pgo::Collected &From, const std::string &Folder) {
  if (std::error_code Failure = sys::fs::create_directories(Folder))
    return failed(Folder + ": " + Failure.message());
  for (const pgo::Collected::Profile &Profile : From.Profiles) {
    const std::string To =
        Folder + "/" + sys::path::filename(Profile.Path).str();
    if (std::error_code Failure = sys::fs::copy_file(Profile.Path, To))
      return failed(To + ": " + Failure.message());
  }
  return Error::success();
}

/// Says what was written. False if that is not the profile that was asked for.
Expected<bool> writeProfiles(const CollectOptions &Options,
                             const std::string &Folder) {
  auto Found = pgo::readCollectFolder(Folder);
  if (!Found)
    return Found.takeError();
  if (!Options.RawFolder.empty())
    if (Error E = keepRaw(*Found, Options.RawFolder))
      return std::move(E);
  auto Result = pgo::writeCollection(
      *Found, {Options.Output, Options.Add, Options.AcceptPartial});
  if (!Result)
    return Result.takeError();
  for (const std::string &Warning : Result->Warnings)
    errs() << "luthier pgo: " << Warning << '\n';
  for (const pgo::WrittenProfile &Profile : Result->Profiles)
    errs() << "luthier pgo: " << Profile.Path << ": " << Profile.Target << ", "
           << Profile.NumFunctions << " functions, " << Profile.NumLoads
           << (Profile.NumLoads == 1 ? " load\n" : " loads\n");
  return !Result->IsPartial || Options.AcceptPartial;
}

int collect(ArrayRef<std::string> Arguments) {
  const CollectOptions Options = parse(Arguments);
  if (Options.Help) {
    outs() << Help;
    return Success;
  }
  RunOptions Run = parseRunArguments(Options.Others);
  if (Run.Help) {
    outs() << Help;
    return Success;
  }
  const std::string Prefix = programPrefix(/*BelowLibexec=*/true);
  Run.Tools = {Prefix + "/lib/luthier/pgo/libpgo-collector.so"};
  const TemporaryFolder Folder("luthier-pgo");
  Run.Output = Folder.path();
  setUp(planRun(Run, lookAround(Prefix)));
  ::setenv(pgo::CollectFolderVariable, Folder.path().c_str(),
           /*overwrite=*/1);
  const int Code = runAndWait(Run.Command);
  if (Code == NotFound || Code == CannotStart)
    return Code;
  if (Code)
    errs() << "luthier pgo: the program ended with " << Code << '\n';
  Expected<bool> IsComplete = writeProfiles(Options, Folder.path());
  if (!IsComplete)
    return std::max(reportError(IsComplete.takeError()), Code);
  return Code ? Code : *IsComplete ? Success : Failed;
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
