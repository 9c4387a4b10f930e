// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `luthier pgo collect` has been asked for.
#ifndef LUTHIER_CLI_COLLECTOPTIONS_H
#define LUTHIER_CLI_COLLECTOPTIONS_H

#include "pgo/Collection.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace luthier::cli {

struct CollectOptions {
  pgo::CollectionOptions Written = {.Output = "kernels.profdata"};
  pgo::SampleOptions Samples;
  std::string RawFolder;
  /// Whether hooks count instructions, or the emulated GPU; as it fits.
  std::optional<bool> ByHooks;
  bool FindsCalls = false, Help = false;
  /// What luthier exec has counted, in place of a program that is run; the file
  /// with that code, and which of it.
  std::string ExecCounts, Code, Target;
  std::vector<std::string> Others; ///< For luthier run.
};

/// Takes this command's own options out; the rest is luthier run's. Throws
/// RunError.
CollectOptions parseCollectOptions(llvm::ArrayRef<std::string> Arguments);

} // namespace luthier::cli

#endif // LUTHIER_CLI_COLLECTOPTIONS_H
