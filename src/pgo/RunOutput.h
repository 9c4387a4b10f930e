// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What two builds of a program print and write, compared.
#ifndef LUTHIER_PGO_RUNOUTPUT_H
#define LUTHIER_PGO_RUNOUTPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace luthier::pgo {

/// What a run left that can be compared.
struct RunOutput {
  int ExitCode = 0;
  std::string Printed; ///< On stdout.
  /// By the names that the user gave; nothing where there was no file.
  std::map<std::string, std::optional<std::string>> Files;
};

/// What of the output is not for comparison, such as times.
struct OutputFilter {
  std::vector<llvm::Regex> IgnoredLines;
};

/// Says where the outputs differ first; empty if they do not.
std::string differenceOf(const RunOutput &Before, const RunOutput &After,
                         const OutputFilter &Filter);

/// Whether what was printed differs in floating-point numbers alone, and in
/// each by so little that they may have been rounded in another way.
bool differsLikeRounding(const RunOutput &Before, const RunOutput &After,
                         const OutputFilter &Filter);
/// For people, what to do then.
inline constexpr const char *RoundingHint =
    "the numbers differ by so little that they may have been rounded in "
    "another way: -ffp-contract=off makes builds round alike";

/// A file that neither run has written, so that nothing was compared; empty if
/// there is none.
std::string unwrittenFile(const RunOutput &Before, const RunOutput &After);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_RUNOUTPUT_H
