// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which runs of instructions a wave counts in registers of its own: those that
// it may execute often.
#ifndef BLOCK_COUNT_KEPTRUNS_H
#define BLOCK_COUNT_KEPTRUNS_H

#include "luthier/Analysis.h"
#include "luthier/InstructionRuns.h"
#include "luthier/MachineIR.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineLoopInfo.h"

/// Runs by their first instructions.
struct KeptRuns {
  /// Those that have a counter with room for all that a wave can execute, of
  /// two pairs of scalar registers.
  llvm::SmallVector<llvm::MachineInstr *> Wide;
  /// Those that a wave executes no more often than one of these, with a counter
  /// of a pair.
  llvm::SmallVector<llvm::MachineInstr *> Narrow;
};

class KeptRunChooser {
public:
  KeptRunChooser(luthier::LiftedRepresentation &LR,
                 llvm::ArrayRef<luthier::InstructionRun> Runs)
      : LR(LR), Runs(Runs), Left(roomFor(LR)) {
    for (const luthier::InstructionRun &Run : Runs)
      FirstOf.try_emplace(Run.First->getParent(), Run.First);
    for (auto &[Symbol, MF] : LR.functions())
      look(*MF, MF == LR.functions().front().second);
  }

  /// At most \p Most: those in the innermost loops first; the body of a
  /// function that the kernel calls counts as a loop. None where waves may end
  /// in code that is not lifted, in which nobody adds what they have counted.
  KeptRuns choose(size_t Most) {
    if (LR.hasUnresolvedTransfers())
      return {};
    for (unsigned Depth = Deepest; Depth; --Depth)
      for (const luthier::InstructionRun &Run : Runs)
        if (Blocks.lookup(Run.First->getParent()).Depth == Depth)
          take(*Run.First, Most);
    return std::move(Result);
  }

private:
  struct Block {
    unsigned Depth = 0;
    /// A wave comes there at least as often; none if that is not known.
    const llvm::MachineBasicBlock *Bound = nullptr;
  };

  /// In pairs of registers: the rest is for the kernel and for hooks.
  static size_t roomFor(const luthier::LiftedRepresentation &LR) {
    constexpr unsigned Registers = 100, OfHooks = 24;
    const unsigned Taken = luthier::Analysis(LR).registerUse().SGPRs + OfHooks;
    return Taken < Registers ? (Registers - Taken) / 2 : 0;
  }

  /// Each turn of a loop comes through its header, and each call of a function
  /// through its first block, unless there are loops of another kind.
  void look(llvm::MachineFunction &MF, bool IsKernel) {
    llvm::MachineDominatorTree Dominators(MF);
    const llvm::MachineLoopInfo Loops(Dominators);
    llvm::ReversePostOrderTraversal<llvm::MachineFunction *> Order(&MF);
    const bool IsReducible =
        !llvm::containsIrreducibleCFG<llvm::MachineBasicBlock *>(Order, Loops);
    for (const llvm::MachineBasicBlock &MBB : MF) {
      const llvm::MachineLoop *Loop = Loops.getLoopFor(&MBB);
      Block &Its = Blocks[&MBB];
      Its.Depth = Loops.getLoopDepth(&MBB) + !IsKernel;
      if (IsReducible)
        Its.Bound = Loop ? Loop->getHeader() : &MF.front();
      Deepest = std::max(Deepest, Its.Depth);
    }
  }

  bool isTaken(const llvm::MachineInstr &First) const {
    return llvm::is_contained(Result.Wide, &First) ||
           llvm::is_contained(Result.Narrow, &First);
  }

  void take(llvm::MachineInstr &First, size_t Most) {
    if (isTaken(First))
      return;
    llvm::MachineInstr *Bound =
        FirstOf.lookup(Blocks.lookup(First.getParent()).Bound);
    if (!Bound || Bound == &First)
      return takeInto(Result.Wide, First, 2, Most);
    if (!isTaken(*Bound))
      takeInto(Result.Wide, *Bound, 2, Most);
    if (llvm::is_contained(Result.Wide, Bound))
      takeInto(Result.Narrow, First, 1, Most);
  }

  void takeInto(llvm::SmallVector<llvm::MachineInstr *> &To,
                llvm::MachineInstr &First, size_t Pairs, size_t Most) {
    if (Left < Pairs || Result.Wide.size() + Result.Narrow.size() == Most)
      return;
    Left -= Pairs;
    To.push_back(&First);
  }

  luthier::LiftedRepresentation &LR;
  llvm::ArrayRef<luthier::InstructionRun> Runs;
  size_t Left;
  unsigned Deepest = 0;
  llvm::DenseMap<const llvm::MachineBasicBlock *, Block> Blocks;
  llvm::DenseMap<const llvm::MachineBasicBlock *, llvm::MachineInstr *> FirstOf;
  KeptRuns Result;
};

#endif // BLOCK_COUNT_KEPTRUNS_H
