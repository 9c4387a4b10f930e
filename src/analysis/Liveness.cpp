// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Liveness.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/IndexMode.h"
#include "analysis/RegisterEffects.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {
namespace {

/// What is needed at a place. Scalar registers are only in Active.
struct LiveLanes {
  RegisterSet Active;   ///< In lanes that are active there.
  RegisterSet Inactive; ///< In any other lane.

  LiveLanes &operator|=(const LiveLanes &Other) {
    Active |= Other.Active;
    Inactive |= Other.Inactive;
    return *this;
  }
  friend bool operator==(const LiveLanes &, const LiveLanes &) = default;
};

/// From what is needed after EXEC is written to what is needed before.
void crossExecChange(LiveLanes &Live, ExecChange Change) {
  static const RegisterSet Vectors = RegisterSet::allVectors();
  const RegisterSet Active = Live.Active & Vectors;
  const RegisterSet Scalars = Live.Active - Vectors;
  const RegisterSet Any = Active | Live.Inactive;
  switch (Change) {
  case ExecChange::None:
    return;
  case ExecChange::Shrinks: // What is inactive stays so.
    Live.Active = Any;
    break;
  case ExecChange::Grows: // What is active stays so.
    Live.Inactive = Any;
    break;
  case ExecChange::All:
    Live.Inactive = Active;
    break;
  case ExecChange::Nothing:
    Live.Active = Live.Inactive;
    break;
  case ExecChange::Inverts:
    Live.Active = std::exchange(Live.Inactive, Active);
    break;
  case ExecChange::Unknown:
    Live.Active = Live.Inactive = Any;
    break;
  }
  Live.Active |= Scalars;
}

void crossInstruction(LiveLanes &Live, const InstructionEffects &Effects) {
  if (Effects.ReadsEverything) {
    Live = {RegisterSet::all(), RegisterSet::allVectors()};
    return;
  }
  for (const RegisterEffect &Effect : Effects.Registers)
    if (Effect.Access == RegisterAccess::Overwrite)
      Live.Active.remove(Effect.Units);
  crossExecChange(Live, Effects.Exec);
  for (const RegisterEffect &Effect : Effects.Registers) {
    if (Effect.Access == RegisterAccess::Read ||
        Effect.Access == RegisterAccess::ReadInAnyLane)
      Live.Active.add(Effect.Units);
    if (Effect.Access == RegisterAccess::ReadInAnyLane &&
        Effect.Units.First >= RegisterSet::FirstVGPR)
      Live.Inactive.add(Effect.Units);
  }
}

bool endsProgram(const MachineBasicBlock &MBB) {
  return !MBB.empty() && (MBB.back().getOpcode() == AMDGPU::S_ENDPGM ||
                          MBB.back().getOpcode() == AMDGPU::S_ENDPGM_SAVED);
}

/// No lane is active where control goes from \p From to \p To.
bool isExecZeroOnEdge(const MachineBasicBlock &From,
                      const MachineBasicBlock &To) {
  for (const MachineInstr &MI : From.terminators()) {
    if (MI.getOpcode() != AMDGPU::S_CBRANCH_EXECZ &&
        MI.getOpcode() != AMDGPU::S_CBRANCH_EXECNZ)
      continue;
    const bool IsTaken = MI.getOperand(0).getMBB() == &To;
    // Both ways may lead to the same block.
    const bool FallsThrough = !IsTaken || From.succ_size() == 1;
    return MI.getOpcode() == AMDGPU::S_CBRANCH_EXECZ ? IsTaken && !FallsThrough
                                                     : !IsTaken;
  }
  return false;
}

/// One function: instructions in order with their effects, blocks as ranges.
class FunctionLiveness {
public:
  FunctionLiveness(const MachineFunction &MF, EffectsContext Context) {
    const auto Indexed = blocksEnteredInIndexMode(MF);
    for (const MachineBasicBlock &MBB : MF) {
      Context.InIndexMode = Indexed.contains(&MBB);
      auto &List = Effects[&MBB];
      for (const MachineInstr &MI : MBB) {
        List.push_back(effectsOf(MI, Context));
        Context.InIndexMode = indexModeAfter(MI, Context.InIndexMode);
      }
    }
    // Facts only grow from dead to live, so early rounds stay true.
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const MachineBasicBlock &MBB : reverse(MF)) {
        LiveLanes Live = atEnd(MBB);
        for (const InstructionEffects &E : reverse(Effects[&MBB]))
          crossInstruction(Live, E);
        if (!(Starts[&MBB] == Live)) {
          Starts[&MBB] = Live;
          Changed = true;
        }
      }
    }
  }

  LiveLanes atEnd(const MachineBasicBlock &MBB) const {
    LiveLanes Live;
    if (MBB.succ_empty()) {
      if (!endsProgram(MBB)) // Control goes where this function does not show.
        Live = {RegisterSet::all(), RegisterSet::allVectors()};
      return Live;
    }
    for (const MachineBasicBlock *Next : MBB.successors()) {
      LiveLanes There = Starts.lookup(Next);
      if (isExecZeroOnEdge(MBB, *Next))
        There.Active -= RegisterSet::allVectors();
      Live |= There;
    }
    return Live;
  }

  DenseMap<const MachineBasicBlock *, std::vector<InstructionEffects>> Effects;
  DenseMap<const MachineBasicBlock *, LiveLanes> Starts;
};

} // namespace

Liveness Liveness::run(const LiftedRepresentation &LR) {
  Liveness Result;
  for (const auto &[Symbol, MF] : LR.functions()) {
    FunctionLiveness Function(*MF, effectsContextOf(LR));
    for (const MachineBasicBlock &MBB : *MF) {
      LiveLanes Live = Function.atEnd(MBB);
      for (auto [MI, E] : zip(reverse(MBB), reverse(Function.Effects[&MBB]))) {
        crossInstruction(Live, E);
        Result.Index[&MI] = Result.Sets.size();
        Result.Sets.push_back(Live.Active | Live.Inactive);
      }
      Result.Starts[&MBB] = Live.Active | Live.Inactive;
    }
  }
  return Result;
}

const RegisterSet &Liveness::before(const MachineInstr &MI) const {
  auto It = Index.find(&MI);
  return It == Index.end() ? Everything : Sets[It->second];
}

const RegisterSet &Liveness::atStart(const MachineBasicBlock &MBB) const {
  auto It = Starts.find(&MBB);
  return It == Starts.end() ? Everything : It->second;
}

const RegisterSet &Liveness::onEdge(const MachineBasicBlock &,
                                    const MachineBasicBlock &To) const {
  return atStart(To);
}

const RegisterSet &Liveness::atEntry(const MachineFunction &MF) const {
  return MF.empty() ? Everything : atStart(MF.front());
}

} // namespace luthier
