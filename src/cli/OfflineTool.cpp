// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/OfflineTool.h"
#include "cli/RunProgram.h"
#include "luthier/Offline.h"
#include <filesystem>

using namespace llvm;

namespace luthier::cli {

Expected<std::string> loadOfflineTool(StringRef NameOrPath) {
  Surroundings Around = lookAround(programPrefix(/*BelowLibexec=*/true));
  std::string Name = NameOrPath.str(), Path;
  if (Name.empty())
    Name = judgingTool(Around);
  try {
    Path = findTool(Name, Around);
  } catch (const RunError &E) {
    return createStringError(inconvertibleErrorCode(), E.what());
  }
  if (Error E = offline::loadTool(Path))
    return std::move(E);
  return Name;
}

} // namespace luthier::cli
