// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ExecMarkers.h"
#include "hook/IntrinsicLowering.h"
#include "hook/ir/ScalarValues.h"
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

/// Markers of \p F that are instructions of \p Kind.
template <typename Kind> SmallVector<Kind *, 4> markersIn(Function &F) {
  SmallVector<Kind *, 4> Result;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<Kind>(&I))
      if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
          Asm && Asm->getAsmString() == WriteExecMarker)
        Result.push_back(Call);
  return Result;
}

/// Turns terminators into calls.
class HideMarkers : public FunctionPass {
public:
  static char ID;
  HideMarkers() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Luthier EXEC hiding"; }

  bool runOnFunction(Function &F) override {
    const auto Markers = markersIn<CallBrInst>(F);
    for (CallBrInst *Marker : Markers) {
      IRBuilder<> B(Marker);
      SmallVector<Value *, 1> Arguments(Marker->args());
      CallInst *Call = B.CreateCall(Marker->getFunctionType(),
                                    Marker->getCalledOperand(), Arguments);
      Call->setAttributes(Marker->getAttributes());
      B.CreateBr(Marker->getDefaultDest());
      Marker->eraseFromParent();
    }
    if (Markers.empty())
      return false;
    F.addFnAttr(ExecMarkersAttribute, std::to_string(Markers.size()));
    return true;
  }
};
char HideMarkers::ID = 0;

/// And back, each at the end of its block.
class ShowMarkers : public FunctionPass {
public:
  static char ID;
  ShowMarkers() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Luthier EXEC showing"; }

  bool runOnFunction(Function &F) override {
    const auto Calls = markersIn<CallInst>(F);
    for (CallInst *Call : Calls) {
      BasicBlock *Before = Call->getParent();
      BasicBlock *After =
          Before->splitBasicBlock(std::next(Call->getIterator()));
      Before->getTerminator()->eraseFromParent();
      SmallVector<Value *, 1> Arguments(Call->args());
      auto *Marker =
          CallBrInst::Create(Call->getFunctionType(), Call->getCalledOperand(),
                             After, {}, Arguments, "", Before);
      Marker->setAttributes(Call->getAttributes());
      Marker->setDebugLoc(Call->getDebugLoc());
      Call->eraseFromParent();
    }
    return !Calls.empty();
  }
};
char ShowMarkers::ID = 0;

/// In LLVM 22.1.8, the structurizer moves what costs nothing, such as the cast
/// of a 32-bit index, up to where the ways part, and on ways that reach the
/// same join otherwise leaves poison in its place. (Mended later, see LLVM's
/// pull request 183792.) What is computed from something of its own block
/// stays: so each such value gets an operand that is made there, of nothing.
class KeepFreeValues : public FunctionPass {
public:
  static char ID;
  KeepFreeValues() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Luthier free values"; }
  bool runOnFunction(Function &F) override;
};
char KeepFreeValues::ID = 0;

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

bool KeepFreeValues::runOnFunction(Function &F) {
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

FunctionPass *createKeepFreeValuesPass() { return new KeepFreeValues; }

void keepExecMarkersInStructurizer(TargetPassConfig &Config) {
  // The pass right before it on AMD GPUs; one can only add passes behind.
  const AnalysisID Before =
      idOf(std::unique_ptr<Pass>(createUnifyLoopExitsPass()));
  Config.insertPass(Before, createKeepFreeValuesPass());
  Config.insertPass(Before, new HideMarkers);
  const AnalysisID Structurizer =
      idOf(std::unique_ptr<Pass>(createStructurizeCFGPass()));
  Config.insertPass(Structurizer, new ShowMarkers);
  Config.insertPass(Structurizer, createScalarBranchPass());
}

} // namespace luthier
