// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier lift`: a kernel as tools see it.
#include "analysis/CallGraph.h"
#include "analysis/ControlFlow.h"
#include "analysis/Liveness.h"
#include "analysis/LoadsInFlight.h"
#include "analysis/Occupancy.h"
#include "cli/ChosenKernel.h"
#include "cli/FileCommand.h"
#include "lift/Lifter.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {

static constexpr char Help[] =
    R"(usage: luthier lift FILE --kernel KERNEL [--target TARGET] [--print FACTS]

Prints a kernel of a code object, offload bundle, program or library as LLVM
machine IR: what a tool's mutator walks and edits. Each instruction is preceded
by the address it has in the code object.

options:
  --kernel KERNEL   the kernel: its symbol, or its name as in the source if only
                    one kernel has it ('scale', 'scale(float*, float)')
  --target TARGET   look only at code for this processor (gfx90a,
                    gfx90a:xnack-); needed if there is code for several
  --print FACTS     what Luthier knows about the code instead:
                      cfg              blocks, and how control comes and goes
                      call-graph       functions, and who calls whom
                      liveness         registers needed before each instruction
                      loads-in-flight  registers that loads may still write
                      registers        registers in use, and occupancy
  --help            this text

example:
  luthier lift ./my-program --kernel vectorAdd --target gfx90a
  luthier lift ./my-program --kernel vectorAdd --print liveness
)";

using Printer = void (*)(const LiftedRepresentation &, raw_ostream &);

static Printer findPrinter(StringRef Facts) {
  return StringSwitch<Printer>(Facts)
      .Case("cfg", printControlFlow)
      .Case("call-graph", printCallGraph)
      .Case("liveness", printLiveness)
      .Case("loads-in-flight", printLoadsInFlight)
      .Case("registers", printRegisters)
      .Default(nullptr);
}

static Expected<int> lift(const Arguments &Args, const std::string &Path) {
  Printer Print = printLifted;
  if (const std::string *Facts = Args.value("--print")) {
    Print = findPrinter(*Facts);
    if (!Print) {
      errs() << "luthier: error: --print " << *Facts
             << ": choose one of: cfg, call-graph, liveness, loads-in-flight, "
                "registers; luthier lift --help explains them\n";
      return Misuse;
    }
  }
  Expected<ChosenKernel> Chosen = chooseKernel(Args, Path);
  if (!Chosen)
    return Chosen.takeError();
  auto Lifted = liftKernel(Chosen->Object, *Chosen->Kernel);
  if (!Lifted)
    return failed("cannot lift " + Chosen->readableName() + ": " +
                  toString(Lifted.takeError()));
  Print(**Lifted, outs());
  return Success;
}

int liftCommand(int Argc, char **Argv) {
  FileCommand Command{Help,
                      {{"--print", true}},
                      {{"--kernel", "luthier info lists those there are"}}};
  append_range(Command.Options, kernelOptions());
  return runFileCommand(Argc, Argv, Command, lift);
}

} // namespace luthier::cli
