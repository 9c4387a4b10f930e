// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where hooks ended up in the written code: their source lines among the
// application's, the literals that wait for addresses of their variables, and
// the original instructions that they precede.
#ifndef LUTHIER_REWRITE_EMIT_PLACEDPAYLOADS_H
#define LUTHIER_REWRITE_EMIT_PLACEDPAYLOADS_H

#include "codeobject/LineTable.h"
#include "hook/Payload.h"
#include "rewrite/Result.h"
#include "rewrite/emit/CodeWriter.h"
#include "rewrite/plan/VariantPlan.h"

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

/// Where the copies of \p Payloads that are \p Placed have literals that
/// become halves of addresses.
/// \p Variants says whose payloads they are.
std::vector<PlacedFixup> placeFixups(llvm::ArrayRef<PlacedPayload> Placed,
                                     llvm::ArrayRef<Payload> Payloads,
                                     llvm::ArrayRef<PayloadVariant> Variants);

/// One entry for each call site of \p Plan, in its order.
std::vector<PlacedHook> placedHooks(const LiftedRepresentation &LR,
                                    const VariantPlan &Plan);

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_PLACEDPAYLOADS_H
