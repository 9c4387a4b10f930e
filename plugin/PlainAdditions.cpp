// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PlainAdditions.h"
#include "HookChecks.h"
#include "Variables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/AMDGPUAddrSpace.h"

using namespace llvm;

namespace luthier {
namespace {

bool mayLock(const Function &Hook) {
  return any_of(instructions(Hook), [](const Instruction &I) {
    auto *RMW = dyn_cast<AtomicRMWInst>(&I);
    return isa<AtomicCmpXchgInst>(I) ||
           (RMW && RMW->getOperation() == AtomicRMWInst::Xchg);
  });
}

/// One place for all lanes and waves that come to a call of the hook.
/// Beyond \p Depth operations, nobody is warned.
bool isSamePlace(const Value &Address, unsigned Depth = 8) {
  if (isa<Constant, Argument>(Address))
    return true;
  auto *I = dyn_cast<Instruction>(&Address);
  if (auto *Load = dyn_cast_or_null<LoadInst>(I))
    return isa<Constant>(Load->getPointerOperand());
  return I && Depth && isa<GetElementPtrInst, CastInst, BinaryOperator>(I) &&
         all_of(I->operands(), [Depth](const Use &Operand) {
           return isSamePlace(*Operand, Depth - 1);
         });
}

/// `*P = *P + ...`, or minus.
bool isAddition(const StoreInst &Store) {
  auto *Sum = dyn_cast<BinaryOperator>(Store.getValueOperand());
  if (!Sum || !is_contained({Instruction::Add, Instruction::Sub,
                             Instruction::FAdd, Instruction::FSub},
                            Sum->getOpcode()))
    return false;
  return any_of(Sum->operands(), [&](const Use &Operand) {
    auto *Load = dyn_cast<LoadInst>(Operand);
    return Load && !Load->isAtomic() &&
           Load->getPointerOperand()->stripPointerCasts() ==
               Store.getPointerOperand()->stripPointerCasts();
  });
}

} // namespace

void warnOfPlainAdditions(ArrayRef<Function *> Hooks) {
  for (const Function *Hook : Hooks) {
    if (mayLock(*Hook))
      continue;
    SmallPtrSet<const GlobalVariable *, 4> Known;
    for (const Instruction &I : instructions(*Hook)) {
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!Store || Store->isAtomic() || !isAddition(*Store) ||
          !isSamePlace(*Store->getPointerOperand()))
        continue;
      const GlobalVariable *Variable = variableAt(Store->getPointerOperand());
      if (!Variable || Variable->getAddressSpace() == AMDGPUAS::LOCAL_ADDRESS ||
          !Known.insert(Variable).second)
        continue;
      reportWarning(*Hook,
                    "what a hook adds to variable '" +
                        demangle(Variable->getName()) +
                        "' is lost where other lanes or waves add to it: this "
                        "is not atomic; call luthier::waveAdd or "
                        "luthier::waveAtomicAdd, or atomicAdd in each lane");
    }
  }
}

} // namespace luthier
