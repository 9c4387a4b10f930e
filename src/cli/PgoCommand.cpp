// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier pgo`: picks the step of profile-guided optimisation.
#include "cli/Commands.h"
#include "cli/PgoCommands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

using namespace llvm;

namespace luthier::cli {
namespace {

/// One row for each step: `luthier pgo NAME`.
struct PgoStep {
  StringRef Name;
  int (*Run)(int Argc, char **Argv); ///< Argv[0] is "pgo NAME".
  StringRef Help;                    ///< A line.
};

constexpr PgoStep Steps[] = {
    {"optimize", pgoOptimizeCommand,
     "all in one: compile, collect, compile with the profile, judge"},
    {"flags", pgoFlagsCommand,
     "print the compiler's flags for a build that collects, or that uses"},
    {"collect", pgoCollectCommand,
     "run a program, and write the profile of its kernels"},
    {"apply", pgoApplyCommand,
     "compile with a profile, if it belongs to the source"},
    {"show", pgoShowCommand, "show what was executed, beside the source"},
    {"coverage", pgoCoverageCommand, "show which source was executed"},
    {"judge", pgoJudgeCommand,
     "compare a build that uses a profile with the one before"},
    {"launch", pgoLaunchCommand,
     "compile with the flags of a build that optimize starts"},
    {"libraries", pgoLibrariesCommand,
     "make device libraries for profiles of a release"},
};

constexpr char Introduction[] =
    R"(usage: luthier pgo STEP [arguments]

Profile-guided optimisation of GPU kernels: a build that collects, a run, a
build that uses what was collected.

steps:
)";

void printHelp(raw_ostream &OS) {
  OS << Introduction;
  for (const PgoStep &Step : Steps)
    OS << "  " << left_justify(Step.Name, 9) << ' ' << Step.Help << '\n';
  OS << "\n`luthier pgo STEP --help` explains a step.\n";
}

} // namespace

int pgoCommand(int Argc, char **Argv) {
  if (Argc < 2) {
    printHelp(errs());
    return Misuse;
  }
  const StringRef Name = Argv[1];
  if (Name == "--help" || Name == "-h" || Name == "help") {
    printHelp(outs());
    return Success;
  }
  const auto *Step =
      find_if(Steps, [&](const PgoStep &S) { return S.Name == Name; });
  if (Step != std::end(Steps)) {
    // As messages about arguments name it.
    std::string Whole = "pgo " + Name.str();
    Argv[1] = Whole.data();
    return Step->Run(Argc - 1, Argv + 1);
  }
  errs() << "luthier: error: unknown "
         << (Name.starts_with("-") ? "option" : "step") << " '" << Name
         << "'; see luthier pgo --help\n";
  return Misuse;
}

} // namespace luthier::cli
