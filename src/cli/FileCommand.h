// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands as all of them begin and end: options, help, and what is said about
// mistakes; and what those about one file share besides.
#ifndef LUTHIER_CLI_FILECOMMAND_H
#define LUTHIER_CLI_FILECOMMAND_H

#include "cli/Arguments.h"
#include "cli/Commands.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace luthier::cli {

struct ParsedCommand {
  const char *Help;
  std::vector<OptionSpec> Options; ///< Besides --help and -h.
};

/// Reads the arguments and does \p Work, which gives the exit code. Its error
/// is reported: see reportError().
int runParsed(
    int Argc, char **Argv, const ParsedCommand &Command,
    llvm::function_ref<llvm::Expected<int>(const Arguments &Args)> Work);

struct FileCommand {
  const char *Help;
  std::vector<OptionSpec> Options; ///< Besides --help and -h.
  /// Options that must be there, and where to read on, as in "luthier info
  /// lists those there are"; empty for the command's help.
  std::vector<std::pair<std::string_view, std::string_view>> Required = {};
};

/// Likewise, with the name of the file.
int runFileCommand(int Argc, char **Argv, const FileCommand &Command,
                   llvm::function_ref<llvm::Expected<int>(
                       const Arguments &Args, const std::string &Path)>
                       Work);

/// Writes a file, or into whatever else has that name.
llvm::Error writeFile(const std::string &Path, llvm::ArrayRef<uint8_t> Bytes);

/// Puts a copy of \p Made in place of \p To, which may be a program that runs,
/// with the permissions of the former. Where that fails, what was there stays,
/// and nothing else is left.
llvm::Error putInPlace(const std::string &Made, const std::string &To);

/// A line of \p Words as a shell reads them back, and LLVM's
/// TokenizeGNUCommandLine().
std::string quoted(llvm::ArrayRef<std::string> Words);

/// An error that is nothing but text for people.
llvm::Error failed(const llvm::Twine &What);

/// Likewise, about what the user asked for.
llvm::Error misused(const llvm::Twine &What);

/// Likewise, since a program ended with \p Code. That may have been the user's
/// wish: see isInterruption().
llvm::Error failedBy(int Code, const llvm::Twine &What);

/// Whether the user ended what failed, by the keyboard.
bool isInterruption(llvm::Error &E);

/// Prints "luthier: error: ..." for \p E, and returns the exit code: Misuse for
/// misused(), Interrupted for an interruption, else Failed.
int reportError(llvm::Error E);

} // namespace luthier::cli

#endif // LUTHIER_CLI_FILECOMMAND_H
