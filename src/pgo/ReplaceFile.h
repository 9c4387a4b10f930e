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
/// that fails, what was there stays, and nothing else is left. Devices and
/// pipes are written as they are.
llvm::Error
replaceFile(const std::string &Path,
            llvm::function_ref<llvm::Error(const std::string &)> Write);

/// Fails if a file at \p Path, or beside it, could not be written now.
llvm::Error checkWritable(const std::string &Path);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_REPLACEFILE_H
