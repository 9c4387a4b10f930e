// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/ImplicitLoads.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace luthier {
namespace {

/// \p V points to, or into, the implicit arguments, however it comes there.
bool isImplicit(const Value *V) {
  for (;;) {
    if (const auto *GEP = dyn_cast<GetElementPtrInst>(V))
      V = GEP->getPointerOperand();
    else if (const auto *Cast = dyn_cast<AddrSpaceCastInst>(V))
      V = Cast->getPointerOperand();
    else if (const auto *Select = dyn_cast<SelectInst>(V))
      V = Select->getTrueValue();
    else
      break;
  }
  const auto *Call = dyn_cast<IntrinsicInst>(V);
  return Call && Call->getIntrinsicID() == Intrinsic::amdgcn_implicitarg_ptr;
}

/// The operand of \p I that decides between two places; null if none does.
Use *choiceOf(Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  if (!isa<GetElementPtrInst, AddrSpaceCastInst>(I) &&
      !(Load && Load->isSimple()))
    return nullptr;
  if (!isImplicit(I.getOperand(0)))
    return nullptr;
  for (Use &U : I.operands())
    if (auto *Select = dyn_cast<SelectInst>(U);
        Select && Select->getCondition()->getType()->isIntegerTy(1))
      return &U;
  return nullptr;
}

/// \p I for either outcome, and the choice behind it.
void separate(Instruction &I, unsigned Operand) {
  auto *Select = cast<SelectInst>(I.getOperand(Operand));
  IRBuilder<> B(&I);
  Value *Results[2];
  for (unsigned N = 0; N != 2; ++N) {
    Instruction *Copy = B.Insert(I.clone());
    Copy->setOperand(Operand,
                     N ? Select->getFalseValue() : Select->getTrueValue());
    Results[N] = Copy;
  }
  I.replaceAllUsesWith(
      B.CreateSelect(Select->getCondition(), Results[0], Results[1]));
  I.eraseFromParent();
}

bool separateFirst(Function &F) {
  for (Instruction &I : instructions(F))
    if (Use *Choice = choiceOf(I)) {
      separate(I, Choice->getOperandNo());
      return true;
    }
  return false;
}

} // namespace

Error ImplicitLoadPass::run(Function &F, PassContext &) {
  // Each step moves a choice closer to its loads, and in the end behind them.
  while (separateFirst(F))
    ;
  // Choices between addresses that nobody needs any more.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (isa<SelectInst, GetElementPtrInst, AddrSpaceCastInst>(I) &&
          I.use_empty()) {
        I.eraseFromParent();
        Changed = true;
      }
  }
  return Error::success();
}

} // namespace luthier
