// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Analysis.h"
#include "analysis/CallGraph.h"
#include "analysis/ControlFlow.h"
#include "analysis/Liveness.h"
#include "analysis/LoadsInFlight.h"
#include "analysis/Occupancy.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineBasicBlock.h"

using namespace llvm;

namespace luthier {

/// Each kind of fact is found out when it is first asked for.
struct Analysis::Impl {
  explicit Impl(const LiftedRepresentation &LR) : LR(LR) {}

  const LiftedRepresentation &LR;
  std::optional<Liveness> Lives;
  std::optional<RegistersInFlight> Loads;
  std::optional<CallGraph> Calls;
  DenseMap<const MachineFunction *, DenseSet<const MachineBasicBlock *>>
      Reached;

  const Liveness &lives() {
    if (!Lives)
      Lives = Liveness::run(LR);
    return *Lives;
  }
  const RegistersInFlight &loads() {
    if (!Loads)
      Loads = RegistersInFlight::run(LR);
    return *Loads;
  }
  const CallGraph &calls() {
    if (!Calls)
      Calls = CallGraph::run(LR);
    return *Calls;
  }
  const RegisterFileTraits &traits() const {
    return *registerFileTraits(LR.impl().Object->target().Processor);
  }
  RegisterBudget budget() const { return {resourcesOf(LR), traits()}; }
};

Analysis::Analysis(const LiftedRepresentation &LR)
    : P(std::make_unique<Impl>(LR)) {}
Analysis::~Analysis() = default;
Analysis::Analysis(Analysis &&) = default;

const RegisterSet &Analysis::liveBefore(const MachineInstr &MI) {
  return P->lives().at(InsertionPoint::before(MI));
}

const RegisterSet &Analysis::liveOnEdge(const MachineBasicBlock &From,
                                        const MachineBasicBlock &To) {
  return P->lives().at(InsertionPoint::edge(From, To));
}

const RegisterSet &Analysis::inFlightBefore(const MachineInstr &MI) {
  return P->loads().at(InsertionPoint::before(MI));
}

const RegisterSet &Analysis::inFlightOnEdge(const MachineBasicBlock &From,
                                            const MachineBasicBlock &To) {
  return P->loads().at(InsertionPoint::edge(From, To));
}

RegisterSet Analysis::deadAt(const MachineInstr &MI) {
  const RegisterUse Use = registerUse();
  RegisterSet Result;
  auto add = [&](unsigned First, unsigned Count) {
    Result.add(RegisterUnits{uint16_t(First), uint16_t(Count), false});
  };
  add(0, Use.SGPRs);
  add(RegisterSet::FirstVGPR, Use.VGPRs);
  add(RegisterSet::FirstAGPR, Use.AGPRs);
  add(RegisterSet::SCC, RegisterSet::SpecialEnd - RegisterSet::SCC);
  return Result - liveBefore(MI) - inFlightBefore(MI);
}

bool Analysis::isReached(const MachineBasicBlock &MBB) {
  const MachineFunction *MF = MBB.getParent();
  auto [It, IsNew] = P->Reached.try_emplace(MF);
  if (IsNew)
    It->second = reachedBlocks(*MF);
  return It->second.contains(&MBB);
}

BlockEnd Analysis::endOf(const MachineBasicBlock &MBB) {
  return luthier::endOf(MBB, P->LR);
}

ArrayRef<const ControlTransfer *>
Analysis::transfersOf(const MachineFunction &MF) {
  return P->calls().transfersOf(MF);
}

ArrayRef<const ControlTransfer *>
Analysis::callersOf(const MachineFunction &MF) {
  return P->calls().callersOf(MF);
}

ArrayRef<const MachineFunction *> Analysis::calleesFirst() {
  return P->calls().calleesFirst();
}

bool Analysis::reachesUnknownCode(const MachineFunction &MF) {
  return P->calls().reachesUnknownCode(MF);
}

RegisterUse Analysis::registerUse() { return luthier::registerUse(P->LR); }
RegisterUse Analysis::registerAllocation() {
  return luthier::registerAllocation(P->LR);
}
Occupancy Analysis::occupancy() { return occupancyOf(P->LR); }

RegisterUse Analysis::registersFor(unsigned WavesPerSIMD) {
  const unsigned AGPRs = registerAllocation().AGPRs;
  if (WavesPerSIMD > P->traits().WavesPerSIMD)
    return {0, 0, AGPRs};
  const RegisterBudget Budget = P->budget();
  return {Budget.sgprsAt(WavesPerSIMD), Budget.vgprsAt(WavesPerSIMD), AGPRs};
}

unsigned Analysis::wavesOfWorkgroup() { return P->budget().wavesOfWorkgroup(); }

} // namespace luthier
