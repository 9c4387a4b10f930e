// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source lines for instrumented code: the application's own follow its
// instructions, payloads bring those of their hooks.
#ifndef LUTHIER_REWRITE_LINEINFO_H
#define LUTHIER_REWRITE_LINEINFO_H

#include "codeobject/LineTable.h"
#include "hook/Payload.h"
#include "rewrite/CodeWriter.h"

namespace luthier {

/// A copy of a payload in written code.
struct PlacedPayload {
  uint64_t Offset = 0; ///< From the start of the code.
  const Payload *Copied = nullptr;
};

/// By offset into \p Code. Code around payloads belongs to no line. \p Payloads
/// are in order of their offsets. Empty where neither the original nor a hook
/// has debug information.
LineTable linesOf(const LiftedRepresentation &LR, const WrittenCode &Code,
                  llvm::ArrayRef<PlacedPayload> Payloads);

} // namespace luthier

#endif // LUTHIER_REWRITE_LINEINFO_H
