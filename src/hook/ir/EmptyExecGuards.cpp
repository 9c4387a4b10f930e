// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ir/EmptyExecGuards.h"
#include "hook/ir/ScalarLowering.h"
#include "hook/ir/ScalarPlaceholders.h"
#include "hook/ir/WaveEffects.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
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

/// LLVM would make one condition of a guard and of the choice behind it, which
/// vector instructions would decide: wrongly without lanes.
void keepApart(BasicBlock &Choice) {
  IRBuilder<> B(&Choice, Choice.begin());
  B.CreateCall(InlineAsm::get(FunctionType::get(B.getVoidTy(), false), "", "",
                              /*hasSideEffects=*/true));
}

/// So that ways that part join again. Behind a trap, nothing happens either
/// way.
void joinEnds(Function &Hook) {
  SmallVector<Instruction *, 4> Ends;
  for (BasicBlock &Block : Hook)
    if (isa<ReturnInst, UnreachableInst>(Block.getTerminator()))
      Ends.push_back(Block.getTerminator());
  if (Ends.size() < 2)
    return;
  auto *Joined = BasicBlock::Create(Hook.getContext(), "", &Hook);
  ReturnInst::Create(Hook.getContext(), Joined);
  for (Instruction *End : Ends) {
    BranchInst::Create(Joined, End->getIterator());
    End->eraseFromParent();
  }
}

/// \p Head ends with a condition that is none of scalars, and decides about an
/// operation of the wave.
bool decidesAboutWave(const BasicBlock &Head, ScalarAnalysis &Scalars) {
  return Head.getTerminator()->getNumSuccessors() > 1 &&
         !Scalars.hasActiveLane(Head) && !Scalars.isScalarBranch(Head) &&
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
  {
    ScalarAnalysis Scalars(Hook, payloadLeaves());
    if (none_of(Hook,
                [&](BasicBlock &B) { return decidesAboutWave(B, Scalars); }))
      return;
  }
  joinEnds(Hook);
  ScalarAnalysis Scalars(Hook, payloadLeaves());
  FunctionAnalysisManager FAM;
  PassBuilder(&TM).registerFunctionAnalyses(FAM);
  auto &Uniformity = FAM.getResult<UniformityInfoAnalysis>(Hook);
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Heads;
  for (BasicBlock &Head : Hook)
    // LLVM goes neither way where it knows lanes to differ, and none is there.
    if (auto *Join = const_cast<BasicBlock *>(Scalars.joinOf(Head));
        Join && decidesAboutWave(Head, Scalars) &&
        !Uniformity.hasDivergentTerminator(Head))
      Heads.emplace_back(&Head, Join);
  for (auto [Head, Join] : Heads) {
    BasicBlock *Choice = Head->splitBasicBlock(Head->getTerminator());
    skipIfEmpty(*Head, *Choice, *Join);
    keepApart(*Choice);
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
