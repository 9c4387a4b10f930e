// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/LoadsInFlight.h"
#include "analysis/AnnotatedPrinter.h"
#include "analysis/CallGraph.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace luthier {
namespace {

using Pending = LoadsInFlight::Pending;
using Queue = LoadsInFlight::Queue;
using State = LoadsInFlight::State;

constexpr unsigned MaxYounger = 64; // No counter counts further.

void wait(Queue &Q, unsigned Count) {
  llvm::erase_if(Q.InOrder,
                 [&](const Pending &P) { return P.Younger >= Count; });
  if (Count == 0)
    Q.Unordered = {};
}

void addResult(Queue &Q, uint16_t Unit) {
  auto It = llvm::lower_bound(
      Q.InOrder, Unit, [](const Pending &P, uint16_t U) { return P.Unit < U; });
  if (It != Q.InOrder.end() && It->Unit == Unit)
    It->Younger = 0;
  else
    Q.InOrder.insert(It, {Unit, 0});
}

void issue(State &S, const MachineInstr &MI, const CountedOperation &Op) {
  for (WaitCounter Counter : Op.Counters) {
    Queue &Q = S[unsigned(Counter)];
    if (Op.IsInOrder)
      for (Pending &P : Q.InOrder)
        P.Younger = std::min<unsigned>(P.Younger + 1, MaxYounger);
    for (const MachineOperand &MO : MI.operands()) {
      if (!MO.isReg() || !MO.isDef() || !MO.getReg())
        continue;
      RegisterUnits Units = unitsOf(MO.getReg().asMCReg());
      for (unsigned U = Units.First; U < Units.First + Units.Count; ++U)
        if (Op.IsInOrder)
          addResult(Q, U);
        else
          Q.Unordered.addUnit(U);
    }
  }
}

/// Either of both may be outstanding. True if that is more than \p Into was.
bool join(Queue &Into, const Queue &From) {
  Queue Result;
  Result.Unordered = Into.Unordered | From.Unordered;
  auto A = Into.InOrder.begin(), AEnd = Into.InOrder.end();
  auto B = From.InOrder.begin(), BEnd = From.InOrder.end();
  while (A != AEnd || B != BEnd)
    if (B == BEnd || (A != AEnd && A->Unit < B->Unit)) {
      Result.InOrder.push_back(*A++);
    } else if (A == AEnd || B->Unit < A->Unit) {
      Result.InOrder.push_back(*B++);
    } else {
      Result.InOrder.push_back({A->Unit, std::min(A->Younger, B->Younger)});
      ++A, ++B;
    }
  const bool Changed = !(Result == Into);
  Into = std::move(Result);
  return Changed;
}

bool join(State &Into, const State &From) {
  bool Changed = false;
  for (unsigned I = 0; I < NumWaitCounters; ++I)
    Changed |= join(Into[I], From[I]);
  return Changed;
}

/// The most there can be, of the kinds that each counter counts.
State anythingInFlight(const WaitTraits &Traits) {
  using C = WaitCounter;
  const RegisterSet Vectors = RegisterSet::allVectors();
  RegisterSet Scalars = RegisterSet::all() - Vectors;
  Scalars.remove({RegisterSet::SCC, 1, false});
  Scalars.remove({RegisterSet::MODE, 1, false});
  State Result;
  for (C Counter : {C::Vm, C::Lgkm, C::Exp})
    Result[unsigned(Counter)].Unordered = Vectors;
  Result[unsigned(Traits.HasSplitCounters ? C::Km : C::Lgkm)].Unordered |=
      Scalars;
  if (Traits.HasSplitCounters)
    for (C Counter : {C::Sample, C::Bvh})
      Result[unsigned(Counter)].Unordered = Vectors;
  return Result;
}

RegisterSet registersOf(const State &S) {
  RegisterSet Result;
  for (const Queue &Q : S) {
    Result |= Q.Unordered;
    for (const Pending &P : Q.InOrder)
      Result.addUnit(P.Unit);
  }
  return Result;
}

WaitCounts waitsFor(const State &S, const RegisterSet &Registers) {
  WaitCounts Result;
  for (unsigned I = 0; I < NumWaitCounters; ++I) {
    if (!(S[I].Unordered & Registers).empty())
      Result[I] = 0;
    for (const Pending &P : S[I].InOrder)
      if (Registers.unit(P.Unit))
        Result[I] =
            std::min<unsigned>(Result[I].value_or(P.Younger), P.Younger);
  }
  return Result;
}

} // namespace

unsigned LoadsInFlight::keep(State S) {
  hash_code Hash(0);
  for (const Queue &Q : S) {
    for (const Pending &P : Q.InOrder)
      Hash = hash_combine(Hash, P.Unit, P.Younger);
    Hash = hash_combine(
        Hash,
        xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(&Q.Unordered),
                             sizeof(Q.Unordered))));
  }
  // The map keeps its highest keys for itself. What has another's hash by
  // accident is kept for itself, without a key.
  auto [It, IsNew] = Known.try_emplace(size_t(Hash) >> 1, States.size());
  if (!IsNew && States[It->second] == S)
    return It->second;
  States.push_back(std::move(S));
  return States.size() - 1;
}

class LoadsInFlightSolver {
public:
  LoadsInFlightSolver(const LiftedRepresentation &LR, LoadsInFlight &Result)
      : Result(Result) {
    const MachineFunction *Kernel = LR.functions().front().second;
    const CallGraph Graph = CallGraph::run(LR);
    for (const MachineFunction *MF : Graph.calleesFirst()) {
      for (const ControlTransfer *Call : Graph.transfersOf(*MF))
        if (Call->Kind == ControlTransfer::Call)
          Result.AfterCalls[Call->MI] = exitOf(Call->Callee);
      solve(*MF, MF == Kernel);
      Exits[MF] = Result.keep(exitStateOf(Graph.transfersOf(*MF)));
    }
  }

  /// False if \p MI is none of those that change anything.
  static bool step(const LoadsInFlight &Facts, State &S,
                   const MachineInstr &MI) {
    const auto Waits = waitsOf(MI, *Facts.Traits);
    for (CounterWait Wait : Waits)
      wait(S[unsigned(Wait.Counter)], Wait.Count);
    const CountedOperation Op = countedOperation(MI, *Facts.Traits);
    issue(S, MI, Op);
    if (MI.isCall())
      S = Facts.States[Facts.AfterCalls.lookup(&MI)];
    return !Waits.empty() || !Op.Counters.empty() || MI.isCall();
  }

private:
  /// Unknown for a function that is called again before it is done.
  unsigned exitOf(const MachineFunction *Callee) const {
    return Exits.lookup(Callee);
  }

  /// What may be in flight when a function with these transfers returns.
  State exitStateOf(const CallGraph::Transfers &Transfers) const {
    State S;
    for (const ControlTransfer *Transfer : Transfers)
      if (Transfer->Kind == ControlTransfer::Return)
        join(S, Result.stateBefore(*Transfer->MI));
      else if (Transfer->Kind == ControlTransfer::TailCall)
        join(S, Result.States[exitOf(Transfer->Callee)]);
      else if (Transfer->Kind == ControlTransfer::UnresolvedJump)
        join(S, Result.unknown());
    return S;
  }

  void solve(const MachineFunction &MF, bool IsKernel) {
    DenseMap<const MachineBasicBlock *, State> Starts(MF.size());
    SetVector<const MachineBasicBlock *> Work;
    for (const MachineBasicBlock &MBB : MF) {
      const bool IsEntry = &MBB == &MF.front();
      if (!IsEntry && !MBB.pred_empty())
        continue;
      // Nothing is outstanding where a wave starts.
      Starts[&MBB] = IsEntry && IsKernel ? State() : Result.unknown();
      Work.insert(&MBB);
    }
    while (!Work.empty()) {
      const MachineBasicBlock *MBB = Work.pop_back_val();
      State S = Starts[MBB];
      for (const MachineInstr &MI : *MBB)
        step(Result, S, MI);
      for (const MachineBasicBlock *Next : MBB->successors()) {
        auto [It, IsNew] = Starts.try_emplace(Next, S);
        if (IsNew || join(It->second, S))
          Work.insert(Next);
      }
    }
    for (const MachineBasicBlock &MBB : MF)
      if (auto It = Starts.find(&MBB); It != Starts.end())
        Result.Starts[&MBB] = Result.keep(std::move(It->second));
  }

  LoadsInFlight &Result;
  DenseMap<const MachineFunction *, unsigned> Exits;
};

LoadsInFlight LoadsInFlight::run(const LiftedRepresentation &LR) {
  LoadsInFlight Result;
  const MachineFunction &MF = *LR.functions().front().second;
  Result.Traits = &waitTraits(MF.getSubtarget());
  Result.keep(anythingInFlight(*Result.Traits));
  LoadsInFlightSolver(LR, Result);
  return Result;
}

const State &LoadsInFlight::atStart(const MachineBasicBlock *MBB) const {
  // Blocks that only each other lead to are entered from nowhere we know.
  return States[Starts.lookup(MBB)];
}

State LoadsInFlight::stateBefore(const MachineInstr &MI) const {
  State S = atStart(MI.getParent());
  for (const MachineInstr &Earlier : *MI.getParent()) {
    if (&Earlier == &MI)
      break;
    LoadsInFlightSolver::step(*this, S, Earlier);
  }
  return S;
}

RegisterSet
LoadsInFlight::registersAtStart(const MachineBasicBlock &MBB) const {
  return registersOf(atStart(&MBB));
}

std::vector<RegisterSet>
LoadsInFlight::registersIn(const MachineBasicBlock &MBB) const {
  std::vector<RegisterSet> Result;
  State S = atStart(&MBB);
  RegisterSet Set = registersOf(S);
  for (const MachineInstr &MI : MBB) {
    Result.push_back(Set);
    if (LoadsInFlightSolver::step(*this, S, MI))
      Set = registersOf(S);
  }
  return Result;
}

RegistersInFlight RegistersInFlight::run(const LiftedRepresentation &LR) {
  const LoadsInFlight Facts = LoadsInFlight::run(LR);
  RegistersInFlight Result;
  for (const auto &[Symbol, MF] : LR.functions())
    for (const MachineBasicBlock &MBB : *MF) {
      Result.Starts[&MBB] = Facts.registersAtStart(MBB);
      for (const auto &[MI, Set] : zip(MBB, Facts.registersIn(MBB))) {
        if (Result.Sets.empty() || !(Result.Sets.back() == Set))
          Result.Sets.push_back(Set);
        Result.Index[&MI] = Result.Sets.size() - 1;
      }
    }
  return Result;
}

const RegisterSet &RegistersInFlight::at(const InsertionPoint &Where) const {
  if (Where.instruction()) {
    auto It = Index.find(Where.instruction());
    return It == Index.end() ? Everything : Sets[It->second];
  }
  auto It = Starts.find(Where.block());
  return It == Starts.end() ? Everything : It->second;
}

WaitCounts LoadsInFlight::waitsAt(const InsertionPoint &Where,
                                  const RegisterSet &Registers) const {
  return waitsFor(Where.instruction() ? stateBefore(*Where.instruction())
                                      : atStart(Where.block()),
                  Registers);
}

/// False if \p MI is not behind where the walk is.
bool LoadsWalk::advanceTo(const MachineInstr &MI) {
  if (!At || At->getParent() != MI.getParent())
    return false;
  for (const MachineInstr *Next = At; Next; Next = Next->getNextNode()) {
    if (Next == &MI) {
      At = &MI;
      return true;
    }
    LoadsInFlightSolver::step(Facts, S, *Next);
  }
  return false;
}

/// To a block that was left before, or back in one.
void LoadsWalk::goTo(const MachineInstr &MI) {
  const MachineBasicBlock &MBB = *MI.getParent();
  if (!Kept.contains(&MBB.front()))
    keepStates(MBB);
  At = &MI;
  auto It = Kept.find(At);
  while (It == Kept.end())
    It = Kept.find(At = At->getPrevNode());
  S = It->second;
  advanceTo(MI);
}

void LoadsWalk::keepStates(const MachineBasicBlock &MBB) {
  // A state takes as much memory as some twenty instructions.
  constexpr unsigned Each = 64;
  State Here = Facts.atStart(&MBB);
  for (auto [Number, MI] : enumerate(MBB)) {
    if (Number % Each == 0)
      Kept[&MI] = Here;
    LoadsInFlightSolver::step(Facts, Here, MI);
  }
}

WaitCounts LoadsWalk::waitsAt(const InsertionPoint &Where,
                              const RegisterSet &Registers) {
  const MachineInstr *MI = Where.instruction();
  if (!MI)
    return Facts.waitsAt(Where, Registers);
  const MachineBasicBlock &MBB = *MI->getParent();
  if (Entered.insert(&MBB).second) {
    S = Facts.atStart(&MBB);
    At = &MBB.front();
  }
  if (!advanceTo(*MI))
    goTo(*MI);
  return waitsFor(S, Registers);
}

void printLoadsInFlight(const LiftedRepresentation &LR, raw_ostream &OS) {
  const RegistersInFlight Facts = RegistersInFlight::run(LR);
  printAnnotated(
      LR, "in flight",
      [&](const MachineInstr &MI) -> const RegisterSet & {
        return Facts.at(InsertionPoint::before(MI));
      },
      OS);
}

} // namespace luthier
