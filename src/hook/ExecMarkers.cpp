// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ExecMarkers.h"
#include "hook/IntrinsicLowering.h"
#include "hook/ir/ScalarValues.h"
#include "llvm/ADT/STLExtras.h"
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

AnalysisID idOf(std::unique_ptr<Pass> P) { return P->getPassID(); }

} // namespace

void keepExecMarkersInStructurizer(TargetPassConfig &Config) {
  // The pass right before it on AMD GPUs; one can only add passes behind.
  Config.insertPass(idOf(std::unique_ptr<Pass>(createUnifyLoopExitsPass())),
                    new HideMarkers);
  const AnalysisID Structurizer =
      idOf(std::unique_ptr<Pass>(createStructurizeCFGPass()));
  Config.insertPass(Structurizer, new ShowMarkers);
  Config.insertPass(Structurizer, createScalarBranchPass());
}

} // namespace luthier
