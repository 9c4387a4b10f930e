// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that CountInstructions.h counts otherwise than by adding in each run
// what it executes.
#ifndef LUTHIER_DETAIL_COUNTEDLOOPS_H
#define LUTHIER_DETAIL_COUNTEDLOOPS_H

#include "luthier/InstructionRuns.h"
#include "luthier/TripCount.h"
#include "luthier/detail/CountingSums.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include <tuple>

namespace luthier::detail {

/// What one run of a loop of one block executes, if all vector instructions
/// have the same lanes: those that there are at Begin.
struct LoopBody {
  const llvm::MachineInstr *Begin = nullptr;
  uint32_t Vectors = 0, Scalars = 0;

  uint32_t size() const { return Vectors + Scalars; }
  /// \p Groups begin in \p MBB.
  static std::optional<LoopBody> of(const llvm::MachineBasicBlock &MBB,
                                    llvm::ArrayRef<const LaneGroup *> Groups) {
    auto isCall = [](const llvm::MachineInstr &MI) { return MI.isCall(); };
    if (!MBB.isSuccessor(&MBB) || llvm::any_of(MBB, isCall))
      return std::nullopt;
    const uint32_t Vectors = llvm::count_if(MBB, isVectorInstruction);
    const auto Group = llvm::find_if(Groups, [&](const LaneGroup *G) {
      return G->Without.empty() && G->Instructions.size() == Vectors;
    });
    if (Vectors && Group == Groups.end())
      return std::nullopt;
    return LoopBody{Vectors ? (*Group)->Begin : &MBB.front(), Vectors,
                    uint32_t(MBB.size()) - Vectors};
  }
};

/// Loops that are counted where they are entered, as it is known how often they
/// run.
struct LoopsWithTrips {
  struct Trips {
    TripCount Count;
    LoopBody Body;
  };
  llvm::MapVector<const llvm::MachineBasicBlock *, Trips> Blocks;

  static LoopsWithTrips of(const LiftedRepresentation &LR,
                           const std::vector<LaneGroup> &Groups) {
    LoopsWithTrips Result;
    llvm::DenseMap<const llvm::MachineBasicBlock *,
                   llvm::SmallVector<const LaneGroup *, 1>>
        BeginIn;
    for (const LaneGroup &G : Groups)
      BeginIn[G.Begin->getParent()].push_back(&G);
    for (const auto &[Symbol, MF] : LR.functions())
      for (const llvm::MachineBasicBlock &MBB : *MF)
        if (const std::optional<LoopBody> Body =
                LoopBody::of(MBB, BeginIn.lookup(&MBB)))
          if (std::optional<TripCount> Count = tripCountOf(LR, MBB))
            Result.Blocks.insert({&MBB, Trips{*Count, *Body}});
    return Result;
  }
  bool contains(const llvm::MachineInstr &MI) const {
    return Blocks.contains(MI.getParent());
  }
};

/// A place in a loop. A wave counts how often it comes there, and with how many
/// lanes, and multiplies when it ends.
struct CountedPlace {
  const llvm::MachineInstr *Begin;
  /// Vector instructions that are executed with the lanes there; those that are
  /// not, if it is negative.
  int64_t Vectors;
  /// What each time adds to the sums of all instructions and of scalar ones.
  uint32_t All, Scalars;
  /// Each lane counts how often it comes there, instead of the wave.
  bool IsCountedByLanes = false;
};

/// Lanes that are counted where a wave comes to Begin, each for so many
/// instructions.
struct CountedLanes {
  const LaneGroup *Group;
  const llvm::MachineInstr *Begin;
  int64_t Vectors;
};

inline size_t sizeOf(const LiftedRepresentation &LR) {
  size_t Size = 0;
  for (const auto &[Symbol, MF] : LR.functions())
    for (const llvm::MachineBasicBlock &MBB : *MF)
      Size += MBB.size();
  return Size;
}

/// Chooses places in loops and takes what is counted there out of the sums.
class PlaceChooser {
public:
  /// Of a kernel of \p Size instructions.
  PlaceChooser(size_t Size, std::vector<CountedLanes> &Lanes, PathSum &All,
               PathSum &Scalars)
      : Size(Size), Lanes(Lanes), All(All), Scalars(Scalars) {}

  /// As many as pay, all in one loop, and \p Most at most.
  std::vector<CountedPlace> take(unsigned Most) {
    std::vector<CountedPlace> Result;
    if (Size > MostInstructions)
      return Result;
    const llvm::MachineInstr *Loop = nullptr;
    while (Result.size() < Most) {
      std::optional<Candidate> Best;
      for (CountedLanes &L : Lanes)
        for (const std::optional<Candidate> &C : {asItIs(L), turned(L)})
          if (C && (!Loop || C->Loop == Loop) && (!Best || *Best < *C))
            Best = C;
      if (!Best)
        return Result;
      Loop = Best->Loop;
      Result.push_back(take(*Best));
    }
    return Result;
  }

private:
  struct Candidate {
    CountedLanes *Lanes;
    CountedPlace Place;
    /// Instructions that it takes less than if it were not chosen.
    int64_t Worth;
    /// Where the loop adds what it executes as a whole, and how much.
    const llvm::MachineInstr *Loop;
    uint64_t LoopSize;
    /// Gets the lanes of the other side, if this is one side of a branch.
    CountedLanes *Owner = nullptr;

    /// A loop of one block then has nothing else to add.
    bool isAllOfLoop() const {
      return Loop->getParent()->isSuccessor(Loop->getParent());
    }
    bool operator<(const Candidate &Other) const {
      return std::tuple(Worth, isAllOfLoop(), LoopSize) <
             std::tuple(Other.Worth, Other.isAllOfLoop(), Other.LoopSize);
    }
  };

  /// For want of anything better: how often a loop runs, as far as it is worth
  /// thinking about.
  static constexpr int64_t TimesOfLoop = 8;
  static constexpr unsigned MaxDepth = 4;
  /// To begin with zero, and to part, multiply and add.
  static constexpr int64_t AtTheEnd = 23;
  /// What a place executes, and what additions to the sums do.
  static constexpr int64_t EachTime = 4, Addition = 2;
  /// Of the kernel, a loop is at least. Others may be its work as little as a
  /// loop that clears memory, and run as rarely.
  static constexpr uint64_t PartOfKernel = 16;
  /// A large kernel has better use for the counters beside its loops.
  static constexpr size_t MostInstructions = 256;

  static const PathSum::Addition *at(const PathSum &Sum,
                                     const llvm::MachineInstr &MI) {
    const llvm::MachineInstr *First = firstTogether(MI);
    const auto It =
        llvm::find_if(Sum.Additions, [&](const PathSum::Addition &A) {
          return A.Before == First;
        });
    return It == Sum.Additions.end() ? nullptr : &*It;
  }

  uint64_t numberAt(const llvm::MachineInstr &MI) const {
    const PathSum::Addition *A = at(All, MI);
    return A ? A->Number : 0;
  }

  /// \p InLoop is where the loop adds what it executes as a whole.
  std::optional<Candidate> candidate(CountedLanes &L,
                                     const llvm::MachineInstr &Begin,
                                     const llvm::MachineInstr &InLoop,
                                     int64_t Vectors, int64_t LanesBefore) {
    const PathSum::Addition *InAll = at(All, Begin),
                            *InScalars = at(Scalars, Begin);
    const uint64_t NumAll = InAll ? InAll->Number : 0,
                   NumScalars = InScalars ? InScalars->Number : 0;
    if (!InAll || InAll->IsOnce || !Vectors || NumAll > UINT32_MAX ||
        NumScalars > UINT32_MAX)
      return std::nullopt;
    // In an addition of lanes, it is one instruction more.
    const bool IsJoined = &Begin == L.Begin;
    int64_t Worth = LanesBefore + Addition +
                    (NumScalars ? IsJoined ? 1 : Addition : 0) - EachTime;
    for (unsigned D = std::min(InAll->LoopDepth, MaxDepth); D; --D)
      Worth *= TimesOfLoop;
    const uint64_t LoopSize = numberAt(InLoop);
    if (Worth <= AtTheEnd || PartOfKernel * LoopSize < Size)
      return std::nullopt;
    return Candidate{&L,
                     {&Begin, Vectors, uint32_t(NumAll), uint32_t(NumScalars)},
                     Worth,
                     firstTogether(InLoop),
                     LoopSize};
  }

  static int64_t costOf(int64_t Vectors) { return Vectors == 1 ? 3 : 4; }

  std::optional<Candidate> asItIs(CountedLanes &L) {
    return candidate(L, *L.Begin, *L.Begin, L.Vectors, costOf(L.Vectors));
  }

  /// Of both sides of a branch, the smaller one: what the larger one executes
  /// more is counted for all lanes, and taken away there.
  std::optional<Candidate> turned(CountedLanes &L) {
    if (L.Group->Without.empty() || L.Begin != L.Group->Begin)
      return std::nullopt;
    const llvm::MachineInstr *Smaller = L.Group->Without.front();
    const auto Owner = llvm::find_if(Lanes, [&](const CountedLanes &Other) {
      return llvm::is_contained(Other.Group->Instructions, Smaller);
    });
    if (Owner == Lanes.end())
      return std::nullopt;
    std::optional<Candidate> Result =
        candidate(L, *Smaller, *Owner->Begin, -L.Vectors, costOf(L.Vectors));
    if (Result)
      Result->Owner = &*Owner;
    return Result;
  }

  CountedPlace take(const Candidate &C) {
    const llvm::MachineInstr *First = firstTogether(*C.Place.Begin);
    for (PathSum *Sum : {&All, &Scalars})
      llvm::erase_if(Sum->Additions, [&](const PathSum::Addition &A) {
        return A.Before == First;
      });
    if (C.Owner)
      C.Owner->Vectors -= C.Place.Vectors;
    const CountedPlace Result = C.Place;
    Lanes.erase(Lanes.begin() + (C.Lanes - Lanes.data()));
    return Result;
  }

  const size_t Size;
  std::vector<CountedLanes> &Lanes;
  PathSum &All, &Scalars;
};

} // namespace luthier::detail

#endif // LUTHIER_DETAIL_COUNTEDLOOPS_H
