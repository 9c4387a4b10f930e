// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that `luthier info` and `luthier lift` look at.
#ifndef LUTHIER_CLI_INSPECTEDFILE_H
#define LUTHIER_CLI_INSPECTEDFILE_H

#include "codeobject/FatBinary.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace luthier::cli {

struct InspectedFile {
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  std::vector<BundledCodeObject> Images;

  /// Fails if the file cannot be read, is damaged, or holds no code for AMD
  /// GPUs; with \p Target ("gfx90a", "gfx90a:xnack-"; may be null) also if none
  /// of it is for that. Settings that \p Target leaves out match any.
  static llvm::Expected<InspectedFile> open(const std::string &Path,
                                            const std::string *Target);
};

/// Settings that \p Wanted leaves out match any.
bool matchesTarget(const TargetID &Have, const TargetID &Wanted);

/// Prints "luthier: error: ..." for \p E, and returns the exit code.
int reportError(llvm::Error E);

/// A kernel's name as its author wrote it, with parameter types.
std::string readableName(llvm::StringRef Name);

/// The kernel that somebody calls \p Wanted: by its symbol, or by any part of
/// its readable name that only one kernel has: with parameters, with scopes, or
/// alone. The error lists what is near.
llvm::Expected<const KernelInfo &> findKernelByName(const CodeObject &Object,
                                                    llvm::StringRef Wanted);

} // namespace luthier::cli

#endif // LUTHIER_CLI_INSPECTEDFILE_H
