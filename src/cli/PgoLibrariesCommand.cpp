// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo libraries`: device libraries for profiles of samples.
#include "cli/FileCommand.h"
#include "cli/PgoCommands.h"
#include "pgo/SampleLibraries.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo libraries FOLDER -o DIR

Copies device libraries (*.bc), so that clang may inline them into functions with
a profile of samples, which it does not with others. luthier pgo apply makes such
a copy by itself. luthier pgo flags use names that of the ROCm that Luthier was
built for; for another ROCm, give DIR to its --device-libraries.

options:
  -o DIR             where to; made if need be
  --help             this text

example:
  luthier pgo libraries /opt/rocm/amdgcn/bitcode -o device-libs-samples
)";

Expected<int> make(const Arguments &Args, const std::string &From) {
  const std::string &To = *Args.value("-o");
  auto NumFiles = pgo::makeSampleLibraries(From, To);
  if (!NumFiles)
    return NumFiles.takeError();
  outs() << "luthier pgo: " << To << ": " << *NumFiles << " device libraries\n";
  return Success;
}

} // namespace

int pgoLibrariesCommand(int Argc, char **Argv) {
  return runFileCommand(Argc, Argv, {Help, {{"-o", true}}, {{"-o", ""}}}, make);
}

} // namespace luthier::cli
