// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with code for GPUs, and names of kernels in it.
#ifndef LUTHIER_CLI_INSPECTEDFILE_H
#define LUTHIER_CLI_INSPECTEDFILE_H

#include "codeobject/FatBinary.h"
#include "llvm/ADT/STLFunctionalExtras.h"
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
  /// of it is for that. Settings that \p Target leaves out match any. Code that
  /// is not linked, as in object files, is linked.
  static llvm::Expected<InspectedFile> open(const std::string &Path,
                                            const std::string *Target);
};

/// Of a program and of other files in which code of its kernels is. If there
/// are any, \p Program may be without, as scripts are.
llvm::Expected<std::vector<InspectedFile>>
openProgramCode(const std::string &Program, llvm::ArrayRef<std::string> Others);

/// Calls \p Use with each code object of \p Files, in their order, until it
/// fails.
llvm::Error forEachCodeObject(
    llvm::ArrayRef<InspectedFile> Files,
    llvm::function_ref<llvm::Error(std::unique_ptr<CodeObject>)> Use);

/// Settings that \p Wanted leaves out match any.
bool matchesTarget(const TargetID &Have, const TargetID &Wanted);

/// Keeps those of \p Images that are for \p Target; an error, which names
/// \p Path, if none is.
llvm::Error selectImages(std::vector<BundledCodeObject> &Images,
                         llvm::StringRef Target, llvm::StringRef Path);

/// Makes those of \p Images that are for a generic target code for \p Target,
/// if that is a processor that runs them and none is for that itself.
void takeGenericCode(std::vector<BundledCodeObject> &Images,
                     llvm::StringRef Target);

/// A kernel's name as its author wrote it, with parameter types.
std::string readableName(llvm::StringRef Name);

/// The kernel that somebody calls \p Wanted: by its symbol, or by any part of
/// its readable name that only one kernel has: with parameters, with scopes, or
/// alone. Null if there is none; the error for several lists them.
llvm::Expected<const KernelInfo *> findKernelByName(const CodeObject &Object,
                                                    llvm::StringRef Wanted);

/// "; near it: a, b, c, and 4 more", or nothing.
std::string listNearNames(const CodeObject &Object, llvm::StringRef Wanted);

} // namespace luthier::cli

#endif // LUTHIER_CLI_INSPECTEDFILE_H
