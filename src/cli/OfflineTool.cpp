// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/OfflineTool.h"
#include "cli/RunProgram.h"
#include "luthier/Offline.h"
#include <filesystem>

using namespace llvm;

namespace luthier::cli {

Error loadOfflineTool(StringRef NameOrPath) {
  Surroundings Around = lookAround(programPrefix(/*BelowLibexec=*/true));
  std::string Path;
  try {
    Path = findTool(NameOrPath.empty() ? judgingTool(Around) : NameOrPath.str(),
                    Around);
  } catch (const RunError &E) {
    return createStringError(inconvertibleErrorCode(), E.what());
  }
  return offline::loadTool(Path);
}

} // namespace luthier::cli
