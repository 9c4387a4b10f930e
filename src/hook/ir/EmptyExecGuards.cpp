// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/EmptyExecGuards.h"
#include "hook/ir/ScalarLowering.h"
#include "hook/ir/ScalarPlaceholders.h"
#include "hook/ir/WaveEffects.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace luthier {
namespace {

/// Scalar instructions decide about every way out of it.
bool endsWithEmptyExec(const Loop &L, const Function &Hook) {
  ScalarAnalysis Scalars(Hook, payloadLeaves());
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return all_of(Exiting, [&](const BasicBlock *Block) {
    return Scalars.isScalarBranch(*Block);
  });
}

/// Where the loop ends by its own condition, and not by a way out of it that
/// may leave out what follows, or leave the loop around it as well.
BasicBlock *usualExit(const Loop &L) {
  const Loop *Around = L.getParentLoop();
  auto isUsual = [&](const BasicBlock *Next) {
    return !L.contains(Next) && (!Around || Around->contains(Next));
  };
  for (const BasicBlock *End : {L.getLoopLatch(), L.getHeader()})
    if (End)
      for (BasicBlock *Next : successors(const_cast<BasicBlock *>(End)))
        if (isUsual(Next))
          return Next;
  SmallVector<BasicBlock *, 4> Exits;
  L.getExitBlocks(Exits);
  auto *Usual = find_if(Exits, isUsual);
  return Usual == Exits.end() ? nullptr : *Usual;
}

/// Has \p Before, which goes to \p Begin, go to \p Join instead where no lane
/// is active. What would have been computed on the way does not exist.
void skipIfEmpty(BasicBlock &Before, BasicBlock &Begin, BasicBlock &Join) {
  Instruction *End = Before.getTerminator();
  IRBuilder<> B(End);
  B.CreateCondBr(B.CreateICmpNE(anyLaneActive(B), B.getInt32(0)), &Begin,
                 &Join);
  End->eraseFromParent();
  for (PHINode &Result : Join.phis())
    Result.addIncoming(Constant::getNullValue(Result.getType()), &Before);
}

/// While a loop that needs a guard runs, lanes are active: those inside of it
/// need none of their own. One that scalars end turns without lanes, and what
/// the wave does in it happens, so only those inside of it may need one.
void guardLoop(Loop &L, Function &Hook, DominatorTree &Dominators,
               LoopInfo &Loops) {
  if (endsWithEmptyExec(L, Hook)) {
    for (Loop *Inner : to_vector(L.getSubLoops()))
      guardLoop(*Inner, Hook, Dominators, Loops);
    return;
  }
  simplifyLoop(&L, &Dominators, &Loops, nullptr, nullptr, nullptr,
               /*PreserveLCSSA=*/false);
  formLCSSARecursively(L, Dominators, &Loops, nullptr);
  BasicBlock *Before = L.getLoopPreheader();
  BasicBlock *Exit = usualExit(L);
  if (!Before || !Exit)
    return; // Nobody can tell where it begins, or nothing ends it.
  skipIfEmpty(*Before, *L.getHeader(), *Exit);
  Dominators.recalculate(Hook);
}

void guardLoops(Function &Hook) {
  DominatorTree Dominators(Hook);
  LoopInfo Loops(Dominators);
  for (Loop *L : to_vector(Loops.getTopLevelLoops()))
    guardLoop(*L, Hook, Dominators, Loops);
}

/// So that ways that part join again.
void joinReturns(Function &Hook) {
  SmallVector<ReturnInst *, 4> Returns;
  for (BasicBlock &Block : Hook)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()))
      Returns.push_back(Return);
  if (Returns.size() < 2)
    return;
  auto *End = BasicBlock::Create(Hook.getContext(), "", &Hook);
  ReturnInst::Create(Hook.getContext(), End);
  for (ReturnInst *Return : Returns) {
    BranchInst::Create(End, Return->getIterator());
    Return->eraseFromParent();
  }
}

/// \p Head ends with a condition that is none of scalars, and decides about an
/// operation of the wave.
bool needsGuard(const BasicBlock &Head, ScalarAnalysis &Scalars) {
  return Head.getTerminator()->getNumSuccessors() > 1 &&
         !Scalars.hasActiveLane(Head) && !Scalars.isScalarBranch(Head) &&
         Scalars.joinOf(Head) &&
         none_of(successors(&Head),
                 [&](const BasicBlock *Next) {
                   const Loop *L = Scalars.loops().getLoopFor(&Head);
                   return L && !L->contains(Next);
                 }) &&
         any_of(Scalars.regionOf(Head), [](const BasicBlock *Block) {
           return any_of(*Block,
                         [](const Instruction &I) { return isWaveEffect(I); });
         });
}

void guardConditions(Function &Hook, TargetMachine &TM) {
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Heads;
  {
    ScalarAnalysis Scalars(Hook, payloadLeaves());
    if (none_of(Hook, [&](BasicBlock &B) { return needsGuard(B, Scalars); }))
      return;
  }
  joinReturns(Hook);
  ScalarAnalysis Scalars(Hook, payloadLeaves());
  FunctionAnalysisManager FAM;
  PassBuilder(&TM).registerFunctionAnalyses(FAM);
  auto &Uniformity = FAM.getResult<UniformityInfoAnalysis>(Hook);
  for (BasicBlock &Head : Hook)
    // LLVM goes neither way where it knows lanes to differ, and none is there.
    if (needsGuard(Head, Scalars) && !Uniformity.hasDivergentTerminator(Head))
      Heads.emplace_back(&Head, const_cast<BasicBlock *>(Scalars.joinOf(Head)));
  for (auto [Head, Join] : Heads) {
    BasicBlock *Choice = Head->splitBasicBlock(Head->getTerminator());
    skipIfEmpty(*Head, *Choice, *Join);
  }
}

} // namespace

Error EmptyExecGuardPass::run(Function &F, PassContext &C) {
  if (!actsOnWave(F))
    return Error::success();
  guardLoops(F);
  guardConditions(F, C.TM);
  return Error::success();
}

} // namespace luthier
