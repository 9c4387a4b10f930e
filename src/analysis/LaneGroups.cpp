// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/ControlFlow.h"
#include "analysis/ExecMasks.h"
#include "luthier/InstructionRuns.h"
#include "llvm/ADT/GenericCycleImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineCycleAnalysis.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachinePostDominators.h"

using namespace llvm;

namespace luthier {
namespace {

/// What is looked for from one place on takes a pass over the kernel, which is
/// done so often at most: beside loops, in them, and for conditions in them.
constexpr unsigned MaxOriginsBesideLoops = 32, MaxOriginsInLoops = 8,
                   MaxPartings = 8;

using InstructionSet = ExecParts::Instructions;

class GroupFinder {
public:
  explicit GroupFinder(const LiftedRepresentation &LR)
      : LR(LR), MF(*LR.functions().front().second) {}

  std::vector<LaneGroup> run();

private:
  /// The end of a run of a loop, which takes away lanes that come back for an
  /// `else`.
  struct Parting {
    unsigned Group; ///< Of the run.
    const MachineInstr *Behind;
  };

  void addAlone();
  void noteParting(unsigned Group, const InstructionRun &Run);
  void join(bool IsOnce, unsigned MaxOrigins, const SameExec &Masks);
  void joinPartings(const SameExec &Masks);
  void joinParting(const Parting &At, const SameExec &Masks);
  bool isKernels(const LaneGroup &G) const {
    return G.Begin->getMF() == &MF && !G.Instructions.empty();
  }
  bool mayFollow(const LaneGroup &Other, const LaneGroup &G) const;
  bool isOnceEachRound(const MachineInstr &MI, const MachineInstr &Begin,
                       const InstructionSet &Skipping) const;
  LaneGroup *groupIn(const InstructionSet &Same, const LaneGroup &Of);

  const LiftedRepresentation &LR;
  MachineFunction &MF;
  /// Those that have been joined to others have no instructions.
  std::vector<LaneGroup> Groups;
  /// By group that was joined to another one.
  DenseMap<unsigned, unsigned> JoinedTo;
  std::vector<Parting> Partings;
  MachineCycleInfo Cycles;
  MachineDominatorTree Dominators;
  MachinePostDominatorTree PostDominators;
};

/// Each run for itself.
void GroupFinder::addAlone() {
  DenseSet<const MachineBasicBlock *> Reached;
  for (const auto &[Symbol, Function] : LR.functions())
    for (const MachineBasicBlock *MBB : reachedBlocks(*Function))
      Reached.insert(MBB);
  const auto BeforeLoops = blocksBeforeLoops(LR);
  const bool IsKernelOnce = isEnteredOnce(LR);
  for (const InstructionRun &R : instructionRuns(LR)) {
    if (!R.Vector || !Reached.contains(R.First->getParent()))
      continue;
    const MachineBasicBlock *MBB = R.First->getParent();
    const bool IsOnce =
        IsKernelOnce && MBB->getParent() == &MF && !Cycles.getCycle(MBB);
    LaneGroup &Group = Groups.emplace_back(
        LaneGroup{R.First, IsOnce, BeforeLoops.contains(MBB), {}});
    const MachineInstr *MI = R.First;
    for (unsigned N = R.Vector + R.Scalar; N; --N, MI = MI->getNextNode())
      if (isVectorInstruction(*MI))
        Group.Instructions.push_back(MI);
    if (!IsOnce && MBB->getParent() == &MF)
      noteParting(Groups.size() - 1, R);
  }
}

/// `s_and_saveexec D, C`, and `s_xor D, exec, D` if there is an `else`.
void GroupFinder::noteParting(unsigned Group, const InstructionRun &Run) {
  const MachineInstr *Last =
      &*std::next(Run.First->getIterator(), Run.Vector + Run.Scalar - 1);
  const MachineInstr *Behind = Last->getNextNode();
  if (!Behind || (Last->getOpcode() != AMDGPU::S_AND_SAVEEXEC_B64 &&
                  Last->getOpcode() != AMDGPU::S_AND_SAVEEXEC_B32))
    return;
  switch (Behind->getOpcode()) {
  case AMDGPU::S_XOR_B64:
  case AMDGPU::S_XOR_B64_term:
  case AMDGPU::S_XOR_B32:
  case AMDGPU::S_XOR_B32_term:
    Partings.push_back({Group, Behind});
  }
}

/// Blocks that control gets to from behind \p From without passing \p Without,
/// nor a branch of \p Skipping that is taken for want of lanes.
static DenseSet<const MachineBasicBlock *>
reachedFrom(const MachineBasicBlock &From, const MachineBasicBlock &Without,
            const InstructionSet &Skipping) {
  DenseSet<const MachineBasicBlock *> Result;
  SmallVector<const MachineBasicBlock *> Work = {&From};
  // By nothing else than such a branch.
  auto isSkipped = [&](const MachineBasicBlock *MBB,
                       const MachineBasicBlock *Next) {
    return !MBB->isLayoutSuccessor(Next) &&
           all_of(MBB->terminators(), [&](const MachineInstr &MI) {
             return Skipping.contains(&MI) &&
                    MI.getOpcode() == AMDGPU::S_CBRANCH_EXECZ;
           });
  };
  while (!Work.empty()) {
    const MachineBasicBlock *MBB = Work.pop_back_val();
    for (const MachineBasicBlock *Next : MBB->successors())
      if (Next != &Without && !isSkipped(MBB, Next) &&
          Result.insert(Next).second)
        Work.push_back(Next);
  }
  return Result;
}

/// From each time that a wave comes to \p Begin up to the next time or its end,
/// it comes to \p MI once, or cannot for want of lanes, as a branch of
/// \p Skipping finds; otherwise it does not come there.
bool GroupFinder::isOnceEachRound(const MachineInstr &MI,
                                  const MachineInstr &Begin,
                                  const InstructionSet &Skipping) const {
  const MachineBasicBlock &From = *Begin.getParent(), &To = *MI.getParent();
  if (&From == &To)
    return Dominators.dominates(&Begin, &MI);
  if (!Dominators.dominates(&From, &To))
    return false;
  if (From.succ_empty() || reachedFrom(To, From, {}).contains(&To))
    return false;
  const auto Past = reachedFrom(From, To, Skipping);
  return none_of(Past, [&](const MachineBasicBlock *MBB) {
    return MBB == &From || MBB->succ_empty();
  });
}

/// Necessary for being executed as often.
bool GroupFinder::mayFollow(const LaneGroup &Other, const LaneGroup &G) const {
  return &Other != &G && isKernels(Other) && Other.IsOnce == G.IsOnce &&
         Dominators.dominates(G.Begin->getParent(), Other.Begin->getParent()) &&
         PostDominators.dominates(Other.Begin->getParent(),
                                  G.Begin->getParent());
}

void GroupFinder::join(bool IsOnce, unsigned MaxOrigins,
                       const SameExec &Masks) {
  unsigned Origins = 0;
  for (LaneGroup &G : Groups) {
    if (Origins == MaxOrigins)
      return;
    if (G.IsOnce != IsOnce || !isKernels(G) ||
        none_of(Groups, [&](const LaneGroup &O) { return mayFollow(O, G); }))
      continue;
    ++Origins;
    const InstructionSet Same = Masks.since(*G.Begin);
    for (LaneGroup &Other : Groups) {
      if (!mayFollow(Other, G) || !Same.contains(Other.Begin) ||
          !isOnceEachRound(*Other.Begin, *G.Begin, {}))
        continue;
      append_range(G.Instructions, Other.Instructions);
      Other.Instructions.clear();
      JoinedTo[&Other - Groups.data()] = &G - Groups.data();
    }
  }
}

void GroupFinder::joinPartings(const SameExec &Masks) {
  if (Partings.size() > MaxPartings)
    Partings.resize(MaxPartings);
  for (const Parting &At : Partings)
    joinParting(At, Masks);
}

/// The one that has \p Same lanes once each round of \p Of; others like it are
/// joined to it.
LaneGroup *GroupFinder::groupIn(const InstructionSet &Same,
                                const LaneGroup &Of) {
  LaneGroup *Result = nullptr;
  for (LaneGroup &G : Groups) {
    if (&G == &Of || !isKernels(G) || !G.Without.empty() ||
        !Same.contains(G.Begin) || !isOnceEachRound(*G.Begin, *Of.Begin, Same))
      continue;
    if (!Result) {
      Result = &G;
      continue;
    }
    append_range(Result->Instructions, G.Instructions);
    G.Instructions.clear();
    JoinedTo[&G - Groups.data()] = Result - Groups.data();
  }
  return Result;
}

/// What one side executes is counted where both begin, and taken away again
/// where the other one, which executes as much or more, is counted.
void GroupFinder::joinParting(const Parting &At, const SameExec &Masks) {
  unsigned Number = At.Group;
  for (auto It = JoinedTo.find(Number); It != JoinedTo.end();
       It = JoinedTo.find(Number))
    Number = It->second;
  LaneGroup &All = Groups[Number];
  if (!isKernels(All) || !isOnceEachRound(*At.Behind, *All.Begin, {}))
    return;
  const ExecParts Parts = Masks.partsSince(*All.Begin, *At.Behind);
  LaneGroup *Less = groupIn(Parts.Rest, All), *More = groupIn(Parts.Part, All);
  if (!Less || !More)
    return;
  if (Less->Instructions.size() > More->Instructions.size())
    std::swap(Less, More);
  append_range(All.Instructions, Less->Instructions);
  More->Without.append(Less->Instructions.begin(), Less->Instructions.end());
  Less->Instructions.clear();
  for (LaneGroup &G : Groups)
    if (&G != &All && isKernels(G) && G.Without.empty() &&
        Parts.Same.contains(G.Begin) &&
        isOnceEachRound(*G.Begin, *All.Begin, {})) {
      append_range(All.Instructions, G.Instructions);
      G.Instructions.clear();
      JoinedTo[&G - Groups.data()] = Number;
    }
}

std::vector<LaneGroup> GroupFinder::run() {
  Cycles.compute(MF);
  addAlone();
  // What is called may end the wave.
  if (!LR.controlTransfers().empty())
    return std::move(Groups);
  Dominators.recalculate(MF);
  PostDominators.recalculate(MF);
  const SameExec Masks(LR);
  join(true, MaxOriginsBesideLoops, Masks);
  join(false, MaxOriginsInLoops, Masks);
  joinPartings(Masks);
  erase_if(Groups, [](const LaneGroup &G) { return G.Instructions.empty(); });
  return std::move(Groups);
}

} // namespace

std::vector<LaneGroup> laneGroups(const LiftedRepresentation &LR) {
  return GroupFinder(LR).run();
}

} // namespace luthier
