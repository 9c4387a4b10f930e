// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons and choices that must not become masks of lanes: placeholders in
// IR, of which LLVM knows only that scalar registers go in and come out.
// codegen/ScalarConditions.h puts s_cmp and s_cselect there.
#ifndef LUTHIER_HOOK_IR_SCALARPLACEHOLDERS_H
#define LUTHIER_HOOK_IR_SCALARPLACEHOLDERS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace luthier {

/// Followed by the number of LLVM's predicate.
inline constexpr llvm::StringLiteral ComparePlaceholder = "luthier::compare ";
inline constexpr llvm::StringLiteral SelectPlaceholder = "luthier::select";

/// 1 or 0, of 32 bits, for scalars \p A and \p C of 32 or 64 bits.
llvm::Value *compareScalars(llvm::IRBuilderBase &B,
                            llvm::CmpInst::Predicate Predicate, llvm::Value *A,
                            llvm::Value *C);
/// \p A where \p Condition, of 32 bits, is not zero, and else \p C.
llvm::Value *selectScalar(llvm::IRBuilderBase &B, llvm::Value *Condition,
                          llvm::Value *A, llvm::Value *C);

/// \p V, in scalar registers, computed here and not behind another EXEC.
llvm::Value *pinHere(llvm::IRBuilderBase &B, llvm::Value *V);

/// 1 where some lane is active, of 32 bits, and else 0.
llvm::Value *anyLaneActive(llvm::IRBuilderBase &B);

/// \p V of the first active lane, or \p WithoutLanes, a scalar, where there is
/// none. Numbers and pointers of 32 or 64 bits.
llvm::Value *firstLane(llvm::IRBuilderBase &B, llvm::Value *V,
                       llvm::Value *WithoutLanes);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_SCALARPLACEHOLDERS_H
