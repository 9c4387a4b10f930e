// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of `luthier`. They live in several programs, because loading
// libLLVM takes longer than everything `luthier run` does itself:
//  - `luthier` knows the commands, runs programs (`run`, `verify -- PROGRAM`),
//    and uses no LLVM at all;
//  - `libexec/luthier/luthier-inspect` holds the commands that read code
//    objects and the cache; `luthier` replaces itself with it;
//  - `libexec/luthier/luthier-exec` likewise runs kernels on the emulated GPU;
//  - `libexec/luthier/luthier-offline` loads tools, instruments files, and
//    verifies them on the emulated GPU;
//  - `libexec/luthier/luthier-pgo` holds the steps of profile-guided
//    optimisation, see PgoCommands.h.
#ifndef LUTHIER_CLI_COMMANDS_H
#define LUTHIER_CLI_COMMANDS_H

namespace luthier::cli {

/// Exit codes besides a command's own.
enum ExitCode {
  Success = 0,
  Failed = 1,         ///< The command could not do what it was asked.
  Misuse = 2,         ///< Unknown command or option, missing argument.
  Unchanged = 3,      ///< Of --fail-if-unchanged: no kernel was instrumented.
  ProfileRefused = 4, ///< Of pgo apply: compiled, but not by the whole profile.
  Interrupted = 130,  ///< By the keyboard: 128 and SIGINT, as shells have it.
};

// Each takes the arguments from the command's name on: Argv[0] is "run".
// Argv[Argc] is null, as in main().

/// In `luthier`: starts a program under tools. Returns only if it cannot.
int runCommand(int Argc, char **Argv);
/// In `luthier`: runs a program and compares its kernels with instrumented
/// versions.
int verifyCommand(int Argc, char **Argv);

/// In `luthier-inspect`.
int infoCommand(int Argc, char **Argv);
int liftCommand(int Argc, char **Argv);
/// Manages the cache of compiled hooks.
int cacheCommand(int Argc, char **Argv);

/// In `luthier-exec`.
int execCommand(int Argc, char **Argv);

/// In `luthier-offline`.
int instrumentCommand(int Argc, char **Argv);
/// Compares a kernel of a file with its instrumented version.
int verifyFileCommand(int Argc, char **Argv);
/// For `luthier run`: of the tool in the file Argv[1], prints the options, or
/// what is wrong with those that Argv[2] gives it.
int toolOptionsCommand(int Argc, char **Argv);

/// In `luthier-pgo`.
int pgoCommand(int Argc, char **Argv);

} // namespace luthier::cli

#endif // LUTHIER_CLI_COMMANDS_H
