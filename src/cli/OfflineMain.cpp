// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier-offline`: the commands that need the engine without a program.
// Started by `luthier` with the command's name in argv[0], see Commands.h.
#include "cli/Commands.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace luthier::cli;

int main(int Argc, char **Argv) {
  const llvm::StringRef Command = Argc ? Argv[0] : "";
  if (Command == "instrument")
    return instrumentCommand(Argc, Argv);
  if (Command == "verify")
    return verifyFileCommand(Argc, Argv);
  if (Command == "tool-options")
    return toolOptionsCommand(Argc, Argv);
  llvm::errs() << "luthier: error: luthier-offline is started by luthier\n";
  return Misuse;
}
