// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Liveness.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/AnnotatedPrinter.h"
#include "analysis/ControlFlow.h"
#include "analysis/LiveLanes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {
namespace {

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

/// What is live at the start of each block of one function.
using BlockStarts = DenseMap<const MachineBasicBlock *, LiveLanes>;

/// First, callees first, each function alone. What it needs itself if its
/// callers need nothing after it, calls add to what is live after them; what it
/// would need if they needed everything, tells what it overwrites on all ways.
/// Then, callers first, with what its callers really need when it returns.
class LivenessSolver {
public:
  LivenessSolver(const LiftedRepresentation &LR, const OtherReads &Others)
      : LR(LR), Others(Others), Graph(CallGraph::run(LR)),
        Effects(EffectsTable::run(LR)),
        Masks(ExecMasks::run(LR, Graph, Effects)),
        HasUnknownCode(LR.hasUnresolvedTransfers()) {
    for (const auto &[Symbol, MF] : LR.functions())
      Needs[MF], Through[MF], AtReturn[MF];
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const MachineFunction *MF : Graph.calleesFirst()) {
        BlockStarts Starts = solve(*MF, LiveLanes());
        Changed |= update(Needs[MF], Starts.lookup(&MF->front()));
        Starts = solve(*MF, LiveLanes::everything());
        Changed |= update(Through[MF], Starts.lookup(&MF->front()));
      }
    }
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const MachineFunction *MF : reverse(Graph.calleesFirst())) {
        Result[MF] = solve(*MF, AtReturn[MF]);
        for (const MachineBasicBlock &MBB : *MF)
          Changed |= passToCallees(*MF, MBB);
      }
    }
  }

  /// Calls \p Visit for each instruction of \p MBB, last first, with what is
  /// live before and after it.
  template <typename Visitor>
  void walk(const MachineFunction &MF, const MachineBasicBlock &MBB,
            const BlockStarts &Starts, const LiveLanes &Return,
            Visitor Visit) const {
    LiveLanes Live = atEnd(MBB, Starts);
    ExecSet After = ExecSet::Any;
    if (!MBB.empty() && MBB.succ_size())
      After = execAtEnd(MBB);
    for (auto [MI, E] : zip(reverse(MBB), reverse(Effects.of(MBB)))) {
      const LiveLanes Later = Live;
      const ExecSet Before = Masks.before(MI);
      const ControlTransfer *Transfer = LR.transferOf(MI);
      if (Transfer)
        crossTransfer(Live, *Transfer, E, Return, Before, After);
      else if (MI.isCall())
        Live = LiveLanes::everything();
      else
        Live.cross(E, Before, After);
      if (auto It = Others.Before.find(&MI); It != Others.Before.end())
        addReads(Live, It->second);
      Visit(MI, Live, Later);
      After = Before;
    }
  }

  const LiftedRepresentation &LR;
  const OtherReads &Others;
  const CallGraph Graph;
  const EffectsTable Effects;
  const ExecMasks Masks;
  const bool HasUnknownCode;
  DenseMap<const MachineFunction *, BlockStarts> Result;
  DenseMap<const MachineFunction *, LiveLanes> Needs, Through, AtReturn;

private:
  static void addReads(LiveLanes &Live, const RegisterSet &Reads) {
    Live.Active |= Reads;
    Live.Inactive |= Reads & RegisterSet::allVectors();
    Live.Outside |= Reads & RegisterSet::allVectors();
  }

  static bool update(LiveLanes &Into, const LiveLanes &More) {
    LiveLanes Sum = Into;
    Sum |= More;
    const bool Changed = !(Sum == Into);
    Into = Sum;
    return Changed;
  }

  /// The mask that the block's successors start with, if they agree.
  ExecSet execAtEnd(const MachineBasicBlock &MBB) const {
    std::optional<ExecSet> Common;
    for (const MachineBasicBlock *Next : MBB.successors()) {
      if (Next->empty())
        return ExecSet::Any;
      const ExecSet There = Masks.before(Next->front());
      if (Common && *Common != There)
        return ExecSet::Any;
      Common = There;
    }
    return Common.value_or(ExecSet::Any);
  }

  BlockStarts solve(const MachineFunction &MF, const LiveLanes &Return) const {
    BlockStarts Starts;
    SetVector<const MachineBasicBlock *> Work;
    for (const MachineBasicBlock &MBB : MF)
      Work.insert(&MBB);
    // Facts only grow from dead to live, so early rounds stay true.
    while (!Work.empty()) {
      const MachineBasicBlock *MBB = Work.pop_back_val();
      LiveLanes Live = atEnd(*MBB, Starts);
      walk(MF, *MBB, Starts, Return,
           [&](const MachineInstr &, const LiveLanes &Now, const LiveLanes &) {
             Live = Now;
           });
      if (auto It = Others.AtStart.find(MBB); It != Others.AtStart.end())
        addReads(Live, It->second);
      auto [It, IsNew] = Starts.try_emplace(MBB);
      if (!update(It->second, Live))
        continue;
      for (const MachineBasicBlock *Earlier : MBB->predecessors())
        Work.insert(Earlier);
    }
    return Starts;
  }

  LiveLanes atEnd(const MachineBasicBlock &MBB,
                  const BlockStarts &Starts) const {
    LiveLanes Live;
    // Of calls and returns, the instruction itself tells.
    const BlockEnd End = endOf(MBB, LR);
    if (End == BlockEnd::RunsOn || End == BlockEnd::UnknownJump)
      return LiveLanes::everything();
    for (const MachineBasicBlock *Next : MBB.successors()) {
      LiveLanes There = Starts.lookup(Next);
      if (isExecZeroOnEdge(MBB, *Next))
        There.Active -= RegisterSet::allVectors();
      Live |= There;
    }
    return Live;
  }

  /// To before \p Callee runs. Its lanes outside are the caller's inactive ones
  /// and those outside of the caller's own.
  void crossCallee(LiveLanes &Live, const MachineFunction &Callee,
                   ExecSet Before, ExecSet After) const {
    const LiveLanes &Kept = Through.find(&Callee)->second;
    const LiveLanes &Need = Needs.find(&Callee)->second;
    if (Masks.isKeptBy(Callee)) {
      Live.Active &= Kept.Active;
      Live.Inactive &= Kept.Outside;
      Live.Outside &= Kept.Outside;
    } else {
      Live.crossExecChange(ExecChange::Unknown, Before, After);
    }
    Live.Active |= Need.Active | Need.Inactive;
    Live.Inactive |= Need.Outside;
    Live.Outside |= Need.Outside;
  }

  void crossTransfer(LiveLanes &Live, const ControlTransfer &Transfer,
                     const InstructionEffects &E, const LiveLanes &Return,
                     ExecSet Before, ExecSet After) const {
    switch (Transfer.Kind) {
    case ControlTransfer::TailCall:
      // The callee returns for this function.
      After = Masks.isKeptBy(*Transfer.Callee) ? Before : ExecSet::Any;
      Live = atReturn(Return, After);
      [[fallthrough]];
    case ControlTransfer::Call:
      crossCallee(Live, *Transfer.Callee, Before, After);
      // The return address comes from the call.
      Live.crossWrites(E);
      break;
    case ControlTransfer::Return:
      Live = atReturn(Return, Before);
      break;
    case ControlTransfer::UnresolvedCall:
    case ControlTransfer::UnresolvedJump:
      Live = LiveLanes::everything();
      break;
    default: // Within the function: control goes to successors.
      if (Transfer.MI->getParent()->succ_empty())
        Live = LiveLanes::everything();
    }
    Live.crossReads(E);
    Live.restrictTo(Before);
  }

  /// What is needed at a return with \p Exec, if callers need \p Return.
  static LiveLanes atReturn(const LiveLanes &Return, ExecSet Exec) {
    if (Exec == ExecSet::Entry)
      return Return;
    // The caller's active lanes are somewhere.
    LiveLanes Live = Return;
    Live.crossExecChange(ExecChange::Unknown, ExecSet::Any, ExecSet::Any);
    Live.Inactive |= Live.Active & RegisterSet::allVectors();
    Live.Outside |= Live.Inactive;
    Live.Active |= Live.Outside;
    return Live;
  }

  /// What is live after calls is needed when callees return.
  bool passToCallees(const MachineFunction &MF, const MachineBasicBlock &MBB) {
    bool Changed = false;
    const LiveLanes Own = AtReturn[&MF];
    walk(
        MF, MBB, Result[&MF], Own,
        [&](const MachineInstr &MI, const LiveLanes &, const LiveLanes &Later) {
          const ControlTransfer *Transfer = LR.transferOf(MI);
          if (!Transfer || !Transfer->Callee)
            return;
          LiveLanes There = Own;
          if (HasUnknownCode)
            There = LiveLanes::everything();
          else if (Transfer->Kind == ControlTransfer::Call)
            There = {Later.Active, {}, Later.Inactive | Later.Outside};
          else if (Masks.before(MI) != ExecSet::Entry)
            There = atReturn(Own, ExecSet::Any);
          Changed |= update(AtReturn[Transfer->Callee], There);
        });
    return Changed;
  }
};

} // namespace

Liveness Liveness::run(const LiftedRepresentation &LR,
                       const OtherReads &Others) {
  Liveness Result;
  LivenessSolver Solver(LR, Others);
  for (const auto &[Symbol, MF] : LR.functions()) {
    const BlockStarts &Starts = Solver.Result[MF];
    for (const MachineBasicBlock &MBB : *MF) {
      Solver.walk(*MF, MBB, Starts, Solver.AtReturn[MF],
                  [&](const MachineInstr &MI, const LiveLanes &Live,
                      const LiveLanes &) {
                    Result.Index[&MI] = Result.Sets.size();
                    Result.Sets.push_back(Live.any());
                  });
      Result.Starts[&MBB] = Starts.lookup(&MBB).any();
    }
  }
  return Result;
}

void OtherReads::add(const InsertionPoint &Where,
                     const RegisterSet &Registers) {
  if (Where.instruction())
    Before[Where.instruction()] |= Registers;
  else if (Where.block())
    AtStart[Where.block()] |= Registers;
}

const RegisterSet &Liveness::at(const InsertionPoint &Where) const {
  if (Where.instruction()) {
    auto It = Index.find(Where.instruction());
    return It == Index.end() ? Everything : Sets[It->second];
  }
  auto It = Starts.find(Where.block());
  return It == Starts.end() ? Everything : It->second;
}

void printLiveness(const LiftedRepresentation &LR, raw_ostream &OS) {
  const Liveness Facts = Liveness::run(LR);
  printAnnotated(
      LR, "live",
      [&](const MachineInstr &MI) -> const RegisterSet & {
        return Facts.at(InsertionPoint::before(MI));
      },
      OS);
}

} // namespace luthier
