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

/// A folder that goes away with this object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    // The program may change its directory, so the path has to be absolute.
    std::error_code Failure;
    std::filesystem::path Where = std::filesystem::absolute(
        std::filesystem::temp_directory_path(Failure), Failure);
    if (Failure)
      Where = "/tmp";
    Path = Where / "luthier-verify-XXXXXX";
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

/// The program, for passOn().
volatile pid_t Child = 0;

void passOn(int Signal) { ::kill(Child, Signal); }

/// The program's exit code, or 128 and its signal, as shells have it.
int runAndWait(const std::vector<std::string> &Command) {
  // Who ends this process means the program, whose report is still to be read.
  sigset_t Passed, Before;
  sigemptyset(&Passed);
  sigaddset(&Passed, SIGTERM);
  sigaddset(&Passed, SIGHUP);
  sigprocmask(SIG_BLOCK, &Passed, &Before);
  // The keyboard's signals are for the program.
  const auto OldInt = std::signal(SIGINT, SIG_IGN);
  const auto OldQuit = std::signal(SIGQUIT, SIG_IGN);
  Child = ::fork();
  if (Child < 0)
    throw RunError(std::string("cannot start a process: ") +
                   std::strerror(errno));
  if (Child == 0) {
    std::signal(SIGINT, OldInt);
    std::signal(SIGQUIT, OldQuit);
    sigprocmask(SIG_SETMASK, &Before, nullptr);
    ::_exit(become(Command));
  }
  // But not where the user had it ignored, as nohup does.
  const auto OldTerm = std::signal(SIGTERM, passOn);
  const auto OldHangUp = std::signal(SIGHUP, passOn);
  if (OldHangUp == SIG_IGN)
    std::signal(SIGHUP, SIG_IGN);
  sigprocmask(SIG_SETMASK, &Before, nullptr);
  int Status = 0;
  while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  std::signal(SIGTERM, OldTerm);
  std::signal(SIGHUP, OldHangUp);
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

int verify(const std::vector<std::string> &Arguments) {
  std::string Timeout;
  RunOptions Options = parseRunArguments(Arguments, &Timeout);
  if (Options.Help) {
    std::fputs(VerifyHelp, stdout);
    return Success;
  }
  if (const std::string &Program = Options.Command.front(); isForGPUs(Program))
    throw RunError(Program +
                   " is code for GPUs, not a program; a kernel of it is "
                   "compared by luthier verify " +
                   Program + " --kernel KERNEL, without '--'");
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
