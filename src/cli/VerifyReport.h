// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulated GPU writes down while it verifies (docs/offline.md), added
// up. Uses no LLVM, see Commands.h.
#ifndef LUTHIER_CLI_VERIFYREPORT_H
#define LUTHIER_CLI_VERIFYREPORT_H

#include <cstdint>
#include <istream>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace luthier::cli {

struct VerifyReport {
  struct Kernel {
    uint64_t Same = 0, Different = 0, Unjudged = 0; ///< Dispatches.
    uint64_t Compared = 0, Inserted = 0;            ///< Instructions.
    uint64_t Noted = 0; ///< Dispatches whose original reads what nobody wrote.
    std::set<std::string> UnjudgedReasons;
    bool RanUnchanged = false;
    std::set<std::string> UnchangedReasons;
  };
  /// By mangled name.
  std::map<std::string, Kernel> Kernels;
  std::string FirstDifference, FirstNote;

  /// Takes one line of the file.
  void add(const std::string &Line);
  static VerifyReport read(std::istream &File);

  bool differs() const { return !FirstDifference.empty(); }
  /// At least one dispatch was compared to its end.
  bool hasCompared() const;
  /// What was compared with which \p Tools: a table, the first difference, and
  /// one line that says it all. Dispatches that differ do not count into the
  /// number of instructions.
  std::string text(const std::string &Tools) const;
};

} // namespace luthier::cli

#endif // LUTHIER_CLI_VERIFYREPORT_H
