// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of one loaded code object as a file that LLVM's own runtime would
// write (.profraw), so that llvm-profdata reads it.
#ifndef LUTHIER_PGO_RAWPROFILE_H
#define LUTHIER_PGO_RAWPROFILE_H

#include "pgo/ProfiledValues.h"
#include <vector>

namespace luthier::pgo {

/// Fails as \p Read does.
llvm::Expected<std::vector<uint8_t>>
makeRawProfile(const CounterSections &Sections, ReadDevice Read);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_RAWPROFILE_H
