// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/InstructionRuns.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "SIInstrInfo.h"
#include "analysis/ControlFlow.h"
#include "analysis/ExecChange.h"
#include "analysis/ExecMasks.h"
#include "lift/LiftedImpl.h"
#include "llvm/ADT/GenericCycleImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineCycleAnalysis.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachinePostDominators.h"

using namespace llvm;

namespace luthier {

bool isVectorInstruction(const MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case AMDGPU::V_READFIRSTLANE_B32:
  case AMDGPU::V_READLANE_B32:
  case AMDGPU::V_WRITELANE_B32:
    return false;
  default:
    return !SIInstrInfo::isSALU(MI) && !SIInstrInfo::isSMRD(MI);
  }
}

std::vector<InstructionRun> instructionRuns(const LiftedRepresentation &LR) {
  const bool IsWave32 = LR.impl().Kernel->Descriptor.usesWave32();
  std::vector<InstructionRun> Result;
  for (const auto &[Symbol, MF] : LR.functions())
    for (MachineBasicBlock &MBB : *MF) {
      bool Begins = true;
      for (MachineInstr &MI : MBB) {
        if (Begins)
          Result.push_back({&MI});
        ++(isVectorInstruction(MI) ? Result.back().Vector
                                   : Result.back().Scalar);
        Begins =
            execChangeOf(MI, IsWave32) != ExecChange::None || LR.transferOf(MI);
      }
    }
  return Result;
}

namespace {

/// Runs that begin elsewhere are looked for so often at most: each time takes a
/// pass over the kernel.
constexpr unsigned MaxOrigins = 32;

class GroupFinder {
public:
  explicit GroupFinder(const LiftedRepresentation &LR)
      : LR(LR), MF(*LR.functions().front().second) {}

  std::vector<LaneGroup> run();

private:
  void addAlone();
  void join();
  bool followsAlways(const MachineInstr &MI, const MachineInstr &Begin) const;

  const LiftedRepresentation &LR;
  MachineFunction &MF;
  std::vector<LaneGroup> Groups;
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
  for (const InstructionRun &R : instructionRuns(LR)) {
    if (!R.Vector || !Reached.contains(R.First->getParent()))
      continue;
    const MachineBasicBlock *MBB = R.First->getParent();
    const bool IsOnce =
        MBB->getParent() == &MF && !Cycles.getCycle(MBB) && isEnteredOnce(LR);
    LaneGroup &Group = Groups.emplace_back(
        LaneGroup{R.First, IsOnce, BeforeLoops.contains(MBB), {}});
    const MachineInstr *MI = R.First;
    for (unsigned N = R.Vector + R.Scalar; N; --N, MI = MI->getNextNode())
      if (isVectorInstruction(*MI))
        Group.Instructions.push_back(MI);
  }
}

/// Both are executed once, or neither.
bool GroupFinder::followsAlways(const MachineInstr &MI,
                                const MachineInstr &Begin) const {
  const MachineBasicBlock *From = Begin.getParent(), *To = MI.getParent();
  return From == To ||
         (Dominators.dominates(From, To) && PostDominators.dominates(To, From));
}

void GroupFinder::join() {
  Dominators.recalculate(MF);
  PostDominators.recalculate(MF);
  const SameExec Masks(LR);
  unsigned Origins = 0;
  for (size_t I = 0; I < Groups.size() && Origins < MaxOrigins; ++I) {
    if (!Groups[I].IsOnce)
      continue;
    ++Origins;
    const auto Same = Masks.since(*Groups[I].Begin);
    for (size_t K = Groups.size(); --K > I;) {
      LaneGroup &Other = Groups[K];
      if (!Other.IsOnce || !Same.contains(Other.Begin) ||
          !followsAlways(*Other.Begin, *Groups[I].Begin))
        continue;
      append_range(Groups[I].Instructions, Other.Instructions);
      Groups.erase(Groups.begin() + K);
    }
  }
}

std::vector<LaneGroup> GroupFinder::run() {
  Cycles.compute(MF);
  addAlone();
  // What is called may end the wave.
  if (LR.controlTransfers().empty())
    join();
  return std::move(Groups);
}

} // namespace

std::vector<LaneGroup> laneGroups(const LiftedRepresentation &LR) {
  return GroupFinder(LR).run();
}

} // namespace luthier
