// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier-pgo`: profile-guided optimisation. Started by `luthier` with the
// command's name in argv[0], see Commands.h.
#include "cli/Commands.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace luthier::cli;

int main(int Argc, char **Argv) {
  if (Argc && llvm::StringRef(Argv[0]) == "pgo")
    return pgoCommand(Argc, Argv);
  llvm::errs() << "luthier: error: luthier-pgo is started by luthier\n";
  return Misuse;
}
