// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code at the seams between application and payloads has to wait for.
#ifndef LUTHIER_REWRITE_EMIT_HAZARDTRAITS_H
#define LUTHIER_REWRITE_EMIT_HAZARDTRAITS_H

#include "amdgpu/TargetTraits.h"

namespace luthier {

/// What code at the seams between application and payloads goes by.
using SeamTraits = TargetTraits;

inline const SeamTraits *seamTraits(llvm::StringRef Processor) {
  return targetTraits(Processor);
}

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_HAZARDTRAITS_H
