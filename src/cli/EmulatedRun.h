// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program started as `luthier run` would, for commands that want to know what
// it executed.
#ifndef LUTHIER_CLI_EMULATEDRUN_H
#define LUTHIER_CLI_EMULATEDRUN_H

#include "cli/ChildProgram.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace luthier::cli {

struct EmulatedRun {
  std::string Device; ///< As luthier run takes it; empty for its own choice.
  std::vector<std::string> Options; ///< More of luthier run.
  std::vector<std::string> Command;
  std::string Input;    ///< What it reads on stdin; empty for this process's.
  bool IsQuiet = false; ///< What it says on stderr goes nowhere.
};

/// Names of emulated GPUs, separated by commas: --device, with or without
/// "emulated:", or what the environment has, or the usual GPU.
std::string emulatedDevices(const std::string *Given);

/// Runs it to its end and gives its exit code, 128 and the signal's number if
/// one ended it. With \p Printed, that has what it printed on stdout.
llvm::Expected<int> runEmulated(const EmulatedRun &Run, std::string *Printed);

/// Whatever `luthier run --stats` or the like has written for processes to
/// files of \p Folder that begin with \p Name. Those that end with ".new" are
/// left out: they were to take the place of another. The text is empty if a
/// process has only taken the file's name, or nothing can be read.
llvm::Error
forEachReport(const std::string &Folder, llvm::StringRef Name,
              llvm::function_ref<llvm::Error(llvm::StringRef Text)> Use);

/// Runs it as runEmulated() does. Reports go to a folder that %s in its options
/// stands for; those whose names begin with \p Name come to \p Use.
llvm::Expected<int>
runForReports(EmulatedRun Run, std::string *Printed, llvm::StringRef Name,
              llvm::function_ref<llvm::Error(llvm::StringRef Text)> Use);

/// For commands of luthier that are started; nothing if \p Device is empty.
std::vector<std::string> deviceOption(const std::string &Device);

/// Paths of files that stand in for a program's streams; where one is empty,
/// the program has this process's.
struct Streams {
  std::string Input, Output, Errors;
};

/// Runs a program, which is searched for in PATH, as runAndWait() does. Throws
/// RunError.
int runWith(const std::vector<std::string> &Command, const Streams &Its);
/// What it prints goes to a file.
inline int runInto(const std::vector<std::string> &Command,
                   const std::string &To) {
  return runWith(Command, {"", To, ""});
}
/// What it prints goes nowhere; messages do not.
inline int runWithoutOutput(const std::vector<std::string> &Command,
                            const std::string &Input = "") {
  return runWith(Command, {Input, "/dev/null", ""});
}

/// Contents of a file, or nothing if it is not there.
std::optional<std::string> contentsOf(const std::string &Path);

} // namespace luthier::cli

#endif // LUTHIER_CLI_EMULATEDRUN_H
