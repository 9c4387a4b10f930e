// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code that was compiled for coverage says of its functions' source.
#ifndef LUTHIER_PGO_COVERAGERECORDS_H
#define LUTHIER_PGO_COVERAGERECORDS_H

#include "codeobject/CodeObject.h"

namespace luthier::pgo {

/// Where units are linked for the GPU (-fgpu-rdc), the linker loses the names
/// of functions that no code is left of. llvm-cov refuses code with a record of
/// a function without name.
struct CoverageRecords {
  /// The code object, without such records.
  std::vector<uint8_t> Code;
  size_t NumDropped = 0;
};

/// Of an object with a section __llvm_covmap. Fails if what it has is damaged.
llvm::Expected<CoverageRecords> namedCoverageRecords(const CodeObject &Object);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_COVERAGERECORDS_H
