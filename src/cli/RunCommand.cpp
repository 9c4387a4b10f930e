// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier run`: sets the environment and becomes the program. Uses no LLVM,
// see Commands.h.
#include "cli/Commands.h"
#include "cli/RunPlan.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier run [options] [--] PROGRAM [ARGUMENTS...]

Runs PROGRAM unchanged, with its GPU kernels instrumented by tools.

options:
  --tool NAME|PATH   load this tool; may be given several times
  --device DEVICE    native           the machine's own GPU
                     emulated[:NAME]  an emulated one (gfx90a); names
                                      separated by commas make several GPUs
                     Default: native if there is one, else emulated.
  --output DIR       where tools write their files (default: the current
                     directory); created if missing
  --registers POLICY what instrumentation may cost a kernel in registers:
                     grow (default)   registers past the kernel's own
                     keep-occupancy   as many as leave as many waves
                     no-grow          none; what hooks use is saved and
                                      restored around them
  --state-storage F  where instrumentation keeps a wave's state: vgpr, agpr,
                     two-agprs, agpr-3sgprs, spilled-3sgprs, spilled-1sgpr
                     (default: the cheapest that fits the kernel)
  --help             this text

options of the emulated GPU:
  --gpu-memory MIB   memory of each GPU (8192)
  --seed N           order in which waves and workgroups run (0)
  --stats FILE       what was executed, per kernel and GPU, as JSON; %p in the
                     name becomes the process id
  --strict[=CHECKS]  check for what real GPUs would not forgive: all, or a list
                     such as poison,loads=latest,hazards,seed=7,continue
  --threads N        host threads for each dispatch (1)
  --watchdog S       seconds without any progress after which a kernel is
                     ended (60; 0: never); "S,report" only reports it

examples:
  Count the instructions of a program's kernels:
    luthier run --tool instr-count -- ./vector-add 1000000
  On an emulated GPU, with the results in a folder:
    luthier run --tool instr-count --device emulated:gfx90a --output out ./app
  With a tool of your own:
    luthier run --tool ./build/libmytool.so -- python3 train.py

environment:
  LUTHIER_LOG=debug        what the runtime does, on stderr
  LUTHIER_TIMINGS=FILE     appends times per instrumented kernel as JSON
  LUTHIER_EXIT_TIMEOUT=S   at exit, how long to wait for kernels that make no
                           progress (60; 0: for ever)

The exit code is the program's own; 2 if luthier refuses the request, 127 if
there is no such program, 126 if it cannot be started.
)";

constexpr int CannotStart = 126, NotFound = 127;

std::vector<std::string> installedTools(const std::string &Prefix) {
  namespace fs = std::filesystem;
  std::vector<std::string> Names;
  std::error_code Ignored;
  for (const fs::directory_entry &Entry :
       fs::directory_iterator(toolDirectory(Prefix), Ignored)) {
    std::string Name = Entry.path().stem().string();
    if (Entry.path().extension() == ".so" && Name.starts_with("lib"))
      Names.push_back(Name.substr(3));
  }
  std::ranges::sort(Names);
  return Names;
}

Surroundings lookAround() {
  namespace fs = std::filesystem;
  Surroundings Around;
  // The program is <prefix>/bin/luthier.
  Around.Prefix =
      fs::read_symlink("/proc/self/exe").parent_path().parent_path().string();
  Around.CurrentDirectory = fs::current_path().string();
  Around.HasGPU = ::access("/dev/kfd", F_OK) == 0;
  timespec Now;
  // The clock that dates files; the precise one is ahead of it.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &Now);
  Around.Time =
      std::to_string(int64_t(Now.tv_sec) * 1'000'000'000 + Now.tv_nsec);
  Around.FileExists = [](const std::string &Path) {
    return ::access(Path.c_str(), R_OK) == 0;
  };
  Around.InstalledTools = [Prefix = Around.Prefix] {
    return installedTools(Prefix);
  };
  Around.Variable = [](const std::string &Name) -> std::optional<std::string> {
    const char *Value = std::getenv(Name.c_str());
    return Value ? std::optional<std::string>(Value) : std::nullopt;
  };
  return Around;
}

void createOutput(const std::string &Directory) {
  std::error_code Failure;
  if (!Directory.empty())
    std::filesystem::create_directories(Directory, Failure);
  if (Failure)
    throw RunError("--output " + Directory + ": " + Failure.message());
}

/// Returns only if the program cannot be started.
int become(const std::vector<std::string> &Command) {
  std::vector<char *> Argv;
  for (const std::string &Argument : Command)
    Argv.push_back(const_cast<char *>(Argument.c_str()));
  Argv.push_back(nullptr);
  ::execvp(Argv[0], Argv.data());
  int Code = errno == ENOENT ? NotFound : CannotStart;
  std::fprintf(stderr, "luthier: error: cannot run '%s': %s\n", Argv[0],
               std::strerror(errno));
  return Code;
}

} // namespace

int runCommand(int Argc, char **Argv) {
  try {
    RunOptions Options = parseRunArguments({Argv + 1, Argv + Argc});
    if (Options.Help) {
      std::fputs(Help, stdout);
      return Success;
    }
    RunPlan Plan = planRun(Options, lookAround());
    createOutput(Plan.OutputDirectory);
    for (const auto &[Name, Value] : Plan.Environment)
      ::setenv(Name.c_str(), Value.c_str(), /*overwrite=*/1);
    for (const std::string &Note : Plan.Notes)
      std::fprintf(stderr, "luthier: %s\n", Note.c_str());
    return become(Options.Command);
  } catch (const RunError &E) {
    std::fprintf(stderr, "luthier: error: %s; see luthier run --help\n",
                 E.what());
  }
  return Misuse;
}

} // namespace luthier::cli
