// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a RunPlan to a running program. Uses no LLVM, see Commands.h.
#ifndef LUTHIER_CLI_RUNPROGRAM_H
#define LUTHIER_CLI_RUNPROGRAM_H

#include "cli/RunPlan.h"

namespace luthier::cli {

/// Exit codes of shells.
inline constexpr int CannotStart = 126, NotFound = 127;

/// The folder above bin/ and lib/, for a program that lies in bin/ or in
/// libexec/luthier/.
std::string programPrefix(bool BelowLibexec = false);

/// Why the kernel's driver has no GPU for this process; empty if it has one.
/// \p Root stands before all paths.
std::string whyNoGPU(const std::string &Root = "");

/// Those of this process.
Surroundings lookAround(std::string Prefix = programPrefix());

/// Sets this process's environment, creates the output directory, says what
/// there is to say. Throws RunError.
void setUp(const RunPlan &Plan);

/// Prints the options of a tool, found by its name or path; gives an exit code.
/// Throws RunError.
int printToolOptions(const std::string &Tool, const Surroundings &Around);

/// Whether the file is an ELF for AMD GPUs.
bool isForGPUs(const std::string &Path);

/// Returns, with an exit code, only if the program cannot be started.
int become(const std::vector<std::string> &Command);

} // namespace luthier::cli

#endif // LUTHIER_CLI_RUNPROGRAM_H
