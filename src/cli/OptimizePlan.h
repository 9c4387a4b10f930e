// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `luthier pgo optimize` has been asked for, and what its steps have said.
#ifndef LUTHIER_CLI_OPTIMIZEPLAN_H
#define LUTHIER_CLI_OPTIMIZEPLAN_H

#include "pgo/CompileCommand.h"
#include <optional>
#include <set>

namespace luthier::cli {

/// Flags for the compiler of a build of several commands.
inline constexpr char FlagsVariable[] = "LUTHIER_PGO_FLAGS";

struct OptimizePlan {
  /// A build of several commands, such as make's, which make \p Program with
  /// the flags in FlagsVariable.
  struct Build {
    std::string Program, Compiler;
    bool LinksUnits = false;
  };

  /// Of a build, the compiler without files.
  pgo::CompileCommand Compile;
  std::vector<std::string> BuildCommand; ///< Empty if Compile makes Program.
  std::string Program;
  /// Arguments of the program that is compiled, in each run that collects.
  std::vector<std::vector<std::string>> Runs;

  /// Fails if they are not a command that makes a program, and runs of that;
  /// the command is one of the compiler's, or \p Of starts it.
  static llvm::Expected<OptimizePlan>
  read(llvm::ArrayRef<std::vector<std::string>> Parts,
       const std::optional<Build> &Of = std::nullopt);
  /// Those of a command that runs the program; fails for another's.
  llvm::Expected<std::vector<std::string>>
  argumentsOf(llvm::ArrayRef<std::string> Run) const;
  /// For people.
  std::string textOf(llvm::ArrayRef<std::string> Arguments) const;
};

/// Of several runs together, by symbol.
struct Verdict {
  bool IsSame = true;
  std::set<std::string> Worse;
  size_t NumBetter = 0;
  /// What all kernels together need, cycles or wave instructions.
  bool ByInstructions = false;
  int64_t Before = 0, After = 0;

  /// That some kernels are better outweighs that others are worse.
  bool isGain() const { return NumBetter != 0 && After < Before; }

  /// The report of `luthier pgo judge --json`, which ended with \p Code. Fails
  /// if it could not judge.
  llvm::Error add(const std::string &Report, int Code);
};

} // namespace luthier::cli

#endif // LUTHIER_CLI_OPTIMIZEPLAN_H
