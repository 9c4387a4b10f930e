// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier`: picks the command. Must stay free of LLVM, see Commands.h.
#include "cli/Commands.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <unistd.h>

using namespace luthier::cli;

namespace {

constexpr char Help[] =
    R"(luthier: dynamic binary instrumentation for AMD GPUs

usage: luthier <command> [arguments]

commands:
  run     run a program and instrument its GPU kernels with tools
  info    show the kernels in a code object, program or library
  lift    print a kernel as LLVM machine IR
  exec    run one kernel on the emulated GPU, with arguments given by hand
  instrument
          put a tool's hooks into the kernels of a file
  verify  show that instrumented kernels compute what the originals compute
  cache   list or clear the user's cache of compiled hooks
  pgo     profile-guided optimisation of a program's kernels

examples:
  luthier info ./my-program
  luthier info --json librocrand.so.1
  luthier lift ./my-program --kernel vectorAdd --target gfx90a
  luthier instrument kernels.co --tool instr-count -o counted.co
  luthier verify -- ./my-program

`luthier <command> --help` explains a command.
)";

/// Runs \p Argv's command in \p Program, which may use LLVM.
int runIn(const char *Program, char **Argv) {
  std::array<char, PATH_MAX> Self;
  const ssize_t Length = readlink("/proc/self/exe", Self.data(), Self.size());
  if (Length < 0 || size_t(Length) == Self.size()) {
    std::fprintf(stderr, "luthier: error: cannot find my own path: %s\n",
                 std::strerror(errno));
    return Failed;
  }
  std::string Path(Self.data(), Length);
  Path.resize(Path.rfind('/'));
  Path += "/../libexec/luthier/";
  Path += Program;
  execv(Path.c_str(), Argv);
  std::fprintf(stderr, "luthier: error: cannot start %s: %s\n", Path.c_str(),
               std::strerror(errno));
  return Failed;
}

/// `verify -- PROGRAM` rather than `verify FILE`. Help is the same for both.
bool isAboutProgram(int Argc, char **Argv) {
  return std::any_of(Argv + 1, Argv + Argc, [](std::string_view Argument) {
    return Argument == "--" || Argument == "--help" || Argument == "-h";
  });
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 2) {
    std::fputs(Help, stderr);
    return Misuse;
  }
  const std::string_view Command = Argv[1];
  if (Command == "run")
    return runCommand(Argc - 1, Argv + 1);
  if (Command == "verify")
    return isAboutProgram(Argc - 1, Argv + 1)
               ? verifyCommand(Argc - 1, Argv + 1)
               : runIn("luthier-offline", Argv + 1);
  if (Command == "info" || Command == "lift" || Command == "cache")
    return runIn("luthier-inspect", Argv + 1);
  if (Command == "exec")
    return runIn("luthier-exec", Argv + 1);
  if (Command == "instrument")
    return runIn("luthier-offline", Argv + 1);
  if (Command == "pgo")
    return runIn("luthier-pgo", Argv + 1);
  if (Command == "--help" || Command == "-h" || Command == "help") {
    std::fputs(Help, stdout);
    return Success;
  }
  if (Command == "--version") {
    std::puts("luthier " LUTHIER_VERSION_TEXT);
    return Success;
  }
  std::fprintf(stderr, "luthier: error: unknown %s '%s'; see luthier --help\n",
               Command.starts_with("-") ? "option" : "command", Argv[1]);
  return Misuse;
}
