// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "cli/RunProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace luthier::cli {
namespace {

/// Puts a file in place of one of this process's descriptors, which programs
/// that it starts inherit, for as long as it lives.
class Redirected {
public:
  explicit Redirected(int FD)
      : FD(FD), Before(::fcntl(FD, F_DUPFD_CLOEXEC, 0)) {}
  ~Redirected() {
    if (Before < 0) { // There was none.
      ::close(FD);
      return;
    }
    ::dup2(Before, FD);
    ::close(Before);
  }
  Redirected(const Redirected &) = delete;
  Redirected &operator=(const Redirected &) = delete;

  /// Nothing if \p Path is empty.
  void to(const std::string &Path, int Flags) {
    if (Path.empty())
      return;
    const int New = ::open(Path.c_str(), Flags | O_CLOEXEC, 0666);
    if (New < 0)
      throw RunError("cannot open " + Path + ": " + std::strerror(errno));
    ::dup2(New, FD);
    ::close(New);
  }

private:
  int FD, Before;
};

std::vector<std::string> commandOf(const EmulatedRun &Run) {
  std::vector<std::string> Command = {
      programPrefix(/*BelowLibexec=*/true) + "/bin/luthier", "run"};
  if (!Run.Device.empty())
    append_range(Command, std::vector<std::string>{"--device", Run.Device});
  append_range(Command, Run.Options);
  Command.push_back("--");
  append_range(Command, Run.Command);
  return Command;
}

} // namespace

std::string emulatedDevices(const std::string *Given) {
  if (Given)
    return StringRef(*Given).starts_with("emulated:")
               ? Given->substr(strlen("emulated:"))
               : *Given;
  const char *Named = std::getenv("LUTHIER_EMULATED_GPU");
  return Named && *Named ? Named : DefaultEmulatedDevice;
}

Expected<int> runEmulated(const EmulatedRun &Run, std::string *Printed) {
  try {
    const TemporaryFolder Folder("luthier-output");
    const std::string Path = Folder.path() + "/stdout";
    const int Code = runWith(commandOf(Run), {Run.Input, Printed ? Path : "",
                                              Run.IsQuiet ? "/dev/null" : ""});
    if (Printed)
      *Printed = contentsOf(Path).value_or("");
    if (Code == NotFound || Code == CannotStart)
      return failed("cannot run " + Run.Command.front());
    return Code;
  } catch (const RunError &E) {
    return failed(E.what());
  }
}

Error forEachReport(const std::string &Folder, StringRef Name,
                    function_ref<Error(StringRef)> Use) {
  std::error_code Wrong;
  std::vector<std::string> Paths;
  for (sys::fs::directory_iterator It(Folder, Wrong), End; It != End && !Wrong;
       It.increment(Wrong))
    if (const StringRef File = sys::path::filename(It->path());
        File.starts_with(Name) && !File.ends_with(".new"))
      Paths.push_back(It->path());
  if (Wrong)
    return failed("cannot read " + Folder + ": " + Wrong.message());
  sort(Paths);
  for (const std::string &Path : Paths)
    if (Error E = Use(contentsOf(Path).value_or("")))
      return E;
  return Error::success();
}

Expected<int> runForReports(EmulatedRun Run, std::string *Printed,
                            StringRef Name,
                            function_ref<Error(StringRef)> Use) {
  try {
    const TemporaryFolder Folder("luthier-reports");
    for (std::string &Option : Run.Options)
      if (const size_t At = Option.find("%s"); At != std::string::npos)
        Option.replace(At, 2, Folder.path());
    Expected<int> Code = runEmulated(Run, Printed);
    if (!Code)
      return Code.takeError();
    if (Error E = forEachReport(Folder.path(), Name, Use))
      return std::move(E);
    return *Code;
  } catch (const RunError &E) {
    return failed(E.what());
  }
}

std::vector<std::string> deviceOption(const std::string &Device) {
  if (Device.empty())
    return {};
  return {"--device", "emulated:" + emulatedDevices(&Device)};
}

int runWith(const std::vector<std::string> &Command, const Streams &Its) {
  constexpr int Written = O_WRONLY | O_CREAT | O_TRUNC;
  outs().flush();
  Redirected In(STDIN_FILENO), Out(STDOUT_FILENO), Err(STDERR_FILENO);
  In.to(Its.Input, O_RDONLY);
  Out.to(Its.Output, Written);
  Err.to(Its.Errors, Written);
  return runAndWait(Command);
}

std::optional<std::string> contentsOf(const std::string &Path) {
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false,
                                    /*IsVolatile=*/true);
  if (!File)
    return std::nullopt;
  return (*File)->getBuffer().str();
}

} // namespace luthier::cli
