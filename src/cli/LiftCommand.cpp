// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier lift`: a kernel as tools see it.
#include "analysis/CallGraph.h"
#include "analysis/ControlFlow.h"
#include "analysis/Liveness.h"
#include "analysis/LoadsInFlight.h"
#include "analysis/Occupancy.h"
#include "cli/Arguments.h"
#include "cli/Commands.h"
#include "cli/InspectedFile.h"
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

static Error lift(const std::string &Path, const std::string &Kernel,
                  const std::string *Target, Printer Print) {
  Expected<InspectedFile> File = InspectedFile::open(Path, Target);
  if (!File)
    return File.takeError();
  // A program has one image per source file and target.
  const TargetID &First = File->Images.front().Target;
  for (const BundledCodeObject &Image : File->Images)
    if (!(Image.Target == First))
      return createStringError(inconvertibleErrorCode(),
                               Path + ": has code for " + First.str() +
                                   " and " + Image.Target.str() +
                                   "; choose one with --target");

  Error NotFound = Error::success();
  for (const BundledCodeObject &Image : File->Images) {
    Expected<std::shared_ptr<CodeObject>> Object =
        CodeObject::create(Image.Bytes);
    if (!Object)
      return joinErrors(std::move(NotFound), Object.takeError());
    Expected<const KernelInfo &> Found = findKernelByName(**Object, Kernel);
    if (!Found) {
      // The first image's near names are as good as any.
      if (NotFound)
        consumeError(Found.takeError());
      else
        NotFound = Found.takeError();
      continue;
    }
    consumeError(std::move(NotFound));
    auto Lifted = liftKernel(*Object, *Found);
    if (!Lifted)
      return createStringError(inconvertibleErrorCode(),
                               "cannot lift " + readableName(Found->Name) +
                                   ": " + toString(Lifted.takeError()));
    Print(**Lifted, outs());
    return Error::success();
  }
  return NotFound;
}

int liftCommand(int Argc, char **Argv) {
  const auto Args = Arguments::parse(Argc, Argv,
                                     {{"--kernel", true},
                                      {"--target", true},
                                      {"--print", true},
                                      {"--help"},
                                      {"-h"}});
  if (!Args)
    return Misuse;
  if (Args->has("--help") || Args->has("-h")) {
    outs() << Help;
    return Success;
  }
  const std::string *Path = Args->single("file");
  if (!Path)
    return Misuse;
  const std::string *Kernel = Args->value("--kernel");
  if (!Kernel) {
    errs() << "luthier: error: no --kernel given; luthier info lists those "
              "there are\n";
    return Misuse;
  }
  Printer Print = printLifted;
  if (const std::string *Facts = Args->value("--print")) {
    Print = findPrinter(*Facts);
    if (!Print) {
      errs() << "luthier: error: nothing is known as '" << *Facts
             << "'; luthier lift --help lists what can be printed\n";
      return Misuse;
    }
  }
  if (Error E = lift(*Path, *Kernel, Args->value("--target"), Print))
    return reportError(std::move(E));
  return Success;
}

} // namespace luthier::cli
