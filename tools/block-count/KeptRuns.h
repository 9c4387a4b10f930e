// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which runs of instructions a wave counts in registers of its own: those that
// it may execute often.
#ifndef BLOCK_COUNT_KEPTRUNS_H
#define BLOCK_COUNT_KEPTRUNS_H

#include "luthier/Analysis.h"
#include "luthier/InstructionRuns.h"
#include "luthier/MachineIR.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineLoopInfo.h"

/// So many counters, of a pair of scalar registers each, leave the rest to the
/// kernel and to hooks.
inline size_t roomForKept(const luthier::LiftedRepresentation &LR) {
  constexpr unsigned Registers = 100, OfHooks = 24;
  const unsigned Taken = luthier::Analysis(LR).registerUse().SGPRs + OfHooks;
  return Taken < Registers ? (Registers - Taken) / 2 : 0;
}

/// The first instructions of at most \p Most of \p Runs: those in the innermost
/// loops first; the body of a function that the kernel calls counts as a loop.
/// None where waves may end in code that is not lifted, in which nobody adds
/// what they have counted.
inline llvm::SmallVector<llvm::MachineInstr *>
keptRuns(luthier::LiftedRepresentation &LR,
         llvm::ArrayRef<luthier::InstructionRun> Runs, size_t Most) {
  if (LR.hasUnresolvedTransfers())
    return {};
  llvm::DenseMap<const llvm::MachineBasicBlock *, unsigned> Depth;
  for (auto &[Symbol, MF] : LR.functions()) {
    const bool IsKernel = MF == LR.functions().front().second;
    llvm::MachineDominatorTree Dominators(*MF);
    const llvm::MachineLoopInfo Loops(Dominators);
    for (const llvm::MachineBasicBlock &MBB : *MF)
      Depth[&MBB] = Loops.getLoopDepth(&MBB) + !IsKernel;
  }
  unsigned Deepest = 0;
  for (auto [MBB, D] : Depth)
    Deepest = std::max(Deepest, D);
  const size_t Room = std::min(Most, roomForKept(LR));
  llvm::SmallVector<llvm::MachineInstr *> Result;
  for (unsigned D = Deepest; D; --D)
    for (const luthier::InstructionRun &Run : Runs)
      if (Depth.lookup(Run.First->getParent()) == D && Result.size() < Room)
        Result.push_back(Run.First);
  return Result;
}

#endif // BLOCK_COUNT_KEPTRUNS_H
