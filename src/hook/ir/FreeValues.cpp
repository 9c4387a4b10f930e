// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/FreeValues.h"
#include "hook/ir/ScalarLowering.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace luthier {
namespace {

class PinFreeValues : public FunctionPass {
public:
  static char ID;
  PinFreeValues() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Luthier free values"; }
  bool runOnFunction(Function &F) override;
};
char PinFreeValues::ID = 0;

/// LLVM may count it as free, and \p Block computes it from nothing of its own.
bool canBeMovedUp(const Instruction &I, const BasicBlock &Block) {
  return I.getParent() == &Block &&
         isa<CastInst, FreezeInst, GetElementPtrInst, ExtractElementInst,
             InsertElementInst, ShuffleVectorInst, ExtractValueInst>(I) &&
         none_of(I.operands(), [&](const Use &Operand) {
           auto *Def = dyn_cast<Instruction>(Operand);
           return Def && Def->getParent() == &Block;
         });
}

bool PinFreeValues::runOnFunction(Function &F) {
  SmallSetVector<Instruction *, 8> Values;
  for (BasicBlock &Join : F)
    for (PHINode &Phi : Join.phis())
      for (auto [Value, Block] : zip_equal(Phi.incoming_values(), Phi.blocks()))
        if (auto *I = dyn_cast<Instruction>(Value);
            I && canBeMovedUp(*I, *Block))
          Values.insert(I);
  if (Values.empty())
    return false;
  ScalarAnalysis Scalars(F, payloadLeaves());
  for (Instruction *I : Values)
    for (Use &Operand : I->operands()) {
      Type *T = Operand->getType();
      const unsigned Bits = T->isPointerTy()
                                ? F.getDataLayout().getTypeSizeInBits(T)
                                : unsigned(T->getPrimitiveSizeInBits());
      if (!isa<Instruction>(Operand) || T->isVectorTy() ||
          (Bits != 32 && Bits != 64))
        continue;
      IRBuilder<> B(I);
      auto *FT = FunctionType::get(T, T, false);
      Operand.set(B.CreateCall(
          InlineAsm::get(FT, "",
                         Scalars.isScalar(*Operand, *I->getParent()) ? "=s,0"
                                                                     : "=v,0",
                         /*hasSideEffects=*/true),
          Operand.get()));
      break;
    }
  return true;
}

} // namespace

Pass *createPinFreeValuesPass(PassContext &) { return new PinFreeValues; }

} // namespace luthier
