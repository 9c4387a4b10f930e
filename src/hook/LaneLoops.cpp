// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/LaneLoops.h"
#include "hook/ScalarValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace luthier {

/// One comparison of scalars ends it, and there are no other conditions in it
/// but those of such loops: LLVM would decide them together.
static bool endsWithoutLanes(const Loop &L) {
  const BasicBlock *Exiting = L.getExitingBlock();
  if (!Exiting || !isScalarBranch(*Exiting->getTerminator()) ||
      !all_of(L.getSubLoops(),
              [](const Loop *Inner) { return endsWithoutLanes(*Inner); }))
    return false;
  return none_of(L.blocks(), [&](const BasicBlock *B) {
    const Instruction &End = *B->getTerminator();
    return B != Exiting && End.getNumSuccessors() > 1 &&
           none_of(L.getSubLoops(),
                   [&](const Loop *Inner) { return Inner->contains(B); });
  });
}

/// Where the loop ends by its own condition, and not by a way out of it that
/// may leave out what follows.
static BasicBlock *usualExit(const Loop &L) {
  for (const BasicBlock *End : {L.getLoopLatch(), L.getHeader()})
    if (End)
      for (BasicBlock *Next : successors(const_cast<BasicBlock *>(End)))
        if (!L.contains(Next))
          return Next;
  SmallVector<BasicBlock *, 4> Exits;
  L.getExitBlocks(Exits);
  return Exits.front();
}

void passOverLoopsWithoutLanes(Function &Hook) {
  DominatorTree Dominators(Hook);
  LoopInfo Loops(Dominators);
  // While one that needs it runs, lanes are active: those in it are no matter.
  for (Loop *L : to_vector(Loops.getTopLevelLoops())) {
    if (endsWithoutLanes(*L))
      continue;
    simplifyLoop(L, &Dominators, &Loops, nullptr, nullptr, nullptr,
                 /*PreserveLCSSA=*/false);
    formLCSSARecursively(*L, Dominators, &Loops, nullptr);
    BasicBlock *Before = L->getLoopPreheader();
    if (L->hasNoExitBlocks() || !Before)
      continue; // Nothing ends it, or nobody can tell where it begins.
    BasicBlock *Behind = usualExit(*L);
    IRBuilder<> B(Before->getTerminator());
    B.CreateCondBr(isAnyLaneActive(B), L->getHeader(), Behind);
    Before->getTerminator()->eraseFromParent();
    // What the loop would have computed does not exist.
    for (PHINode &Result : Behind->phis())
      Result.addIncoming(Constant::getNullValue(Result.getType()), Before);
    Dominators.recalculate(Hook);
  }
}

} // namespace luthier
