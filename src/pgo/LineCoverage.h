// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lines of source were executed, from counts of instructions and line
// tables: of a release, which need not be compiled to count.
#ifndef LUTHIER_PGO_LINECOVERAGE_H
#define LUTHIER_PGO_LINECOVERAGE_H

#include "pgo/Execution.h"
#include "llvm/Support/raw_ostream.h"

namespace luthier::pgo {

struct FileCoverage {
  struct Function {
    unsigned Line = 0; ///< Of its first code.
    uint64_t Executions = 0;
  };
  std::map<std::string, Function> Functions; ///< Those with code of their own.
  /// Executions by waves of each line that has code: those of its instruction
  /// that was executed most often.
  std::map<unsigned, uint64_t> Lines;
};

/// By the file's path.
using LineCoverage = std::map<std::string, FileCoverage>;

/// What is said of code that has none (NoMarks).
llvm::Error lackOfLines(const CodeObject &Object);

/// Fails if the code has no line tables (NoMarks). What was not executed counts
/// as well: as zero.
llvm::Error addLineCoverage(const CodeObject &Object, const CodeCounts &Counts,
                            LineCoverage &To);

/// In the format of lcov's tracefiles, which genhtml and others read.
void printLcov(const LineCoverage &Coverage, llvm::raw_ostream &OS);
/// For people: a line for each file, and one for all.
void printSummary(const LineCoverage &Coverage, llvm::raw_ostream &OS);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_LINECOVERAGE_H
