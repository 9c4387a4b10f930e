// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses with constants in them that each call site has its own of.
#ifndef LUTHIER_HOOK_IR_LITERALADDRESSES_H
#define LUTHIER_HOOK_IR_LITERALADDRESSES_H

#include "hook/PassContext.h"

namespace luthier {

/// Addresses that are constant but for literals become literals themselves:
///   %slot = call i32 @luthier.argument(<literal 0>)
///   %wide = zext i32 %slot to i64
///   %sum = getelementptr i64, ptr inttoptr (i64 4096 to ptr), i64 %wide
/// yields a literal of 64 bits, with 4096 + 8 * (literal 0) for a value. Those
/// that differ by a constant share one, so that memory operations have the rest
/// as their offset. Expects bound variables; notes Payload::LiteralSums.
class LiteralAddressPass : public IRPass {
public:
  llvm::StringRef name() const override { return "literal-addresses"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

/// Metadata of an address that is such a literal.
inline constexpr const char *LiteralAddressMetadata = "luthier.literal";

} // namespace luthier

#endif // LUTHIER_HOOK_IR_LITERALADDRESSES_H
