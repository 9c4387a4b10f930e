// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of two builds whose output is compared: the options that say how, which
// several commands have, and what a run leaves.
#ifndef LUTHIER_CLI_COMPAREDRUN_H
#define LUTHIER_CLI_COMPAREDRUN_H

#include "cli/Arguments.h"
#include "pgo/RunOutput.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace luthier::cli {

/// What --ignore leaves out.
llvm::Expected<pgo::OutputFilter> outputFilter(const Arguments &Args);

/// \p Run is given what the program is to read, has to say what it printed, and
/// returns its exit code. Files that --compare names are put aside before: what
/// an earlier run wrote is not this run's. Those that this run does not write
/// are there again behind it.
llvm::Expected<pgo::RunOutput>
runToCompare(const Arguments &Args,
             llvm::function_ref<llvm::Expected<int>(const std::string &Input,
                                                    std::string &Printed)>
                 Run);

/// Fails for a file that --compare names if neither build has written it.
llvm::Error checkWritten(const pgo::RunOutput &Before,
                         const pgo::RunOutput &After);

} // namespace luthier::cli

#endif // LUTHIER_CLI_COMPAREDRUN_H
