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

#include "hook/PassContext.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/ADT/StringRef.h"

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

/// \p V for an operation of the wave: until ScalarPass, a placeholder that
/// says \p Use ("the mask of luthier::writeExec") should \p V be no scalar.
llvm::Value *requireScalar(llvm::IRBuilderBase &B, llvm::Value *V,
                           llvm::StringRef Use);

/// Lowers all those placeholders and, in functions that act on the wave (see
/// actsOnWave()), the conditions of scalar branches: those become tests of
/// numbers that s_cmp makes. Expects that nothing of Luthier's is left to
/// lower. Leaves integer arithmetic of 32 and 64 bits and placeholders, for all
/// of which LLVM selects scalar instructions; notes Payload::ActsOnWave, and in
/// an attribute how many operations of the wave lanes decide about. Refuses
/// operands that are not made of scalars.
class ScalarPass : public IRPass {
public:
  llvm::StringRef name() const override { return "scalars"; }
  llvm::Error run(llvm::Function &F, PassContext &C) override;
};

/// An IR pass of code generation, for functions that act on the wave. Expects
/// what LLVM's structurizer leaves. Conditions that the structurizer made of
/// scalar ones become numbers, too. Reports an error if lanes have come to
/// decide about an operation of the wave that they did not decide about before.
llvm::Pass *createScalarBranchPass(PassContext &C);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_SCALARLOWERING_H
