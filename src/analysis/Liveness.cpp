// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Liveness.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/AnnotatedPrinter.h"
#include "analysis/ControlFlow.h"
#include "analysis/LiveLanes.h"
#include "llvm/ADT/DenseSet.h"
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

} // namespace

/// First, callees first, each function alone. What it needs itself if its
/// callers need nothing after it, calls add to what is live after them; what it
/// would need if they needed everything, tells what it overwrites on all ways.
/// Then, callers first, with what its callers really need when it returns.
class LivenessSolver {
public:
  /// What is live at the start of each block of one function.
  using BlockStarts = DenseMap<const MachineBasicBlock *, LiveLanes>;

  LivenessSolver(const LivenessBasis &Basis, const OtherReads &Others)
      : LR(Basis.LR), Graph(Basis.Graph), Effects(Basis.Effects),
        Masks(Basis.Masks), Others(Others) {
    for (const auto &[Symbol, MF] : LR.functions())
      Needs[MF], Through[MF], AtReturn[MF];
    summarise();
    solveAll();
  }

  /// What is live where \p MBB begins. Calls \p After for each instruction,
  /// last first, with what is live behind it, and then \p Before.
  template <typename AfterVisitor, typename BeforeVisitor>
  LiveLanes walk(const MachineBasicBlock &MBB, const BlockStarts &Starts,
                 const LiveLanes &Return, AfterVisitor After,
                 BeforeVisitor Before) const {
    LiveLanes Live = atEnd(MBB, Starts);
    ExecSet ExecAfter = ExecSet::Any;
    if (!MBB.empty() && MBB.succ_size())
      ExecAfter = execAtEnd(MBB);
    for (auto [MI, E, ExecBefore] :
         zip(reverse(MBB), reverse(Effects.of(MBB)), reverse(Masks.of(MBB)))) {
      After(MI, Live);
      if (const ControlTransfer *Transfer = LR.transferOf(MI))
        crossTransfer(Live, *Transfer, E, Return, ExecBefore, ExecAfter);
      else if (MI.isCall())
        Live = LiveLanes::everything();
      else
        Live.cross(E, ExecBefore, ExecAfter);
      if (const RegisterSet &Reads = Others.before(MI); !Reads.empty())
        addReads(Live, Reads);
      Before(MI, Live);
      ExecAfter = ExecBefore;
    }
    addReads(Live, Others.atStart(MBB));
    return Live;
  }

  static void ignore(const MachineInstr &, const LiveLanes &) {}

  const LiftedRepresentation &LR;
  const CallGraph &Graph;
  const EffectsTable &Effects;
  const ExecMasks &Masks;
  const OtherReads &Others;
  DenseMap<const MachineFunction *, BlockStarts> Result;
  DenseMap<const MachineFunction *, LiveLanes> Needs, Through, AtReturn;

private:
  /// To solve again, since what they are computed from has changed.
  using Outdated = DenseSet<const MachineFunction *>;

  Outdated all() const {
    const ArrayRef<const MachineFunction *> All = Graph.calleesFirst();
    return Outdated(All.begin(), All.end());
  }

  /// Each once, but where functions call one another in circles.
  void summarise() {
    for (Outdated Work = all(); !Work.empty();)
      for (const MachineFunction *MF : Graph.calleesFirst()) {
        // Only callers ask for it.
        if (!Work.erase(MF) || Graph.callersOf(*MF).empty())
          continue;
        BlockStarts Starts = solve(*MF, LiveLanes());
        bool Changed = update(Needs[MF], Starts.lookup(&MF->front()));
        Starts = solve(*MF, LiveLanes::everything());
        Changed |= update(Through[MF], Starts.lookup(&MF->front()));
        if (Changed)
          for (const ControlTransfer *Call : Graph.callersOf(*MF))
            Work.insert(Call->MI->getMF());
      }
  }

  /// Likewise.
  void solveAll() {
    for (Outdated Work = all(); !Work.empty();)
      for (const MachineFunction *MF : reverse(Graph.calleesFirst())) {
        if (!Work.erase(MF))
          continue;
        Result[MF] = solve(*MF, AtReturn[MF]);
        SetVector<const MachineBasicBlock *> Blocks;
        for (const ControlTransfer *Transfer : Graph.transfersOf(*MF))
          if (mayEnterFunctions(Transfer))
            Blocks.insert(Transfer->MI->getParent());
        for (const MachineBasicBlock *MBB : Blocks)
          passToCallees(*MF, *MBB, Work);
      }
  }

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
      const ExecSet There = Masks.of(*Next).front();
      if (Common && *Common != There)
        return ExecSet::Any;
      Common = There;
    }
    return Common.value_or(ExecSet::Any);
  }

  BlockStarts solve(const MachineFunction &MF, const LiveLanes &Return) const {
    BlockStarts Starts(MF.size());
    SetVector<const MachineBasicBlock *> Work;
    for (const MachineBasicBlock &MBB : MF)
      Work.insert(&MBB);
    // Facts only grow from dead to live, so early rounds stay true.
    while (!Work.empty()) {
      const MachineBasicBlock *MBB = Work.pop_back_val();
      const LiveLanes Live = walk(*MBB, Starts, Return, ignore, ignore);
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
      const auto It = Starts.find(Next);
      if (It == Starts.end())
        continue;
      LiveLanes There = It->second;
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

  static bool mayEnterFunctions(const ControlTransfer *Transfer) {
    return Transfer->Callee || Transfer->FollowsPointer;
  }

  /// What is live after calls is needed when callees return. Pointers to
  /// functions are the original's, so what is lifted of them is only entered
  /// from here: code that is not lifted does not know of it.
  void passToCallees(const MachineFunction &MF, const MachineBasicBlock &MBB,
                     Outdated &Work) {
    const LiveLanes Own = AtReturn[&MF];
    ArrayRef<ExecSet> ExecBefore = Masks.of(MBB);
    auto pass = [&](const MachineFunction *Callee, const LiveLanes &There) {
      if (update(AtReturn[Callee], There))
        Work.insert(Callee);
    };
    auto After = [&](const MachineInstr &MI, const LiveLanes &Later) {
      const ExecSet Exec = ExecBefore.consume_back();
      const ControlTransfer *Transfer = LR.transferOf(MI);
      if (!Transfer || !mayEnterFunctions(Transfer))
        return;
      LiveLanes There = Own;
      if (Transfer->Kind == ControlTransfer::Call ||
          Transfer->Kind == ControlTransfer::UnresolvedCall)
        There = {Later.Active, {}, Later.Inactive | Later.Outside};
      else if (Exec != ExecSet::Entry)
        There = atReturn(Own, ExecSet::Any);
      if (Transfer->Callee)
        pass(Transfer->Callee, There);
      else
        for (const auto &[Symbol, Callee] : LR.functions())
          if (Symbol.IsAddressTaken)
            pass(Callee, There);
    };
    walk(MBB, Result[&MF], Own, After, ignore);
  }
};

LivenessBasis::LivenessBasis(const LiftedRepresentation &LR)
    : LR(LR), Graph(CallGraph::run(LR)), Effects(EffectsTable::run(LR)),
      Masks(ExecMasks::run(LR, Graph, Effects)) {}

Liveness Liveness::run(const LivenessBasis &Basis, const OtherReads &Others) {
  Liveness Result;
  const LivenessSolver Solver(Basis, Others);
  unsigned Count = 0;
  for (const auto &[Symbol, MF] : Basis.LR.functions())
    for (const MachineBasicBlock &MBB : *MF)
      Count += Basis.Effects.of(MBB).size();
  Result.Index.reserve(Count);
  auto Keep = [&](const MachineInstr &MI, const LiveLanes &Live) {
    const RegisterSet Any = Live.any();
    if (Result.Sets.empty() || !(Result.Sets.back() == Any))
      Result.Sets.push_back(Any);
    Result.Index[&MI] = Result.Sets.size() - 1;
  };
  for (const auto &[Symbol, MF] : Basis.LR.functions()) {
    const auto &Starts = Solver.Result.find(MF)->second;
    Result.Starts.reserve(Result.Starts.size() + MF->size());
    for (const MachineBasicBlock &MBB : *MF) {
      Solver.walk(MBB, Starts, Solver.AtReturn.find(MF)->second,
                  LivenessSolver::ignore, Keep);
      Result.Starts[&MBB] = Starts.find(&MBB)->second.any();
    }
  }
  return Result;
}

LivenessOnDemand::LivenessOnDemand(const LivenessBasis &Basis, OtherReads Given)
    : Others(std::move(Given)),
      Solver(std::make_unique<LivenessSolver>(Basis, Others)) {}
LivenessOnDemand::~LivenessOnDemand() = default;

RegisterSet LivenessOnDemand::atStart(const MachineBasicBlock &MBB) const {
  return Solver->Result.find(MBB.getParent())->second.find(&MBB)->second.any();
}

std::vector<RegisterSet>
LivenessOnDemand::in(const MachineBasicBlock &MBB) const {
  const MachineFunction &MF = *MBB.getParent();
  std::vector<RegisterSet> Result(Solver->Effects.of(MBB).size());
  auto Place = Result.end();
  Solver->walk(MBB, Solver->Result.find(&MF)->second,
               Solver->AtReturn.find(&MF)->second, LivenessSolver::ignore,
               [&](const MachineInstr &, const LiveLanes &Live) {
                 *--Place = Live.any();
               });
  return Result;
}

LivenessOnDemand::Block &LivenessOnDemand::find(const MachineBasicBlock &MBB) {
  auto [It, IsNew] = Blocks.try_emplace(&MBB);
  Block &Result = It->second;
  if (!IsNew)
    return Result;
  Result.Last = MBB.empty() ? nullptr : &MBB.front();
  Result.Sets = in(MBB);
  return Result;
}

unsigned LivenessOnDemand::indexOf(const MachineInstr &MI, Block &In) {
  if (In.Index.empty()) {
    unsigned Number = In.LastIndex;
    for (const MachineInstr *Each = In.Last; Each;
         Each = Each->getNextNode(), ++Number)
      if (Each == &MI) {
        In.Last = &MI;
        return In.LastIndex = Number;
      }
    In.Index.reserve(In.Sets.size());
    for (const auto &[Place, Each] : enumerate(*MI.getParent()))
      In.Index[&Each] = Place;
  }
  return In.Index.find(&MI)->second;
}

const RegisterSet &LivenessOnDemand::at(const InsertionPoint &Where) {
  const MachineInstr *MI = Where.instruction();
  const MachineBasicBlock *MBB = MI ? MI->getParent() : Where.block();
  if (!MBB || !Solver->Result.contains(MBB->getParent()))
    return Everything;
  if (!MI) {
    std::unique_ptr<RegisterSet> &Known = Starts[MBB];
    if (!Known)
      Known = std::make_unique<RegisterSet>(atStart(*MBB));
    return *Known;
  }
  Block &Known = find(*MBB);
  return Known.Sets[indexOf(*MI, Known)];
}

void OtherReads::add(const InsertionPoint &Where,
                     const RegisterSet &Registers) {
  const void *Place = Where.instruction();
  if (!Place)
    Place = Where.block();
  if (!Place)
    return;
  const RegisterSet Sum = find(Place) | Registers;
  if (Sets.empty() || !(Sets.back() == Sum))
    Sets.push_back(Sum);
  Index[Place] = Sets.size() - 1;
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
