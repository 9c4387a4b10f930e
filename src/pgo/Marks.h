// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether counts of a release's instructions can become a profile of its
// source.
#ifndef LUTHIER_PGO_MARKS_H
#define LUTHIER_PGO_MARKS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace luthier::pgo {

/// Whether \p Elf may have probes or line tables, as its sections are called.
bool hasMarks(llvm::ArrayRef<uint8_t> Elf);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_MARKS_H
