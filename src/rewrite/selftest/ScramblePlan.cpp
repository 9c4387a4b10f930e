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
class ScramblePlanner {
public:
  ScramblePlanner(const LiftedRepresentation &LR,
                  const ScramblePlan::Options &How)
      : LR(LR), How(How), Lives(Liveness::run(LR)),
        Loads(RegistersInFlight::run(LR)), Legal(InsertionLegality::run(LR)),
        Effects(EffectsTable::run(LR)), Random(How.Seed) {}

  ScramblePlan run();

private:
  using Point = InsertionPoint;

  RegisterSet freeAt(const Point &At) const;
  RegisterSet after(const MachineBasicBlock &MBB, RegisterSet Garbage,
                    bool IsFinal);
  RegisterSet atStart(const MachineBasicBlock &MBB) const;
  void number(const MachineFunction &MF);
  void solve(const MachineFunction &MF);
  void plan(const MachineFunction &MF);
  /// What becomes garbage at \p At if it is not yet: all of \p Free, or some by
  /// chance, the same ones whenever it is asked.
  RegisterSet turned(const Point &At, const RegisterSet &Free) const;
  /// Registers that hold garbage behind a point where \p Free is free and
  /// \p Garbage did before.
  RegisterSet pass(const Point &At, const RegisterSet &Free,
                   RegisterSet Garbage) const;
  void note(const Point &At, const RegisterSet &Free,
            const RegisterSet &Garbage);
  RegisterSet choose(const RegisterSet &From, unsigned Count);

  const LiftedRepresentation &LR;
  const ScramblePlan::Options &How;
  const Liveness Lives;
  const RegistersInFlight Loads;
  const InsertionLegality Legal;
  const EffectsTable Effects;
  std::mt19937 Random;
  /// Where blocks end; absent until control is known to get there.
  DenseMap<const MachineBasicBlock *, RegisterSet> Ends;
  /// Of points, for the dice: addresses differ from run to run.
  DenseMap<Point::Key, unsigned> Numbers;
  ScramblePlan Plan;
};

RegisterSet ScramblePlanner::freeAt(const Point &At) const {
  if (!Legal.isLegal(At) ||
      (At.source() && Legal.isEnteredDeallocated(*At.block())))
    return {};
  const RegisterSet Free =
      How.Universe - (Lives.at(At) - How.Planted) - Loads.at(At);
  const bool Deallocates =
      At.instruction() && Legal.deallocatesVGPRs(*At.instruction());
  return Deallocates ? Free - S::allVectors() : Free;
}

RegisterSet ScramblePlanner::turned(const Point &At,
                                    const RegisterSet &Free) const {
  if (How.Max >= S::NumUnits)
    return Free;
  unsigned Count = 0;
  for (unsigned U = 0; U != S::NumUnits; ++U)
    Count += Free.unit(U);
  if (Count <= How.Max)
    return Free;
  std::minstd_rand Chance(How.Seed ^ Numbers.lookup(At.key()));
  RegisterSet Chosen;
  for (unsigned U = 0; U != S::NumUnits; ++U)
    if (Free.unit(U) && Chance() % Count < How.Max)
      Chosen.addUnit(U);
  return Chosen;
}

RegisterSet ScramblePlanner::pass(const Point &At, const RegisterSet &Free,
                                  RegisterSet Garbage) const {
  // Otherwise only lanes that are active are reached for sure.
  const bool ReachesAllLanes =
      Free.has(S::SCC) || freePair(Free, Effects.isWave32());
  const RegisterSet Turned = turned(At, Free);
  return Garbage |= ReachesAllLanes ? Turned : Turned - S::allVectors();
}

RegisterSet ScramblePlanner::after(const MachineBasicBlock &MBB,
                                   RegisterSet Garbage, bool IsFinal) {
  for (auto [MI, E] : zip(MBB, Effects.of(MBB))) {
    const Point At = Point::before(MI);
    const RegisterSet Free = freeAt(At);
    if (IsFinal)
      note(At, Free, Garbage);
    Garbage = pass(At, Free, Garbage);
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
RegisterSet ScramblePlanner::atStart(const MachineBasicBlock &MBB) const {
  const bool IsEntry = &MBB == &MBB.getParent()->front();
  if (!IsEntry && MBB.pred_empty())
    return {};
  RegisterSet Garbage = RegisterSet::all();
  if (IsEntry) {
    const Point At = Point::entry(*MBB.getParent());
    Garbage = pass(At, freeAt(At), {});
  }
  for (const MachineBasicBlock *Pred : MBB.predecessors())
    if (auto End = Ends.find(Pred); End != Ends.end()) {
      const Point At = Point::edge(*Pred, MBB);
      Garbage &= pass(At, freeAt(At), End->second);
    }
  return Garbage;
}

void ScramblePlanner::number(const MachineFunction &MF) {
  auto add = [&](const Point &At) {
    Numbers.try_emplace(At.key(), Numbers.size() + 1);
  };
  add(Point::entry(MF));
  for (const MachineBasicBlock &MBB : MF) {
    for (const MachineInstr &MI : MBB)
      add(Point::before(MI));
    for (const MachineBasicBlock *Succ : MBB.successors())
      add(Point::edge(MBB, *Succ));
  }
}

/// Sets only shrink from round to round.
void ScramblePlanner::solve(const MachineFunction &MF) {
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

RegisterSet ScramblePlanner::choose(const RegisterSet &From, unsigned Count) {
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

void ScramblePlanner::note(const Point &At, const RegisterSet &Free,
                           const RegisterSet &Garbage) {
  constexpr unsigned Again = 2;
  const RegisterSet Write =
      (turned(At, Free) - Garbage) | choose(Free & Garbage, Again);
  if (!Write.empty())
    Plan.Points[At.key()] = {Write, Free};
}

void ScramblePlanner::plan(const MachineFunction &MF) {
  note(Point::entry(MF), freeAt(Point::entry(MF)), {});
  for (const MachineBasicBlock &MBB : MF) {
    after(MBB, atStart(MBB), /*IsFinal=*/true);
    for (const MachineBasicBlock *Succ : MBB.successors())
      note(Point::edge(MBB, *Succ), freeAt(Point::edge(MBB, *Succ)),
           Ends.lookup(&MBB));
  }
}

ScramblePlan ScramblePlanner::run() {
  for (const auto &[Symbol, MF] : LR.functions()) {
    number(*MF);
    solve(*MF);
    plan(*MF);
  }
  return std::move(Plan);
}

ScramblePlan ScramblePlan::run(const LiftedRepresentation &LR,
                               const Options &How) {
  return ScramblePlanner(LR, How).run();
}

} // namespace luthier
