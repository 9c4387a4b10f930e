// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device libraries for builds that use a profile of samples. LLVM inlines a
// function into one with such a profile only if it is marked as having one,
// too, and the distribution's libraries are not.
#ifndef LUTHIER_PGO_SAMPLELIBRARIES_H
#define LUTHIER_PGO_SAMPLELIBRARIES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <string>

namespace luthier::pgo {

/// Writes the bitcode files (*.bc) of the folder \p From into \p To, which is
/// made if need be, with all functions marked. Returns how many files there
/// are. Fails if there are none, or one is no bitcode.
llvm::Expected<size_t> makeSampleLibraries(llvm::StringRef From,
                                           llvm::StringRef To);

/// The folder of the device libraries that a compiler takes, by what it says of
/// its steps (`-###`); empty if it takes none.
std::string deviceLibrariesIn(llvm::StringRef Steps);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_SAMPLELIBRARIES_H
