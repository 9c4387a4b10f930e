// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/selftest/ScramblePlan.h"
#include "analysis/InsertionLegality.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>
#include <bit>
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

/// Follows which registers hold nothing but garbage, in one function at a time.
class ScramblePlanner {
public:
  ScramblePlanner(const LiftedRepresentation &LR, SharedFacts &Facts,
                  const ScramblePlan::Options &How)
      : LR(LR), How(How), Effects(Facts.basis().Effects),
        Lives(Facts.liveness()), Loads(Facts.loads()),
        Legal(InsertionLegality::run(LR)), Random(How.Seed) {}

  const ScramblePoint *at(const InsertionPoint &Where);

private:
  using Point = InsertionPoint;
  /// What is free before each instruction of one block, where control enters
  /// it, and what the block makes of garbage: some remains, some is new.
  struct Block {
    std::vector<RegisterSet> Free;
    RegisterSet FreeAtStart;
    RegisterSet Kept = RegisterSet::all(), New;
    /// Of its first instruction and of the edges behind it, for the dice:
    /// addresses differ from run to run.
    unsigned FirstNumber = 0;
    /// Where it ends; absent until control is known to get there.
    std::optional<RegisterSet> End;

    RegisterSet across(const RegisterSet &Garbage) const {
      return (Garbage & Kept) | New;
    }
  };

  const MachineFunction &functionOf(const Point &At) const;
  void planNext();
  void number();
  void look(const MachineBasicBlock &MBB, Block &Of) const;
  RegisterSet freeAtEdge(const MachineBasicBlock &From,
                         const MachineBasicBlock &To) const;
  const Block &of(const MachineBasicBlock &MBB) const {
    return Blocks.find(&MBB)->second;
  }
  unsigned numberOfEdge(const MachineBasicBlock &From,
                        const MachineBasicBlock &To) const;
  RegisterSet atStart(const MachineBasicBlock &MBB) const;
  void solve();
  void plan();
  /// What becomes garbage at point \p Number if it is not yet: all of \p Free,
  /// or some by chance, the same ones whenever it is asked.
  RegisterSet turned(unsigned Number, const RegisterSet &Free) const;
  /// Of that, what is overwritten in all lanes for sure.
  RegisterSet madeGarbage(unsigned Number, const RegisterSet &Free) const;
  void note(const Point &At, unsigned Number, const RegisterSet &Free,
            const RegisterSet &Garbage);
  RegisterSet choose(const RegisterSet &From, unsigned Count);

  const LiftedRepresentation &LR;
  const ScramblePlan::Options How;
  const EffectsTable &Effects;
  const LivenessOnDemand &Lives;
  const LoadsInFlight &Loads;
  const InsertionLegality Legal;
  std::mt19937 Random;

  /// The function that is looked at, and how many have been.
  const MachineFunction *MF = nullptr;
  size_t NumFunctions = 0;
  unsigned NumPoints = 0, EntryNumber = 0;
  DenseMap<const MachineBasicBlock *, Block> Blocks;
  DenseMap<Point::Key, unsigned> Index;
  std::vector<ScramblePoint> Points;
};

const MachineFunction &ScramblePlanner::functionOf(const Point &At) const {
  if (At.function())
    return *At.function();
  return At.instruction() ? *At.instruction()->getMF()
                          : *At.source()->getParent();
}

const ScramblePoint *ScramblePlanner::at(const Point &Where) {
  // There, all is needed.
  if (Where.isLeaving())
    return nullptr;
  const MachineFunction &Wanted = functionOf(Where);
  while (MF != &Wanted) {
    if (NumFunctions == LR.functions().size())
      report_fatal_error("functions are scrambled in their order");
    planNext();
  }
  const auto Found = Index.find(Where.key());
  return Found == Index.end() ? nullptr : &Points[Found->second];
}

void ScramblePlanner::planNext() {
  MF = LR.functions()[NumFunctions++].second;
  Index.clear();
  Points.clear();
  number();
  if (MF->empty())
    return;
  for (const MachineBasicBlock &MBB : *MF)
    look(MBB, Blocks[&MBB]);
  solve();
  plan();
  Blocks.clear();
}

void ScramblePlanner::number() {
  EntryNumber = ++NumPoints;
  Blocks.reserve(MF->size());
  for (const MachineBasicBlock &MBB : *MF) {
    Blocks[&MBB].FirstNumber = NumPoints + 1;
    NumPoints += Effects.of(MBB).size() + MBB.succ_size();
  }
}

unsigned ScramblePlanner::numberOfEdge(const MachineBasicBlock &From,
                                       const MachineBasicBlock &To) const {
  return of(From).FirstNumber + Effects.of(From).size() +
         (find(From.successors(), &To) - From.succ_begin());
}

RegisterSet ScramblePlanner::turned(unsigned Number,
                                    const RegisterSet &Free) const {
  if (How.Max >= S::NumUnits)
    return Free;
  const unsigned Count = Free.count();
  if (Count <= How.Max)
    return Free;
  std::minstd_rand Chance(How.Seed ^ Number);
  RegisterSet Chosen;
  for (unsigned U = 0; U != S::NumUnits; ++U)
    if (Free.unit(U) && Chance() % Count < How.Max)
      Chosen.addUnit(U);
  return Chosen;
}

RegisterSet ScramblePlanner::madeGarbage(unsigned Number,
                                         const RegisterSet &Free) const {
  // Otherwise only lanes that are active are reached for sure.
  const bool ReachesAllLanes =
      Free.has(S::SCC) || freePair(Free, Effects.isWave32());
  const RegisterSet Turned = turned(Number, Free);
  return ReachesAllLanes ? Turned : Turned - S::allVectors();
}

/// What is left of \p Garbage behind \p MI.
static void cross(RegisterSet &Garbage, const MachineInstr &MI,
                  const InstructionEffects &E) {
  // What was called may have written anything.
  if (MI.isCall())
    Garbage = {};
  for (const RegisterEffect &Effect : E.Registers)
    if (InstructionEffects::isWrite(Effect))
      Garbage.remove(Effect.Units);
}

void ScramblePlanner::look(const MachineBasicBlock &MBB, Block &Of) const {
  auto free = [&](const RegisterSet &Live, const RegisterSet &Loaded) {
    return How.Universe - (Live - How.Planted) - Loaded;
  };
  Of.FreeAtStart = free(Lives.atStart(MBB), Loads.registersAtStart(MBB));
  Of.Free.reserve(Effects.of(MBB).size());
  unsigned Number = Of.FirstNumber;
  for (const auto &[MI, E, Live, Loaded] :
       zip(MBB, Effects.of(MBB), Lives.in(MBB), Loads.registersIn(MBB))) {
    RegisterSet &Free = Of.Free.emplace_back();
    if (Legal.isLegal(Point::before(MI)))
      Free = free(Live, Loaded);
    if (Legal.deallocatesVGPRs(MI))
      Free -= S::allVectors();
    Of.New |= madeGarbage(Number++, Free);
    cross(Of.Kept, MI, E);
    cross(Of.New, MI, E);
  }
}

RegisterSet ScramblePlanner::freeAtEdge(const MachineBasicBlock &From,
                                        const MachineBasicBlock &To) const {
  if (!Legal.isLegal(Point::edge(From, To)) || Legal.isEnteredDeallocated(To))
    return {};
  return of(To).FreeAtStart;
}

/// On all ways that are known yet.
RegisterSet ScramblePlanner::atStart(const MachineBasicBlock &MBB) const {
  const bool IsEntry = &MBB == &MF->front();
  if (!IsEntry && MBB.pred_empty())
    return {};
  RegisterSet Garbage = RegisterSet::all();
  if (IsEntry)
    Garbage = madeGarbage(EntryNumber, of(MBB).FreeAtStart);
  for (const MachineBasicBlock *Pred : MBB.predecessors())
    if (const std::optional<RegisterSet> &End = of(*Pred).End)
      Garbage &=
          *End | madeGarbage(numberOfEdge(*Pred, MBB), freeAtEdge(*Pred, MBB));
  return Garbage;
}

/// Sets only shrink from round to round.
void ScramblePlanner::solve() {
  SetVector<const MachineBasicBlock *> Work;
  for (const MachineBasicBlock &MBB : reverse(*MF))
    Work.insert(&MBB);
  while (!Work.empty()) {
    const MachineBasicBlock *MBB = Work.pop_back_val();
    Block &Of = Blocks.find(MBB)->second;
    const RegisterSet End = Of.across(atStart(*MBB));
    if (Of.End == End)
      continue;
    Of.End = End;
    for (const MachineBasicBlock *Next : MBB->successors())
      Work.insert(Next);
  }
}

/// The unit that \p Number others of \p From come before.
static unsigned unitAt(const RegisterSet &From, unsigned Number) {
  constexpr unsigned Bits = 64;
  const auto Words =
      std::bit_cast<std::array<uint64_t, S::NumUnits / Bits>>(From);
  for (auto [Index, Word] : enumerate(Words)) {
    const unsigned Here = std::popcount(Word);
    if (Number >= Here) {
      Number -= Here;
      continue;
    }
    uint64_t Left = Word;
    for (; Number; --Number)
      Left &= Left - 1;
    return Index * Bits + std::countr_zero(Left);
  }
  llvm_unreachable("there are fewer");
}

/// As the first ones of a list that is shuffled.
RegisterSet ScramblePlanner::choose(const RegisterSet &From, unsigned Count) {
  const unsigned Size = From.count();
  if (Size <= Count)
    return From;
  /// Places whose contents have been exchanged, and what is there now.
  SmallVector<std::pair<unsigned, unsigned>, 4> Exchanged;
  auto contentOf = [&](unsigned Place) {
    for (auto [Other, Content] : reverse(Exchanged))
      if (Other == Place)
        return Content;
    return Place;
  };
  RegisterSet Chosen;
  for (unsigned N = 0; N != Count; ++N) {
    const unsigned Place = N + Random() % (Size - N);
    Chosen.addUnit(unitAt(From, contentOf(Place)));
    Exchanged.push_back({Place, contentOf(N)});
  }
  return Chosen;
}

void ScramblePlanner::note(const Point &At, unsigned Number,
                           const RegisterSet &Free,
                           const RegisterSet &Garbage) {
  constexpr unsigned Again = 2;
  const RegisterSet Write =
      (turned(Number, Free) - Garbage) | choose(Free & Garbage, Again);
  if (Write.empty())
    return;
  Index[At.key()] = Points.size();
  Points.push_back({Write, Free});
}

void ScramblePlanner::plan() {
  note(Point::entry(*MF), EntryNumber, of(MF->front()).FreeAtStart, {});
  for (const MachineBasicBlock &MBB : *MF) {
    const Block &Of = of(MBB);
    RegisterSet Garbage = atStart(MBB);
    unsigned Number = Of.FirstNumber;
    for (const auto &[MI, E, Free] : zip(MBB, Effects.of(MBB), Of.Free)) {
      note(Point::before(MI), Number, Free, Garbage);
      Garbage |= madeGarbage(Number++, Free);
      cross(Garbage, MI, E);
    }
    for (const MachineBasicBlock *Next : MBB.successors())
      note(Point::edge(MBB, *Next), numberOfEdge(MBB, *Next),
           freeAtEdge(MBB, *Next), *Of.End);
  }
}

ScramblePlan::ScramblePlan(const LiftedRepresentation &LR, SharedFacts &Facts,
                           const Options &How)
    : Planner(std::make_unique<ScramblePlanner>(LR, Facts, How)) {}
ScramblePlan::~ScramblePlan() = default;

const ScramblePoint *ScramblePlan::at(const InsertionPoint &Where) {
  return Planner->at(Where);
}

} // namespace luthier
