// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExecOrder.h"
#include "AnalysisManagers.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ModRef.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace luthier {
namespace {

constexpr StringLiteral OrderedPrefix = "luthier.ordered.";
constexpr StringLiteral MayWriteExec = "luthier::detail::mayWriteExec";

bool isLaneOperation(const Function &F) {
  // Which size of waves a kernel has, the engine knows.
  if (F.getIntrinsicID() == Intrinsic::amdgcn_wavefrontsize)
    return true;
  return F.isIntrinsic() && F.isConvergent() && F.doesNotAccessMemory() &&
         !F.getReturnType()->isTokenTy();
}

Function *orderedForm(Function &Operation) {
  auto *F = Function::Create(
      Operation.getFunctionType(), GlobalValue::ExternalLinkage,
      OrderedPrefix + Operation.getName(), Operation.getParent());
  for (Attribute::AttrKind Kind :
       {Attribute::Convergent, Attribute::NoUnwind, Attribute::WillReturn,
        Attribute::NoMerge, Attribute::NoCallback, Attribute::NoFree})
    F->addFnAttr(Kind);
  F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly(ModRefInfo::Ref));
  return F;
}

/// Gives \p Name, which may have been dropped in between, back.
Function *plainForm(Module &M, StringRef Name, FunctionType *Type) {
  if (Function *Known = M.getFunction(Name))
    return Known;
  auto *F = Function::Create(Type, GlobalValue::ExternalLinkage, Name, &M);
  F->setAttributes(
      Intrinsic::getAttributes(M.getContext(), F->getIntrinsicID(), Type));
  return F;
}

/// Stands for a value that may be the same in all lanes.
Value *uniformValue(IRBuilderBase &B, Type *T) {
  auto *FT = FunctionType::get(T, false);
  return B.CreateCall(InlineAsm::get(FT, "", "=s", true));
}

/// Values that the analysis would take to differ between lanes only because it
/// does not know them.
void assumeUniform(Function &F, const MCRegisterInfo &MRI) {
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  for (Argument &A : F.args())
    if (!A.use_empty())
      A.replaceAllUsesWith(uniformValue(B, A.getType()));
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->hasFnAttribute("luthier_intrinsic") ||
        Call->getType()->isVoidTy() || !yieldsScalar(*Call, MRI))
      continue;
    B.SetInsertPoint(Call);
    Call->replaceAllUsesWith(uniformValue(B, Call->getType()));
    Call->eraseFromParent();
  }
}

bool hasDivergentExit(const Cycle &Of, UniformityInfo &Uniformity) {
  SmallVector<BasicBlock *, 4> Exiting;
  Of.getExitingBlocks(Exiting);
  return any_of(Exiting, [&](const BasicBlock *Block) {
    return Uniformity.hasDivergentTerminator(*Block);
  });
}

} // namespace

OrderedLaneOperations::OrderedLaneOperations(Module &M) : M(M) {
  for (Function &F : make_early_inc_range(M))
    if (isLaneOperation(F))
      F.replaceAllUsesWith(orderedForm(F));
}

OrderedLaneOperations::~OrderedLaneOperations() {
  for (Function &F : make_early_inc_range(M)) {
    StringRef Name = F.getName();
    if (!Name.consume_front(OrderedPrefix))
      continue;
    F.replaceAllUsesWith(plainForm(M, Name, F.getFunctionType()));
    F.eraseFromParent();
  }
}

/// Whether \p Block runs only on one of the two ways of one of \p Decisions,
/// calls of mayWriteExec().
static bool isDecidedAbout(const BasicBlock &Block,
                           ArrayRef<CallInst *> Decisions,
                           const DominatorTree &Dominators) {
  return any_of(Decisions, [&](CallInst *Call) {
    return any_of(Call->users(), [&](const User *U) {
      auto *Branch = dyn_cast<BranchInst>(U);
      return Branch && any_of(successors(Branch), [&](const BasicBlock *Way) {
               return Dominators.dominates(
                   BasicBlockEdge(Branch->getParent(), Way), &Block);
             });
    });
  });
}

void decideAboutExecWrites(Function &Hook) {
  SmallVector<CallInst *, 4> Decisions;
  for (Instruction &I : instructions(Hook)) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee &&
        Callee->getFnAttribute("luthier_intrinsic").getValueAsString() ==
            MayWriteExec)
      Decisions.push_back(Call);
  }
  if (Decisions.empty())
    return;
  const DominatorTree Dominators(Hook);
  CycleInfo Cycles; // Loops that begin in the middle, too.
  Cycles.compute(Hook);
  const bool May = all_of(Cycles.toplevel_cycles(), [&](const Cycle *Of) {
    return all_of(Of->entries(), [&](const BasicBlock *Entry) {
      return isDecidedAbout(*Entry, Decisions, Dominators);
    });
  });
  Function &Question = *Decisions.front()->getCalledFunction();
  for (CallInst *Call : Decisions) {
    Call->replaceAllUsesWith(ConstantInt::getBool(Hook.getContext(), May));
    Call->eraseFromParent();
  }
  if (Question.use_empty())
    Question.eraseFromParent();
  for (BasicBlock &Block : Hook)
    ConstantFoldTerminator(&Block, /*DeleteDeadConditions=*/true);
  removeUnreachableBlocks(Hook);
}

bool writesExecInDivergentLoop(const Function &Hook, TargetMachine &TM) {
  ValueToValueMapTy Map;
  Function *F = CloneFunction(const_cast<Function *>(&Hook), Map);
  assumeUniform(*F, *TM.getMCRegisterInfo());
  AnalysisManagers Analyses(&TM);
  auto &Cycles = Analyses.FAM.getResult<CycleAnalysis>(*F);
  auto &Uniformity = Analyses.FAM.getResult<UniformityInfoAnalysis>(*F);
  bool Found = any_of(*F, [&](const BasicBlock &Block) {
    if (!isa<CallBrInst>(Block.getTerminator()))
      return false;
    for (const Cycle *Of = Cycles.getCycle(&Block); Of;
         Of = Of->getParentCycle())
      if (hasDivergentExit(*Of, Uniformity))
        return true;
    return false;
  });
  Analyses.FAM.clear();
  F->eraseFromParent();
  return Found;
}

} // namespace luthier
