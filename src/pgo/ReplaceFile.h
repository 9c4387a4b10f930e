// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are whole at any time: a profile may be the sum of many runs.
#ifndef LUTHIER_PGO_REPLACEFILE_H
#define LUTHIER_PGO_REPLACEFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <string>

namespace luthier::pgo {

/// Puts what \p Write writes to the path it is given in place of \p Path. Where
/// \p Write fails, what was there stays, and nothing else is left. Where only
/// the last step fails, the error names the file that has all. Devices, pipes,
/// and files in folders that take no others are written as they are.
llvm::Error
replaceFile(const std::string &Path,
            llvm::function_ref<llvm::Error(const std::string &)> Write);

/// Fails if \p Path could not be replaced or written now.
llvm::Error checkWritable(const std::string &Path);

/// While it lives, no other has one for a file in the folder of \p Path, in
/// this process or another: who reads a file, adds to it and replaces it needs
/// one. There is none where the file system has no locks, as some networks'
/// have not.
class FolderLock {
public:
  explicit FolderLock(const std::string &Path);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

private:
  int Folder;
};

} // namespace luthier::pgo

#endif // LUTHIER_PGO_REPLACEFILE_H
