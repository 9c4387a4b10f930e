// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a wave keeps, until it ends, how many lanes there were at branches that
// it executes once at most.
#ifndef BRANCH_DIVERGENCE_NOTES_H
#define BRANCH_DIVERGENCE_NOTES_H

#include "Branches.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

/// Of one branch: where both numbers are in Noted.
struct Note {
  uint32_t Taken, Lanes;
  /// The branch has to count them. Otherwise it has the lanes of another one,
  /// or those that another one leaves.
  bool CountsLanes;
};

/// Makes notes of the branches of \p LR, one after the other in the order of
/// the code.
class NotePlanner {
public:
  explicit NotePlanner(const luthier::LiftedRepresentation &LR)
      : Runs(luthier::instructionRuns(LR)), Groups(luthier::laneGroups(LR)) {
    for (const luthier::LaneGroup &G : Groups)
      if (G.IsOnce && G.Without.empty())
        for (const llvm::MachineInstr *MI : G.Instructions)
          GroupOf[MI] = &G;
  }

  Note add(const Branch &B) {
    size_t Run = runOf(*B.MI);
    const luthier::LaneGroup *Here = groupOf(Run);
    Note Result = {Used++, 0, true};
    if (const auto Known = Here ? Lanes.find(Here) : Lanes.end();
        Known != Lanes.end()) {
      Result.Lanes = Known->second;
      Result.CountsLanes = false;
    } else {
      Result.Lanes = Used++;
      if (Here)
        Lanes[Here] = Result.Lanes;
    }
    if (const luthier::LaneGroup *Behind = groupBehind(B, Run))
      Lanes.insert({Behind, Result.Taken});
    return Result;
  }

  /// Halves of counters.
  uint32_t used() const { return Used; }

private:
  /// Of instructionRuns().
  size_t runOf(const llvm::MachineInstr &MI) const {
    for (size_t N = 0; N < Runs.size(); ++N) {
      const llvm::MachineInstr *Next = Runs[N].First;
      for (unsigned Left = sizeOf(N); Left; --Left, Next = Next->getNextNode())
        if (Next == &MI)
          return N;
    }
    return Runs.size();
  }
  unsigned sizeOf(size_t Run) const {
    return Runs[Run].Scalar + Runs[Run].Vector;
  }

  /// That of the run's vector instructions, which have the lanes of all of it.
  const luthier::LaneGroup *groupOf(size_t Run) const {
    if (Run >= Runs.size())
      return nullptr;
    const llvm::MachineInstr *MI = Runs[Run].First;
    for (unsigned Left = sizeOf(Run); Left; --Left, MI = MI->getNextNode())
      if (const auto Known = GroupOf.find(MI); Known != GroupOf.end())
        return Known->second;
    return nullptr;
  }

  /// What is executed only with the lanes that go on, or for want of them not
  /// at all.
  const luthier::LaneGroup *groupBehind(const Branch &B, size_t Run) const {
    if (B.MI->isBranch() || Run >= Runs.size())
      return nullptr;
    const llvm::MachineBasicBlock *MBB = B.MI->getParent();
    for (++Run; Run < Runs.size(); ++Run) {
      const llvm::MachineBasicBlock *Next = Runs[Run].First->getParent();
      if (Next != MBB && (!MBB->isLayoutSuccessor(Next) ||
                          !MBB->isSuccessor(Next) || Next->pred_size() != 1))
        return nullptr;
      MBB = Next;
      if (Runs[Run].Vector)
        return groupOf(Run);
      const llvm::MachineInstr &Last =
          *std::next(Runs[Run].First->getIterator(), sizeOf(Run) - 1);
      if (luthier::mnemonicOf(Last) != "s_cbranch_execz")
        return nullptr;
    }
    return nullptr;
  }

  const std::vector<luthier::InstructionRun> Runs;
  const std::vector<luthier::LaneGroup> Groups;
  llvm::DenseMap<const llvm::MachineInstr *, const luthier::LaneGroup *>
      GroupOf;
  std::map<const luthier::LaneGroup *, uint32_t> Lanes;
  uint32_t Used = 0;
};

#endif // BRANCH_DIVERGENCE_NOTES_H
