// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/selftest/ScramblePlan.h"
#include "analysis/InsertionLegality.h"
#include "analysis/Liveness.h"
#include "analysis/LoadsInFlight.h"
#include "analysis/RegisterEffects.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <random>

using namespace llvm;

namespace luthier {

using S = RegisterSet;

std::optional<unsigned> freePair(const RegisterSet &Free, bool IsWave32) {
  for (unsigned N = 0; N + 1 < S::NumSGPRs; N += 2)
    if (Free.sgpr(N) && (IsWave32 || Free.sgpr(N + 1)))
      return N;
  return std::nullopt;
}

/// Follows which registers hold nothing but garbage.
class PoisonPlanner {
public:
  PoisonPlanner(const LiftedRepresentation &LR, const PoisonPlan::Options &How)
      : LR(LR), How(How), Lives(Liveness::run(LR)),
        Loads(LoadsInFlight::run(LR)), Legal(InsertionPoints::run(LR)),
        Effects(EffectsTable::run(LR)), Random(How.Seed) {}

  PoisonPlan run();

private:
  using Key = PoisonPlan::Key;

  RegisterSet free(const RegisterSet &Live, const RegisterSet &Loading) const {
    return How.Universe - (Live - How.Planted) - Loading;
  }
  RegisterSet freeBefore(const MachineInstr &MI) const;
  RegisterSet freeOnEdge(const MachineBasicBlock &From,
                         const MachineBasicBlock &To) const;
  RegisterSet freeAtEntry(const MachineFunction &MF) const {
    return free(Lives.atEntry(MF), Loads.atEntry(MF));
  }
  RegisterSet after(const MachineBasicBlock &MBB, RegisterSet Garbage,
                    bool IsFinal);
  RegisterSet atStart(const MachineBasicBlock &MBB) const;
  void number(const MachineFunction &MF);
  void solve(const MachineFunction &MF);
  void plan(const MachineFunction &MF);
  /// What becomes garbage at \p At if it is not yet: all of \p Free, or some by
  /// chance, the same ones whenever it is asked.
  RegisterSet turned(Key At, const RegisterSet &Free) const;
  /// Registers that hold garbage behind a place where \p Free is free and
  /// \p Garbage did before.
  RegisterSet pass(Key At, const RegisterSet &Free, RegisterSet Garbage) const;
  void note(Key At, const RegisterSet &Free, const RegisterSet &Garbage);
  RegisterSet choose(const RegisterSet &From, unsigned Count);

  const LiftedRepresentation &LR;
  const PoisonPlan::Options &How;
  const Liveness Lives;
  const LoadsInFlight Loads;
  const InsertionPoints Legal;
  const EffectsTable Effects;
  std::mt19937 Random;
  /// Where blocks end; absent until control is known to get there.
  DenseMap<const MachineBasicBlock *, RegisterSet> Ends;
  /// Of places, for the dice: addresses differ from run to run.
  DenseMap<Key, unsigned> Numbers;
  PoisonPlan Plan;
};

RegisterSet PoisonPlanner::freeBefore(const MachineInstr &MI) const {
  Expected<const MachineInstr *> Anchor = Legal.anchorOf(MI);
  if (!Anchor) {
    consumeError(Anchor.takeError());
    return {};
  }
  if (*Anchor != &MI)
    return {};
  const RegisterSet Free = free(Lives.before(MI), Loads.before(MI));
  return Legal.deallocatesVGPRs(MI) ? Free - S::allVectors() : Free;
}

RegisterSet PoisonPlanner::freeOnEdge(const MachineBasicBlock &From,
                                      const MachineBasicBlock &To) const {
  if (!Legal.isLegalBehind(From) || Legal.isEnteredDeallocated(To))
    return {};
  return free(Lives.onEdge(From, To), Loads.onEdge(From, To));
}

RegisterSet PoisonPlanner::turned(Key At, const RegisterSet &Free) const {
  if (How.Most >= S::NumUnits)
    return Free;
  unsigned Count = 0;
  for (unsigned U = 0; U != S::NumUnits; ++U)
    Count += Free.unit(U);
  if (Count <= How.Most)
    return Free;
  std::minstd_rand Chance(How.Seed ^ Numbers.lookup(At));
  RegisterSet Chosen;
  for (unsigned U = 0; U != S::NumUnits; ++U)
    if (Free.unit(U) && Chance() % Count < How.Most)
      Chosen.addUnit(U);
  return Chosen;
}

RegisterSet PoisonPlanner::pass(Key At, const RegisterSet &Free,
                                RegisterSet Garbage) const {
  // Otherwise only lanes that are active are reached for sure.
  const bool ReachesAllLanes =
      Free.has(S::SCC) || freePair(Free, Effects.isWave32());
  const RegisterSet Turned = turned(At, Free);
  return Garbage |= ReachesAllLanes ? Turned : Turned - S::allVectors();
}

RegisterSet PoisonPlanner::after(const MachineBasicBlock &MBB,
                                 RegisterSet Garbage, bool IsFinal) {
  for (auto [MI, E] : zip(MBB, Effects.of(MBB))) {
    const RegisterSet Free = freeBefore(MI);
    if (IsFinal)
      note({&MI, nullptr}, Free, Garbage);
    Garbage = pass({&MI, nullptr}, Free, Garbage);
    // What was called may have written anything.
    if (MI.isCall())
      Garbage = {};
    for (const RegisterEffect &Effect : E.Registers)
      if (InstructionEffects::isWrite(Effect))
        Garbage.remove(Effect.Units);
  }
  return Garbage;
}

/// On all ways that are known yet.
RegisterSet PoisonPlanner::atStart(const MachineBasicBlock &MBB) const {
  const bool IsEntry = &MBB == &MBB.getParent()->front();
  if (!IsEntry && MBB.pred_empty())
    return {};
  RegisterSet Garbage = IsEntry ? pass({nullptr, MBB.getParent()},
                                       freeAtEntry(*MBB.getParent()), {})
                                : RegisterSet::all();
  for (const MachineBasicBlock *Pred : MBB.predecessors())
    if (auto End = Ends.find(Pred); End != Ends.end())
      Garbage &= pass({Pred, &MBB}, freeOnEdge(*Pred, MBB), End->second);
  return Garbage;
}

void PoisonPlanner::number(const MachineFunction &MF) {
  auto add = [&](Key At) { Numbers.try_emplace(At, Numbers.size() + 1); };
  add({nullptr, &MF});
  for (const MachineBasicBlock &MBB : MF) {
    for (const MachineInstr &MI : MBB)
      add({&MI, nullptr});
    for (const MachineBasicBlock *Succ : MBB.successors())
      add({&MBB, Succ});
  }
}

/// Sets only shrink from round to round.
void PoisonPlanner::solve(const MachineFunction &MF) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MachineBasicBlock &MBB : MF) {
      const RegisterSet End = after(MBB, atStart(MBB), /*IsFinal=*/false);
      auto [Known, IsNew] = Ends.try_emplace(&MBB, End);
      Changed |= IsNew || Known->second != End;
      Known->second = End;
    }
  }
}

RegisterSet PoisonPlanner::choose(const RegisterSet &From, unsigned Count) {
  SmallVector<unsigned, 64> Units;
  for (unsigned U = 0; U != S::NumUnits; ++U)
    if (From.unit(U))
      Units.push_back(U);
  if (Units.size() <= Count)
    return From;
  RegisterSet Chosen;
  for (unsigned N = 0; N != Count; ++N) {
    std::swap(Units[N], Units[N + Random() % (Units.size() - N)]);
    Chosen.addUnit(Units[N]);
  }
  return Chosen;
}

void PoisonPlanner::note(Key At, const RegisterSet &Free,
                         const RegisterSet &Garbage) {
  constexpr unsigned Again = 2;
  const RegisterSet Write =
      (turned(At, Free) - Garbage) | choose(Free & Garbage, Again);
  if (!Write.empty())
    Plan.Places[At] = {Write, Free};
}

void PoisonPlanner::plan(const MachineFunction &MF) {
  note({nullptr, &MF}, freeAtEntry(MF), {});
  for (const MachineBasicBlock &MBB : MF) {
    after(MBB, atStart(MBB), /*IsFinal=*/true);
    for (const MachineBasicBlock *Succ : MBB.successors())
      note({&MBB, Succ}, freeOnEdge(MBB, *Succ), Ends.lookup(&MBB));
  }
}

PoisonPlan PoisonPlanner::run() {
  for (const auto &[Symbol, MF] : LR.functions()) {
    number(*MF);
    solve(*MF);
    plan(*MF);
  }
  return std::move(Plan);
}

PoisonPlan PoisonPlan::run(const LiftedRepresentation &LR, const Options &How) {
  return PoisonPlanner(LR, How).run();
}

} // namespace luthier
