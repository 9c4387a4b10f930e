// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that outputPath() names, where they are written more than once. A
// process holds a lock on each of its files while it lives, so that other runs
// into the same folder take other names.
#ifndef LUTHIER_RUNTIME_OUTPUTFILE_H
#define LUTHIER_RUNTIME_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <system_error>

namespace luthier::runtime {

/// outputPath(), or another name if the file there is not this process's any
/// more: the program may have closed the lock's descriptor.
std::string pathOfReport(llvm::StringRef FileName);
/// Puts the file \p New, which is beside it, in the place of \p FileName's.
std::error_code replaceReport(llvm::StringRef FileName, const std::string &New);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_OUTPUTFILE_H
