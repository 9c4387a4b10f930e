// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of one loaded code object as a file that LLVM's own runtime would
// write (.profraw), so that llvm-profdata reads it.
#ifndef LUTHIER_PGO_RAWPROFILE_H
#define LUTHIER_PGO_RAWPROFILE_H

#include "pgo/CounterSections.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace luthier::pgo {

/// Copies from the device what lies at an address as linked.
using ReadDevice = llvm::function_ref<llvm::Error(
    uint64_t Address, llvm::MutableArrayRef<uint8_t> To)>;

/// Fails as \p Read does.
llvm::Expected<std::vector<uint8_t>>
makeRawProfile(const CounterSections &Sections, ReadDevice Read);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_RAWPROFILE_H
