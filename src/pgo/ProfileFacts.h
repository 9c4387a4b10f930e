// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a profile says of itself, whatever its format: how and on what it was
// collected, and of which versions of which functions.
#ifndef LUTHIER_PGO_PROFILEFACTS_H
#define LUTHIER_PGO_PROFILEFACTS_H

#include "pgo/Flags.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace llvm::sampleprof {
class FunctionSamples;
}

namespace luthier::pgo {

/// How a profile was made, and so by which flags it is used.
enum class ProfileKind { FrontEnd, IR, SecondRound, Probes, Lines };

/// The name of the route that uses such a profile.
llvm::StringRef routeOf(ProfileKind Kind);

/// A line of source in a function, from its first on, and which of the blocks
/// of that line.
using SourcePlace = std::pair<uint32_t, uint32_t>;

/// There are several hashes where source was compiled in several ways.
struct FunctionFacts {
  std::set<uint64_t> Hashes; ///< Of the control flow; none of lines.
  /// Of lines only: those that have code, and those that were executed.
  std::set<SourcePlace> Places, Executed;
  /// Of samples only: what was inlined, by where and by its name.
  std::map<std::pair<SourcePlace, std::string>, FunctionFacts> Inlined;

  /// Adds those of a function of a profile of \p Kind.
  void add(const llvm::sampleprof::FunctionSamples &Samples, ProfileKind Kind);
};

struct ProfileFacts {
  ProfileKind Kind = ProfileKind::FrontEnd;
  /// Processors, sorted; none for profiles that others have made.
  std::vector<std::string> Targets;
  std::map<std::string, FunctionFacts> Functions; ///< By their names.
};

/// Of an indexed profile of counters, or a profile of samples. Fails for
/// another version (Version), and for what is no whole profile (Malformed).
llvm::Expected<ProfileFacts> readProfileFacts(const std::string &Path);

/// The route by which clang uses the profile \p Path. Fails if \p Wanted,
/// unless it is empty, is another one (MixedBuild).
llvm::Expected<const Route *> routeToUse(const ProfileFacts &Facts,
                                         llvm::StringRef Path,
                                         llvm::StringRef Wanted,
                                         unsigned ClangMajor);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_PROFILEFACTS_H
