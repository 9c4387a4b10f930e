// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tool of a command that runs no program.
#ifndef LUTHIER_CLI_OFFLINETOOL_H
#define LUTHIER_CLI_OFFLINETOOL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace luthier::cli {

/// Finds it as `luthier run` does, loads it into this process, and sets its
/// options. \p Given is a GivenTool; empty: the one that `luthier verify` takes
/// if none is named. Gives the name or path. Wrong options are misused().
llvm::Expected<std::string> loadOfflineTool(llvm::StringRef Given);

} // namespace luthier::cli

#endif // LUTHIER_CLI_OFFLINETOOL_H
