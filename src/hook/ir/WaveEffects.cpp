// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/WaveEffects.h"
#include "hook/ir/Placeholders.h"
#include "luthier/detail/ScalarOperations.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace luthier {

bool isWaveEffect(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (Call && isWaveInstruction(Call->getIntrinsicID()))
    return true;
  auto *Asm = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
  if (!Asm)
    return false;
  if (isa<CallBrInst>(I) || Asm->getAsmString() == WriteLanePlaceholder ||
      Asm->getAsmString() == AddCounterPlaceholder ||
      Asm->getAsmString() == AddWideCounterPlaceholder ||
      Asm->getAsmString() == SetHalfCounterPlaceholder)
    return true;
  // Scalar registers of the application, written by name.
  StringRef Constraints = Asm->getConstraintString();
  return Asm->getAsmString().empty() && Constraints.starts_with("{") &&
         !isVectorConstraint(Constraints);
}

bool actsOnWave(const Function &F) {
  return any_of(instructions(F), isWaveEffect);
}

} // namespace luthier
