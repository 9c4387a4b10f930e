// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier-exec`: the command that needs the emulated GPU. Started by `luthier`
// with the command's name in argv[0], see Commands.h.
#include "cli/Commands.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace luthier::cli;

int main(int Argc, char **Argv) {
  if (Argc && llvm::StringRef(Argv[0]) == "exec")
    return execCommand(Argc, Argv);
  llvm::errs() << "luthier: error: luthier-exec is started by luthier\n";
  return Misuse;
}
