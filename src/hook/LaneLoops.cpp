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

static bool endsWithoutLanes(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return all_of(Exiting, [](const BasicBlock *B) {
    const Instruction &End = *B->getTerminator();
    if (auto *Branch = dyn_cast<BranchInst>(&End))
      return isScalar(*Branch->getCondition());
    auto *Switch = dyn_cast<SwitchInst>(&End);
    return Switch && isScalar(*Switch->getCondition());
  });
}

/// The outermost loops that need it. While such a loop runs, lanes are active,
/// those in it included.
static void collect(ArrayRef<Loop *> Loops, SmallVectorImpl<Loop *> &Result) {
  for (Loop *L : Loops)
    if (endsWithoutLanes(*L))
      collect(L->getSubLoops(), Result);
    else
      Result.push_back(L);
}

void passOverLoopsWithoutLanes(Function &Hook) {
  DominatorTree Dominators(Hook);
  LoopInfo Loops(Dominators);
  SmallVector<Loop *, 4> Found;
  collect(Loops.getTopLevelLoops(), Found);
  for (Loop *L : Found) {
    simplifyLoop(L, &Dominators, &Loops, nullptr, nullptr, nullptr,
                 /*PreserveLCSSA=*/false);
    formLCSSARecursively(*L, Dominators, &Loops, nullptr);
    SmallVector<BasicBlock *, 4> Exits;
    L->getExitBlocks(Exits);
    BasicBlock *Before = L->getLoopPreheader();
    if (Exits.empty() || !Before)
      continue; // Nothing ends it, or nobody can tell where it begins.
    BasicBlock *Behind = Exits.front();
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
