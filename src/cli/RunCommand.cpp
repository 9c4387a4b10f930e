// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier run`: sets the environment and becomes the program. Uses no LLVM,
// see Commands.h.
#include "cli/ChildProgram.h"
#include "cli/Commands.h"
#include "cli/RunProgram.h"
#include "runtime/InstrumentedMark.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier run [options] [--] PROGRAM [ARGUMENTS...]

Runs PROGRAM unchanged, with its GPU kernels instrumented by tools.

options:
  --tool NAME|PATH[:KEY=VALUE,...]
                     load this tool, with these options of its own
                     (--tool NAME:help lists them); may be given several times:
                     a kernel has the hooks of all that want it, in this order
  --fail-if-unchanged
                     exit with 3 if the program succeeded, but no kernel was
                     instrumented in any of its processes
  --device DEVICE    native           the machine's own GPU
                     emulated[:NAME]  an emulated one (gfx90a); names
                                      separated by commas make several GPUs
                     Default: native if there is one, else emulated.
  --output DIR       where tools write their files (default: the current
                     directory); created if missing. Files of earlier runs
                     are kept there as NAME.~1~ and so on
  --registers POLICY what instrumentation may cost a kernel in registers:
                     grow (default)   registers past the kernel's own
                     keep-occupancy   as many as leave as many waves
                     no-grow          none, but where hooks do not compile in
                                      so few: then as keep-occupancy
                     What hooks use of the kernel's own registers is saved and
                     restored around them.
  --state-storage F  where instrumentation keeps a wave's state: vgpr, agpr,
                     two-agprs, agpr-3sgprs, spilled-3sgprs, spilled-1sgpr
                     (default: the cheapest that fits the kernel)
  --costs FILE       appends what instrumentation cost each kernel: registers,
                     occupancy, what is put aside, memory; - for stderr
  --no-cache         compiles all hooks, and keeps nothing of them for later
                     runs (luthier cache --help)
  --help             this text

filters (tools see only launches that pass all that are given; others run the
original kernel):
  --kernel REGEX     of kernels whose name matches, mangled or as reports show
                     it; an extended POSIX regular expression, found anywhere
                     in the name
  --device N         on GPU number N, from 0 on, as the GPU runtime lists them;
                     may be given besides --device DEVICE
  --launches RANGES  these launches of each kernel, such as 3 or 3-5,10-;
                     counted from 1 on for each kernel name and process, over
                     those that --kernel and --device leave
  --every N          of what is left, the first of each kernel and every Nth
                     after it
  --process NAME     only in processes whose program's file has this name, or
                     was called by it
  --workgroups RANGE of such launches, hooks run in these workgroups alone, such
                     as 0, 3-5 or 10-: numbers from 0 on, x first; the others
                     run the original's code
  A process in which they leave nothing says so at its end.

options of the emulated GPU:
  --counts FILE      how often each instruction was executed, per kernel and
                     GPU, as JSON; %p in the name becomes the process id
  --gpu-memory MIB   memory of each GPU (8192; at most 1048576)
  --seed N           order in which waves run; workgroups start in theirs (0)
  --stats FILE       what was executed, per kernel and GPU, as JSON; %p in the
                     name becomes the process id
  --strict[=CHECKS]  report what real GPUs would not forgive: all, or a list of
                     undefined, hazards, loads=earliest|latest|random,
                     seed=NUMBER, continue
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
  LUTHIER_CACHE_SIZE=MIB   room for compiled hooks in the user's cache (256;
                           0: none)
  LUTHIER_EXIT_TIMEOUT=S   at exit, how long to wait for kernels that make no
                           progress (60; 0: for ever)
  LUTHIER_EXIT_LIMIT=S     at exit, how long to wait for kernels in all (120; 0:
                           for ever)
  LUTHIER_END_LIMIT=S      where the program ends by _exit, a signal or exec:
                           seconds for kernels and reports (10; 0: no report)

The exit code is the program's own; 2 if luthier refuses the request, 127 if
there is no such program, 126 if it cannot be started. With --fail-if-unchanged
it is 3 where no kernel was instrumented and the program's would be 0, and 128
and the number of the signal if one ended the program.
)";

/// Runs the program beside this one, which looks for a trace of
/// instrumentation afterwards.
int runAndLookForChanges(const RunOptions &Options) {
  const TemporaryFolder Folder("luthier-run");
  const std::string Mark = Folder.path() + "/instrumented";
  ::setenv(runtime::InstrumentedMarkVariable, Mark.c_str(), /*overwrite=*/1);
  const int Code = runAndWait(Options.Command);
  if (::access(Mark.c_str(), F_OK) == 0 || Code == NotFound ||
      Code == CannotStart)
    return Code;
  std::fputs("luthier: no kernel was instrumented\n", stderr);
  return Code == Success ? Unchanged : Code;
}

} // namespace

int runCommand(int Argc, char **Argv) {
  try {
    RunOptions Options = parseRunArguments({Argv + 1, Argv + Argc});
    if (Options.Help) {
      std::fputs(Help, stdout);
      return Success;
    }
    if (!Options.HelpOfTool.empty())
      return printToolOptions(Options.HelpOfTool, lookAround());
    RunPlan Plan = planRun(Options, lookAround());
    setUp(Plan);
    return Options.FailIfUnchanged ? runAndLookForChanges(Options)
                                   : become(Options.Command);
  } catch (const RunError &E) {
    std::fprintf(stderr, "luthier: error: %s; see luthier run --help\n",
                 E.what());
  }
  return Misuse;
}

} // namespace luthier::cli
