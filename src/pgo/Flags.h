// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's flags of each route to a profile, for a build that collects
// and one that uses, with what each version of clang needs besides.
#ifndef LUTHIER_PGO_FLAGS_H
#define LUTHIER_PGO_FLAGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace luthier::pgo {

enum class Build { Collect, Use };

/// A flag, and why it is there.
struct Flag {
  llvm::StringRef Text; ///< See expand().
  llvm::StringRef Reason;
};

/// How a profile is made and used.
struct Route {
  llvm::StringRef Name;
  llvm::StringRef What; ///< A line for people.
  llvm::ArrayRef<Flag> Collect;
  llvm::ArrayRef<Flag> Use;
  /// Besides these, for units that are linked for the GPU (-fgpu-rdc).
  llvm::ArrayRef<Flag> UnitsCollect, UnitsUse;
  /// The build that collects uses a profile itself.
  bool IsSecondRound = false;
};

/// Those of a build; \p LinksUnits if its units are linked for the GPU.
std::vector<Flag> flagsOf(const Route &Its, Build Which, bool LinksUnits);

/// All routes of the compilers of \p ClangMajor; none if that is not known.
llvm::ArrayRef<Route> routesOf(unsigned ClangMajor);
/// Fails for a compiler that is not known, and for a name that no route has.
llvm::Expected<const Route *> findRoute(llvm::StringRef Name,
                                        unsigned ClangMajor);

/// What flags name.
struct FlagFiles {
  std::string Profile;
  /// Device libraries that may be inlined into functions that use a profile of
  /// samples; empty if there are none.
  std::string SampleLibraries = {};
  /// device/ProfiledValues.h, by which device code records values.
  std::string ValueHeader = {};
  /// LinkedCounters.rsp, by which the linker makes counters.
  std::string LinkedCounters = {};
};

/// The arguments for the compiler. Fails if one names a file that \p Files
/// lacks.
llvm::Expected<std::vector<std::string>> expand(llvm::ArrayRef<Flag> Flags,
                                                const FlagFiles &Files);

/// The number of N in "clang version N.M.P" as `clang --version` says it; fails
/// with \p Path for other compilers, and for those of a branch that is not that
/// of a release, unless they are accepted.
llvm::Expected<unsigned> clangMajor(llvm::StringRef VersionText,
                                    llvm::StringRef Path,
                                    bool AcceptsOtherBranches = false);
/// If this is in the environment, they are.
inline constexpr const char *AnyClangVariable = "LUTHIER_PGO_ANY_CLANG";
/// Asks the program \p Path.
llvm::Expected<unsigned> askClangMajor(llvm::StringRef Path);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_FLAGS_H
