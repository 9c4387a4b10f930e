// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up profiles of counters and writes the sum as LLVM's tools have it.
#ifndef LUTHIER_PGO_PROFILESUM_H
#define LUTHIER_PGO_PROFILESUM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ProfileData/InstrProfWriter.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace luthier::pgo {

/// The route of a profile of counters, "counters" or "ir": those of one can be
/// added up. Fails as explainProfileError() has it.
llvm::Expected<llvm::StringRef> routeOfCounters(llvm::StringRef Bytes,
                                                llvm::StringRef Name);

/// "clang's front end", "LLVM's IR", "LLVM's IR, second round".
std::string nameOf(llvm::InstrProfKind Kind);

/// \p E of LLVM's readers and writers as a problem with \p Name: another
/// version (Version), or damaged bytes (Malformed).
llvm::Error explainProfileError(llvm::Error E, llvm::StringRef Name);

/// A sum of profiles of the same kind.
class ProfileSum {
public:
  /// Adds a raw, indexed or text profile. \p Name is for messages. Fails, with
  /// nothing added, for another version (Version) or kind (MixedBuild), and
  /// with damaged bytes (Malformed).
  llvm::Error add(llvm::StringRef Bytes, llvm::StringRef Name);
  /// Notes what the counters were collected on, for targetsOf().
  void addTarget(llvm::StringRef Target) { Targets.insert(Target.str()); }

  /// Functions with a counter that reached the largest number there is, in
  /// order of their names; their profile is only a lower bound.
  const std::set<std::string> &overflown() const { return Overflown; }
  /// What else the library says of records that it left out.
  llvm::ArrayRef<std::string> warnings() const { return Warnings; }
  size_t numFunctions() const { return Functions.size(); }

  /// In LLVM's indexed format; what is at \p Path is replaced only by a whole
  /// profile.
  llvm::Error write(llvm::StringRef Path);

private:
  llvm::Error writeTo(const std::string &Path);

  std::optional<llvm::InstrProfKind> Kind;
  llvm::InstrProfWriter Writer;
  std::set<std::string> Targets, Overflown;
  std::set<std::pair<std::string, uint64_t>> Functions; ///< And their hashes.
  std::vector<std::string> Warnings;
};

/// The targets that an indexed profile of luthier's says it was collected on,
/// such as "gfx90a"; none for profiles of others.
llvm::Expected<std::vector<std::string>> targetsOf(llvm::StringRef Path);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_PROFILESUM_H
