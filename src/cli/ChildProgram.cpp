// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/ChildProgram.h"
#include "cli/RunProgram.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace luthier::cli {

TemporaryFolder::TemporaryFolder(const std::string &Prefix) {
  // The program may change its directory, so the path has to be absolute.
  std::error_code Failure;
  std::filesystem::path Where = std::filesystem::absolute(
      std::filesystem::temp_directory_path(Failure), Failure);
  if (Failure)
    Where = "/tmp";
  Path = Where / (Prefix + "-XXXXXX");
  if (!::mkdtemp(Path.data()))
    throw RunError("cannot make a folder in " +
                   Path.substr(0, Path.rfind('/')) + ": " +
                   std::strerror(errno));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code Ignored;
  std::filesystem::remove_all(Path, Ignored);
}

namespace {

/// The program, for passOn().
volatile pid_t Child = 0;

void passOn(int Signal) { ::kill(Child, Signal); }

} // namespace

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
  std::signal(SIGINT, OldInt);
  std::signal(SIGQUIT, OldQuit);
  std::signal(SIGTERM, OldTerm);
  std::signal(SIGHUP, OldHangUp);
  return WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
}

} // namespace luthier::cli
