// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier-inspect`: the commands that need LLVM. Started by `luthier` with the
// command's name in argv[0], see Commands.h.
#include "cli/Commands.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace luthier::cli;

int main(int Argc, char **Argv) {
  const llvm::StringRef Command = Argc ? Argv[0] : "";
  if (Command == "info")
    return infoCommand(Argc, Argv);
  if (Command == "lift")
    return liftCommand(Argc, Argv);
  if (Command == "cache")
    return cacheCommand(Argc, Argv);
  llvm::errs() << "luthier: error: luthier-inspect is started by luthier\n";
  return Misuse;
}
