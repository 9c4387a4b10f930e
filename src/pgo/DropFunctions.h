// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes functions out of a profile, so that they are compiled as without one.
#ifndef LUTHIER_PGO_DROPFUNCTIONS_H
#define LUTHIER_PGO_DROPFUNCTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace luthier::pgo {

/// Rewrites the file, of counters or of samples, without \p Functions, given by
/// symbol. Returns those that were in it. Leaves the file alone if none was, or
/// if it cannot be read or written.
llvm::Expected<std::vector<std::string>>
dropFunctions(const std::string &Path, llvm::ArrayRef<std::string> Functions);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_DROPFUNCTIONS_H
