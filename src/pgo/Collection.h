// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what a program's processes have left to profiles for the compiler.
#ifndef LUTHIER_PGO_COLLECTION_H
#define LUTHIER_PGO_COLLECTION_H

#include "pgo/SampledCode.h"

namespace luthier::pgo {

struct CollectionOptions {
  /// The profile; what it is of may be put into its name.
  std::string Output;
  bool Add = false; ///< To what there is.
  bool AcceptPartial = false;
  bool IsText = false; ///< Of samples, what is written is for people, too.
};

struct WrittenProfile {
  std::string Path, Target;
  std::string Route; ///< "counters", "ir", "probes" or "lines".
  size_t NumFunctions = 0;
  size_t NumLoads = 0; ///< Of code that counts by itself.
};

struct Collection {
  std::vector<WrittenProfile> Profiles;
  /// Not all counts are in them: why, and what else to say.
  bool IsPartial = false;
  /// Something could not be added to the profile of earlier runs.
  bool IsApart = false;
  /// A profile could not be written; the others are.
  bool IsUnwritten = false;
  std::vector<std::string> Warnings;
};

/// Writes a profile for each target and route. A partial one gets a name that
/// says so, unless it is accepted, and is added to other partial ones. What
/// cannot be added, as to a profile of another route (MixedBuild), is written
/// beside it, in a file of its own. What cannot be written keeps no other from
/// it. Fails, with nothing written, if nothing has counted (NoCounters).
llvm::Expected<Collection> writeCollection(const Collected &Found,
                                           SampledCode Sampled,
                                           const CollectionOptions &Options);

/// "a.profdata" with \p Word inserted: "a.word.profdata".
std::string withWord(llvm::StringRef Path, llvm::StringRef Word);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_COLLECTION_H
