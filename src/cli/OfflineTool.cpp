// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/OfflineTool.h"
#include "cli/FileCommand.h"
#include "cli/RunProgram.h"
#include "luthier/Offline.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {

Expected<std::string> loadOfflineTool(StringRef Given) {
  Surroundings Around = lookAround(programPrefix(/*BelowLibexec=*/true));
  const GivenTool Tool(Given.empty() ? judgingTool(Around) : Given.str());
  std::string Path;
  try {
    Path = findTool(Tool.Name, Around);
  } catch (const RunError &E) {
    return createStringError(inconvertibleErrorCode(), E.what());
  }
  if (Error E = offline::loadTool(Path))
    return std::move(E);
  const std::string Help =
      "luthier run --tool " + Tool.Name + ":help explains its options";
  if (Tool.asksForHelp())
    return misused(Help);
  if (Error E = offline::setToolOptions(Tool.Options))
    return misused(toString(std::move(E)) + "; " + Help);
  return Tool.Name;
}

Expected<std::string> loadOfflineTools(const std::vector<std::string> &Given) {
  if (Given.empty())
    return loadOfflineTool("");
  std::string Names;
  for (const std::string &Each : Given) {
    Expected<std::string> Name = loadOfflineTool(Each);
    if (!Name)
      return Name.takeError();
    Names += (Names.empty() ? "" : ", ") + *Name;
  }
  return Names;
}

int toolOptionsCommand(int Argc, char **Argv) {
  if (Argc != 3)
    return Misuse;
  Error E = offline::loadTool(Argv[1]);
  if (!E)
    E = offline::setToolOptions(Argv[2]);
  if (E) {
    outs() << toString(std::move(E)) << '\n';
    return Misuse;
  }
  outs() << offline::toolOptions();
  return Success;
}

} // namespace luthier::cli
