// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier verify -- PROGRAM`: runs it on the emulated GPU, which compares the
// instrumented versions of its kernels with the originals.
#include "cli/Commands.h"
#include "cli/RunProgram.h"
#include "cli/VerifyHelp.h"
#include "cli/VerifyReport.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace luthier::cli {
namespace {

constexpr const char *TimeoutVariable = "LUTHIER_VERIFY_TIMEOUT";

/// Takes --timeout out of \p Arguments, the rest of which is as for `run`.
std::string takeTimeout(std::vector<std::string> &Arguments) {
  constexpr std::string_view Name = "--timeout";
  std::string Value;
  for (size_t I = 0; I < Arguments.size() && Arguments[I] != "--"; ++I) {
    if (!Arguments[I].starts_with(Name))
      continue;
    const bool HasValue = Arguments[I].starts_with("--timeout=");
    if (HasValue)
      Value = Arguments[I].substr(Name.size() + 1);
    else if (Arguments[I] == Name && I + 1 < Arguments.size())
      Value = Arguments[I + 1];
    if (Value.empty() ||
        Value.find_first_not_of("0123456789") != std::string::npos)
      throw RunError("--timeout needs a number of seconds");
    Arguments.erase(Arguments.begin() + ptrdiff_t(I),
                    Arguments.begin() + ptrdiff_t(I + (HasValue ? 1 : 2)));
    break;
  }
  return Value;
}

/// A folder that goes away with this object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::error_code Ignored;
    Path =
        std::filesystem::temp_directory_path(Ignored) / "luthier-verify-XXXXXX";
    if (!::mkdtemp(Path.data()))
      throw RunError("cannot make a folder in " +
                     Path.substr(0, Path.rfind('/')) + ": " +
                     std::strerror(errno));
  }
  ~TemporaryFolder() {
    std::error_code Ignored;
    std::filesystem::remove_all(Path, Ignored);
  }
  const std::string &path() const { return Path; }

private:
  std::string Path;
};

/// The program's exit code, or 128 and its signal, as shells have it.
int runAndWait(const std::vector<std::string> &Command) {
  // The keyboard's signals are for the program.
  const auto OldInt = std::signal(SIGINT, SIG_IGN);
  const auto OldQuit = std::signal(SIGQUIT, SIG_IGN);
  const pid_t Child = ::fork();
  if (Child < 0)
    throw RunError(std::string("cannot start a process: ") +
                   std::strerror(errno));
  if (Child == 0) {
    std::signal(SIGINT, OldInt);
    std::signal(SIGQUIT, OldQuit);
    ::_exit(become(Command));
  }
  int Status = 0;
  while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  return WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
}

void chooseDefaults(RunOptions &Options, const Surroundings &Around) {
  if (Options.Tools.empty())
    Options.Tools.push_back(judgingTool(Around));
  if (Options.Device.empty()) {
    auto Named = Around.Variable("LUTHIER_EMULATED_GPU");
    Options.Device = Named ? "emulated:" + *Named : "emulated";
  }
  if (!Options.Device.starts_with("emulated"))
    throw RunError("--device " + Options.Device +
                   ": only an emulated device can verify");
}

int verify(std::vector<std::string> Arguments) {
  const std::string Timeout = takeTimeout(Arguments);
  RunOptions Options = parseRunArguments(Arguments);
  if (Options.Help) {
    std::fputs(VerifyHelp, stdout);
    return Success;
  }
  const Surroundings Around = lookAround();
  chooseDefaults(Options, Around);
  const TemporaryFolder Folder;
  if (Options.Output.empty())
    Options.Output = Folder.path();
  const std::string Report = Folder.path() + "/report";
  setUp(planRun(Options, Around));
  ::setenv("LUTHIER_VERIFY", Report.c_str(), /*overwrite=*/1);
  if (!Timeout.empty())
    ::setenv(TimeoutVariable, Timeout.c_str(), /*overwrite=*/1);

  std::string Tools;
  for (const std::string &Tool : Options.Tools)
    Tools += (Tools.empty() ? "" : ", ") + Tool;
  const int Code = runAndWait(Options.Command);
  std::ifstream File(Report);
  const VerifyReport Found = VerifyReport::read(File);
  std::fputs(Found.text(Tools).c_str(), stderr);
  if (Code)
    std::fprintf(stderr, "luthier verify: the program ended with %d\n", Code);
  if (Found.differs())
    return Failed;
  return Code || Found.hasCompared() ? Code : Failed;
}

} // namespace

int verifyCommand(int Argc, char **Argv) {
  try {
    return verify({Argv + 1, Argv + Argc});
  } catch (const RunError &E) {
    std::fprintf(stderr, "luthier: error: %s; see luthier verify --help\n",
                 E.what());
  }
  return Misuse;
}

} // namespace luthier::cli
