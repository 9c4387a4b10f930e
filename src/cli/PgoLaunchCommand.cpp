// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo launch`: stands before the compiler in a build of several
// commands, and adds the flags that `luthier pgo optimize` has for it.
#include "cli/FileCommand.h"
#include "cli/OptimizePlan.h"
#include "cli/PgoCommands.h"
#include "cli/RunProgram.h"
#include "llvm/Support/CommandLine.h"
#include <cstdlib>

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier pgo launch [--] COMPILER [ARGUMENTS...]

Runs a command of a build, and adds the flags in the environment variable
LUTHIER_PGO_FLAGS if it compiles HIP source, or links it for the GPU (-fgpu-rdc).
luthier pgo optimize --program sets the variable. COMPILER may be ccache, which
is followed by the compiler.

options:
  --help             this text

The exit code is the command's.

examples:
  CMAKE_HIP_COMPILER_LAUNCHER='luthier;pgo;launch' cmake -B build
  make 'CXX=luthier pgo launch clang++'
)";

Expected<int> launch(ArrayRef<std::string> Words) {
  if (Words.empty())
    return misused("no command given; see luthier pgo launch --help");
  const char *Text = std::getenv(FlagsVariable);
  if (!Text)
    return become(Words);
  auto Command = pgo::CompileCommand::read(Words);
  if (!Command)
    return Command.takeError();
  const bool IsForDevices =
      any_of(Command->inputs(),
             [&](size_t Input) { return Command->isSource(Input); }) ||
      (Command->links() && Command->linksUnits());
  if (!IsForDevices)
    return become(Words);
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *> Flags;
  cl::TokenizeGNUCommandLine(Text, Saver, Flags);
  return become(
      Command->with(std::vector<std::string>(Flags.begin(), Flags.end())));
}

} // namespace

int pgoLaunchCommand(int Argc, char **Argv) {
  // All options but the first are the compiler's.
  std::vector<std::string> Words(Argv + 1, Argv + Argc);
  const bool AsksForHelp =
      !Words.empty() && (Words.front() == "--help" || Words.front() == "-h");
  if (!Words.empty() && Words.front() == "--")
    Words.erase(Words.begin());
  return runParsed(AsksForHelp ? 2 : 1, Argv, {Help, {}},
                   [&](const Arguments &) { return launch(Words); });
}

} // namespace luthier::cli
