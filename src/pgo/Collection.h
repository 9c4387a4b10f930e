// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what a program's processes have left to profiles for the compiler.
#ifndef LUTHIER_PGO_COLLECTION_H
#define LUTHIER_PGO_COLLECTION_H

#include "pgo/CollectFolder.h"

namespace luthier::pgo {

struct CollectionOptions {
  std::string Output; ///< The profile; the target may be put into its name.
  bool Add = false;   ///< To what there is.
  bool AcceptPartial = false;
};

struct WrittenProfile {
  std::string Path, Target;
  size_t NumFunctions = 0, NumLoads = 0;
};

struct Collection {
  std::vector<WrittenProfile> Profiles;
  /// Not all counters are in them: why, and what else to say.
  bool IsPartial = false;
  std::vector<std::string> Warnings;
};

/// Writes a profile for each target. A partial one gets a name that says so,
/// and is not added to others, unless it is accepted. Fails, with nothing
/// written, if no code has counted (NoCounters) or not all in one way
/// (MixedBuild).
llvm::Expected<Collection> writeCollection(const Collected &Found,
                                           const CollectionOptions &Options);

/// "a.profdata" with \p Word inserted: "a.word.profdata".
std::string withWord(llvm::StringRef Path, llvm::StringRef Word);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_COLLECTION_H
