// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tools of a command that runs no program.
#ifndef LUTHIER_CLI_OFFLINETOOL_H
#define LUTHIER_CLI_OFFLINETOOL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace luthier::cli {

/// Finds it as `luthier run` does, loads it into this process, and sets its
/// options. \p Given is a GivenTool; empty: the one that `luthier verify` takes
/// if none is named. Gives the name or path. Wrong options are misused().
llvm::Expected<std::string> loadOfflineTool(llvm::StringRef Given);
/// All that are given, in their order; \p Given may be empty likewise. Gives
/// the names, separated by commas.
llvm::Expected<std::string>
loadOfflineTools(const std::vector<std::string> &Given);

} // namespace luthier::cli

#endif // LUTHIER_CLI_OFFLINETOOL_H
