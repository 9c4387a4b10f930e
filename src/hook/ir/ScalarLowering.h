// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of operations of the wave (counters, definitions of EXEC, writes of
// scalar registers). They are made of scalars and computed by scalar
// instructions, exactly as written whatever EXEC is; all others are refused.
//
// LLVM alone does not keep to that: to it a condition of more than one
// comparison, or one with two users, is a mask of lanes, a choice by it a
// v_cndmask, and a division arithmetic of floating point. So conditions become
// numbers that are 1 or 0 here, made by placeholders (ScalarPlaceholders.h),
// and whatever has no scalar instruction of its own is put together from those
// that have one.
#ifndef LUTHIER_HOOK_IR_SCALARLOWERING_H
#define LUTHIER_HOOK_IR_SCALARLOWERING_H

#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class IRBuilderBase;
class Pass;
} // namespace llvm

namespace luthier {

/// Attribute of functions that act on the wave: how many operations of the wave
/// lanes decide about.
inline constexpr const char *LaneEffectsAttribute = "luthier-lane-effects";

/// What begins computations of a payload.
ScalarAnalysis::LeafRule payloadLeaves();

/// \p V for an operation of the wave: until lowerScalars(), a placeholder that
/// says \p Use ("the mask of luthier::writeExec") should \p V be no scalar.
llvm::Value *requireScalar(llvm::IRBuilderBase &B, llvm::Value *V,
                           llvm::StringRef Use);

/// Lowers all those placeholders and the conditions of scalar branches. Where
/// \p ActsOnWave, also keeps branches that vector instructions decide, but not
/// lane by lane, from being decided by nothing where no lane is active: then
/// neither way is gone.
llvm::Error lowerScalars(llvm::Function &F, bool ActsOnWave);

/// IR pass, behind LLVM's structurizer, for functions that act on the wave:
/// conditions that the structurizer made of scalar ones become numbers, too.
/// Reports an error if lanes have come to decide about an operation of the wave
/// that they did not decide about before.
llvm::Pass *createScalarBranchPass();

} // namespace luthier

#endif // LUTHIER_HOOK_IR_SCALARLOWERING_H
