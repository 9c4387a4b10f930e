// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/ExecWriteCalls.h"
#include "hook/ir/Placeholders.h"
#include "hook/ir/ScalarLowering.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Pass.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Utils.h"
#include <memory>

using namespace llvm;

namespace luthier {
namespace {

/// Writes of \p F that are instructions of \p Kind.
template <typename Kind> SmallVector<Kind *, 4> execWritesIn(Function &F) {
  SmallVector<Kind *, 4> Result;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<Kind>(&I))
      if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
          Asm && Asm->getAsmString() == WriteExecPlaceholder)
        Result.push_back(Call);
  return Result;
}

/// Turns terminators into calls.
class ExecWritesToCalls : public FunctionPass {
public:
  static char ID;
  ExecWritesToCalls() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Luthier EXEC hiding"; }

  bool runOnFunction(Function &F) override {
    const auto Writes = execWritesIn<CallBrInst>(F);
    for (CallBrInst *Write : Writes) {
      IRBuilder<> B(Write);
      SmallVector<Value *, 1> Arguments(Write->args());
      CallInst *Call = B.CreateCall(Write->getFunctionType(),
                                    Write->getCalledOperand(), Arguments);
      Call->setAttributes(Write->getAttributes());
      B.CreateBr(Write->getDefaultDest());
      Write->eraseFromParent();
    }
    if (Writes.empty())
      return false;
    F.addFnAttr(ExecWritesAttribute, std::to_string(Writes.size()));
    return true;
  }
};
char ExecWritesToCalls::ID = 0;

/// And back, each at the end of its block.
class CallsToExecWrites : public FunctionPass {
public:
  static char ID;
  CallsToExecWrites() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Luthier EXEC showing"; }

  bool runOnFunction(Function &F) override {
    const auto Calls = execWritesIn<CallInst>(F);
    for (CallInst *Call : Calls) {
      BasicBlock *Before = Call->getParent();
      BasicBlock *After =
          Before->splitBasicBlock(std::next(Call->getIterator()));
      Before->getTerminator()->eraseFromParent();
      SmallVector<Value *, 1> Arguments(Call->args());
      auto *Write =
          CallBrInst::Create(Call->getFunctionType(), Call->getCalledOperand(),
                             After, {}, Arguments, "", Before);
      Write->setAttributes(Call->getAttributes());
      Write->setDebugLoc(Call->getDebugLoc());
      Call->eraseFromParent();
    }
    return !Calls.empty();
  }
};
char CallsToExecWrites::ID = 0;

/// In LLVM 22.1.8, the structurizer moves what costs nothing, such as the cast
/// of a 32-bit index, up to where the ways part, and on ways that reach the
/// same join otherwise leaves poison in its place. (Mended later, see LLVM's
/// pull request 183792.) What is computed from something of its own block
/// stays: so each such value gets an operand that is made there, of nothing.
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

AnalysisID idOf(std::unique_ptr<Pass> P) { return P->getPassID(); }

} // namespace

FunctionPass *createPinFreeValuesPass() { return new PinFreeValues; }

void surroundStructurizer(TargetPassConfig &Config) {
  // The pass right before it on AMD GPUs; one can only add passes behind.
  const AnalysisID Before =
      idOf(std::unique_ptr<Pass>(createUnifyLoopExitsPass()));
  Config.insertPass(Before, createPinFreeValuesPass());
  Config.insertPass(Before, new ExecWritesToCalls);
  const AnalysisID Structurizer =
      idOf(std::unique_ptr<Pass>(createStructurizeCFGPass()));
  Config.insertPass(Structurizer, new CallsToExecWrites);
  Config.insertPass(Structurizer, createScalarBranchPass());
}

} // namespace luthier
