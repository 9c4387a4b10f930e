// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values for scalar registers. That all lanes have the same does not put a
// value there: what vector instructions load or compute is in vector registers,
// and where no lane is active it does not exist.
#ifndef LUTHIER_HOOK_SCALARVALUES_H
#define LUTHIER_HOOK_SCALARVALUES_H

namespace llvm {
class IRBuilderBase;
class Instruction;
class Value;
} // namespace llvm

namespace luthier {

/// \p V is a constant, or scalar instructions make it, whatever EXEC is.
bool isScalar(const llvm::Value &V);

/// \p End is a conditional branch that scalar instructions decide: by one
/// comparison, since LLVM makes of more than one a mask of lanes, of which
/// nothing is left where EXEC is zero.
bool isScalarBranch(const llvm::Instruction &End);

/// \p V, of 32 or 64 bits, in scalar registers: that of the first active lane,
/// or \p WithoutLanes where vector instructions would have made it and no lane
/// is active.
llvm::Value *inScalars(llvm::IRBuilderBase &B, llvm::Value *V,
                       llvm::Value *WithoutLanes);

/// \p V, in scalar registers, computed here and not behind another EXEC.
llvm::Value *computedHere(llvm::IRBuilderBase &B, llvm::Value *V);

/// False where EXEC is zero, in a scalar register.
llvm::Value *isAnyLaneActive(llvm::IRBuilderBase &B);

} // namespace luthier

#endif // LUTHIER_HOOK_SCALARVALUES_H
