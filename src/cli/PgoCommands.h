// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of `luthier pgo`, in the program `luthier-pgo`. Each takes the
// arguments from the step's name on, and gives an ExitCode or one of its own.
#ifndef LUTHIER_CLI_PGOCOMMANDS_H
#define LUTHIER_CLI_PGOCOMMANDS_H

namespace luthier::cli {

/// Prints flags for the compiler.
int pgoFlagsCommand(int Argc, char **Argv);
/// Compiles with a profile.
int pgoApplyCommand(int Argc, char **Argv);
/// Compiles with the flags of a build that pgoOptimizeCommand() starts.
int pgoLaunchCommand(int Argc, char **Argv);
/// All steps in one.
int pgoOptimizeCommand(int Argc, char **Argv);
/// Makes device libraries for profiles of samples.
int pgoLibrariesCommand(int Argc, char **Argv);
/// Shows what of a program's kernels was executed.
int pgoShowCommand(int Argc, char **Argv);
/// Shows what of their source was.
int pgoCoverageCommand(int Argc, char **Argv);
/// Compares two builds of a program.
int pgoJudgeCommand(int Argc, char **Argv);

/// Runs a program and writes its profile.
int pgoCollectCommand(int Argc, char **Argv);

} // namespace luthier::cli

#endif // LUTHIER_CLI_PGOCOMMANDS_H
