// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a profile belongs to source as it is now. The source is compiled as
// the code that the profile was collected from was: then what marks its
// functions has to be the same.
#ifndef LUTHIER_PGO_STALECHECK_H
#define LUTHIER_PGO_STALECHECK_H

#include "codeobject/CodeObject.h"
#include "pgo/ProfileFacts.h"

namespace luthier::pgo {

/// Functions of code, by which profiles know them.
struct CodeFacts {
  std::map<uint64_t, std::set<uint64_t>> Hashes; ///< By the name's hash.
  std::set<std::string> Targets;                 ///< That the code is for.
  /// Of lines, instead of hashes; by name.
  std::map<std::string, FunctionFacts> Lines;
};

/// Adds those of code that was compiled to collect a profile of \p Kind. Code
/// without functions has no marks; fails if there are damaged ones.
llvm::Error addCodeFacts(const CodeObject &Object, ProfileKind Kind,
                         CodeFacts &To);

struct StaleCheck {
  /// Functions that are in the code and the profile, and have changed between;
  /// also those that were inlined into functions that have not. Sorted.
  std::vector<std::string> Changed;
  /// Of functions in both, but for what is inlined into others, and of those
  /// among them that have not changed.
  size_t NumInBoth = 0, NumSame = 0;
};

StaleCheck compare(const ProfileFacts &Profile, const CodeFacts &Code);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_STALECHECK_H
