// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what a kernel's waves execute, exactly, in as few places as their
// counters allow. For tools that want the sums of a wave, a kernel or a
// program:
//
//   LUTHIER_HOOK_ANNOTATE addToKernel(uint32_t Slot) {
//     waveAtomicAddEach(Counts[Slot], {waveCounter(ExecutedInstructions),
//                                      waveCounter(ExecutedLanes)});
//   }
//
//   countInstructions(LR, Task, LUTHIER_GET_HOOK_HANDLE(addToKernel), {Slot});
//
// ExecutedInstructions are those that the wave has executed; ExecutedLanes are,
// summed over them, of vector instructions the active lanes, of others
// (isVectorInstruction()) one.
//
// It has hooks, so one file of a tool includes it. They take four counters of
// the wave at most, in waves of 64 lanes six, and on GFX9 up to five vector
// registers, in kernels that have few.
#ifndef LUTHIER_COUNTINSTRUCTIONS_H
#define LUTHIER_COUNTINSTRUCTIONS_H

#include "luthier/InstrumentationTask.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/detail/CountingHooks.h"
// The host alone needs LLVM's headers, which the compiler would read anew for
// each target.
#ifndef __HIP_DEVICE_COMPILE__
#include "luthier/Analysis.h"
#include "luthier/ExecRegions.h"
#include "luthier/InstructionRuns.h"
#include "luthier/PathSum.h"
#include "luthier/TripCount.h"
#include "luthier/detail/CountedLoops.h"
#include "luthier/detail/CountingSums.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#endif

namespace luthier {

/// Has \p AtEnd run with \p Args when a wave ends, and before it leaves for
/// code that is not lifted, which nothing counts.
template <typename H>
void countInstructions(const LiftedRepresentation &LR,
                       InstrumentationTask &Task, H AtEnd,
                       typename detail::ArgumentsOf<H>::Type Args);

#ifndef __HIP_DEVICE_COMPILE__
namespace detail {

/// The hooks of one kernel.
class InstructionCount {
public:
  InstructionCount(const LiftedRepresentation &LR, InstrumentationTask &Task)
      : LR(LR), Task(Task), Regions(execRegions(LR)) {}

  template <typename H>
  void insert(H AtEnd, typename ArgumentsOf<H>::Type Args) {
    if (const auto Most = mostInstructions(LR); Most && *Most <= MostOnce)
      addOnce(*Most);
    else
      addRepeatedly();
    if (TimesVectors)
      Task.insertHookAtWaveEnd(
          LUTHIER_GET_HOOK_HANDLE(luthierAddTimesRegionVectors),
          {TimesVectors});
    if (region())
      Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(luthierEndRegion));
    forEachPlace([&](auto Hook, PlaceArguments Given) {
      Task.insertHookAtWaveEnd(Hook, Given);
    });
    Task.insertHookAtWaveEnd(AtEnd, Args);
    for (const ControlTransfer &T : LR.controlTransfers())
      if (T.isUnresolved())
        leave(*T.MI, AtEnd, Args);
  }

private:
  /// What both halves of 32 bits can hold.
  static constexpr uint64_t MostPacked = 0xffff;

  const ExecRegion *region() const {
    return Regions.empty() ? nullptr : &Regions.front();
  }
  bool isInRegion(const llvm::MachineInstr &MI) const {
    return region() && region()->contains(MI);
  }
  /// In a loop that is counted where it is entered.
  bool isElsewhere(const llvm::MachineInstr &MI) const {
    return Trips.contains(MI);
  }

  /// Hooks for numbers that are powers of two have variants of their own.
  static bool isShift(uint32_t Vectors) {
    return Vectors == 1 || Vectors == 2 || Vectors == 4 || Vectors == 8;
  }

  PathSum
  sumOf(llvm::function_ref<uint64_t(const llvm::MachineInstr &)> NumberOf) {
    return pathSum(LR, NumberOf, PathPlaces::BlocksAndSkips);
  }

  template <typename H>
  void insertAt(const PathSum::Addition &A, H Hook,
                typename ArgumentsOf<H>::Type Args) {
    if (A.Before)
      Task.insertHookBefore(*A.Before, Hook, Args);
    else
      Task.insertHookOnEdge(*A.From, *A.To, Hook, Args);
  }

  /// What is the same on all ways is added when the wave begins.
  template <typename N>
  void addOnPaths(HookHandle<void(N)> Hook, const PathSum &Sum) {
    if (Sum.AtWaveEnd)
      Task.insertHookAtKernelEntry(Hook, {N(Sum.AtWaveEnd)});
    for (const PathSum::Addition &A : Sum.Additions)
      insertAt(A, Hook, {N(A.Number)});
  }

  /// \p LowHook adds before loops, if the counter cannot carry there.
  void addOnPaths(HookHandle<void(uint64_t)> Hook,
                  HookHandle<void(uint32_t)> LowHook, PathSum Sum) {
    if (staysLow(Sum))
      llvm::erase_if(Sum.Additions, [&](const PathSum::Addition &A) {
        if (A.IsBeforeLoops)
          insertAt(A, LowHook, {uint32_t(A.Number)});
        return A.IsBeforeLoops;
      });
    addOnPaths(Hook, Sum);
  }

  /// There is no loop; a wave executes \p Most instructions at most.
  void addOnce(uint64_t Most) {
    Regions.clear();
    const std::vector<LaneGroup> Groups = laneGroups(LR);
    addLow(Most, sumOf([](const llvm::MachineInstr &) { return 1; }),
           sumOf([](const llvm::MachineInstr &MI) {
             return !isVectorInstruction(MI);
           }),
           lanesOf(Groups));
  }

  /// What stays from 0 on and below 2^32, \p All and \p Scalars up to \p Most.
  void addLow(uint64_t Most, const PathSum &All, const PathSum &Scalars,
              const std::vector<CountedLanes> &Lanes) {
    const auto AddInstructions =
        LUTHIER_GET_HOOK_HANDLE(luthierAddInstructionsOnce);
    // It takes four instructions to part them again.
    const bool IsPacked =
        Most <= MostPacked &&
        llvm::count_if(All.Additions, [](const PathSum::Addition &A) {
          return A.Before != nullptr;
        }) > 4;
    if (IsPacked) {
      addOnPaths(AddInstructions, packed(All, Scalars));
      Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(luthierUnpack));
    } else {
      addOnPaths(AddInstructions, All);
      addOnPaths(LUTHIER_GET_HOOK_HANDLE(luthierAddScalarsOnce), Scalars);
    }
    for (const CountedLanes &L : Lanes)
      addLanesOnce(*L.Begin, uint32_t(L.Vectors));
  }

  /// Whether that is so of what is not counted in places: a wave then comes to
  /// nothing of it twice. What a place stands for may be more than what its
  /// loop executes, and the rest less than nothing.
  static bool isOnce(const PathSum &All, const PathSum &Scalars,
                     const std::vector<CountedLanes> &Lanes) {
    auto isLow = [](const PathSum &Sum) {
      int64_t Least = Sum.AtWaveEnd;
      for (const PathSum::Addition &A : Sum.Additions)
        Least += std::min<int64_t>(A.Number, 0);
      return Least >= 0 &&
             llvm::all_of(Sum.Additions,
                          [](const PathSum::Addition &A) { return A.IsOnce; });
    };
    return isLow(All) && isLow(Scalars) &&
           llvm::all_of(Lanes,
                        [](const CountedLanes &L) { return L.Group->IsOnce; });
  }

  /// A region counts its loops as well. Without one that they are not the only
  /// loops of, it is cheaper to count those whose trips are known.
  void chooseLoops(const std::vector<LaneGroup> &Groups) {
    Trips = LoopsWithTrips::of(LR, Groups);
    auto isLeft = [&](const llvm::MachineInstr *MI) { return isInRegion(*MI); };
    const bool IsNeeded =
        Trips.Blocks.empty() || llvm::any_of(Groups, [&](const LaneGroup &G) {
          return !G.IsOnce && !isElsewhere(*G.Begin) &&
                 llvm::any_of(G.Instructions, isLeft);
        });
    if (IsNeeded && region())
      Trips.Blocks.clear();
    else
      Regions.clear();
  }

  /// With a region, or with more in waves of 32 lanes, there would be more
  /// counters than a tool may count on. Code that is not lifted may use all
  /// scalar registers: kernels that call it rarely leave any for counters, nor
  /// for the hooks that add places up.
  unsigned maxPlaces(const RegisterUse &Use) const {
    constexpr unsigned MostSGPRs = 64;
    if (region() || (LR.hasUnresolvedTransfers() && Use.SGPRs > MostSGPRs))
      return 0;
    return LR.waveSize() == 64 ? MaxPlaces : 1;
  }

  void choosePlaces(std::vector<CountedLanes> &Lanes, PathSum &All,
                    PathSum &Scalars) {
    const RegisterUse Use = Analysis(LR).registerUse();
    Places = PlaceChooser(sizeOf(LR), Lanes, All, Scalars).take(maxPlaces(Use));
    for (auto [N, P] : llvm::enumerate(Places)) {
      P.IsCountedByLanes = mayCountByLanes(P, Use);
      Task.insertHookBefore(*P.Begin,
                            P.IsCountedByLanes
                                ? LUTHIER_GET_HOOK_HANDLE(luthierAddLanePlace)
                                : LUTHIER_GET_HOOK_HANDLE(luthierAddPlace),
                            {uint32_t(N)});
    }
  }

  /// Each takes two vector registers. With 24, which then suffice, as many
  /// waves fit on every target of GFX9 as with fewer.
  bool mayCountByLanes(const CountedPlace &P, const RegisterUse &Use) const {
    constexpr unsigned MostVGPRs = 16;
    return P.Vectors > 0 && LR.processor().starts_with("gfx9") &&
           Use.VGPRs + Use.AGPRs <= MostVGPRs &&
           isLeftWithoutLanes(LR, *P.Begin);
  }

  using PlaceArguments = HookArguments<uint32_t, uint32_t, uint32_t, uint32_t>;

  /// With the hook that adds up what was counted there.
  template <typename F> void forEachPlace(F Insert) const {
    for (const auto &[Number, P] : llvm::enumerate(Places))
      Insert(P.Vectors < 0 ? LUTHIER_GET_HOOK_HANDLE(luthierEndPlaceWithout)
             : P.IsCountedByLanes ? LUTHIER_GET_HOOK_HANDLE(luthierEndLanePlace)
                                  : LUTHIER_GET_HOOK_HANDLE(luthierEndPlace),
             PlaceArguments{uint32_t(Number), uint32_t(std::abs(P.Vectors)),
                            P.All, P.Scalars});
  }

  void addTrips(const llvm::MachineBasicBlock &MBB,
                const LoopsWithTrips::Trips &Of) {
    for (const llvm::MachineBasicBlock *From : MBB.predecessors())
      if (From != &MBB)
        Task.insertHookOnEdge(
            *From, MBB, LUTHIER_GET_HOOK_HANDLE(luthierAddTrips),
            {Of.Count.Counter, Of.Count.limit(), Of.Count.Inverse,
             Of.Count.Shift, Of.Body.Vectors, Of.Body.Scalars});
  }

  void addLanesOnce(const llvm::MachineInstr &MI, uint32_t Vectors) {
    Task.insertHookBefore(MI,
                          isShift(Vectors)
                              ? LUTHIER_GET_HOOK_HANDLE(luthierAddLanesShifted)
                              : LUTHIER_GET_HOOK_HANDLE(luthierAddLanesOnce),
                          {Vectors});
  }

  void addRepeatedly() {
    const std::vector<LaneGroup> Groups = laneGroups(LR);
    chooseLoops(Groups);
    for (const auto &[Block, Of] : Trips.Blocks)
      addTrips(*Block, Of);
    PathSum All =
        sumOf([&](const llvm::MachineInstr &MI) { return !isElsewhere(MI); });
    if (region())
      addRegion(All);
    // With a region, the number of all instructions is added at the end.
    PathSum Scalars = sumOf([&](const llvm::MachineInstr &MI) -> uint64_t {
      const bool IsVector = isVectorInstruction(MI);
      if (!region())
        return !IsVector && !isElsewhere(MI);
      return IsVector && !isInRegion(MI) ? -1 : 0;
    });
    std::vector<CountedLanes> Lanes = lanesOf(Groups);
    choosePlaces(Lanes, All, Scalars);
    if (Trips.Blocks.empty() && !region() && !LR.hasUnresolvedTransfers() &&
        sizeOf(LR) <= MostOnce && isOnce(All, Scalars, Lanes))
      return addLow(sizeOf(LR), All, Scalars, Lanes);
    const bool StaysLow = staysLow(Scalars);
    const bool IsApart = addBesideLoops(
        All, Scalars, llvm::count_if(Groups, [&](const LaneGroup &G) {
          return G.IsOnce && !(StaysLow && G.IsBeforeLoops);
        }));
    addLanesOf(Lanes, Scalars, IsApart, StaysLow);
    addOnPaths(LUTHIER_GET_HOOK_HANDLE(luthierAddInstructions),
               LUTHIER_GET_HOOK_HANDLE(luthierAddInstructionsOnce), All);
    addOnPaths(LUTHIER_GET_HOOK_HANDLE(luthierAddScalars),
               LUTHIER_GET_HOOK_HANDLE(luthierAddScalarsOnce), Scalars);
  }

  /// Those that are added in loops take small numbers out of \p Scalars along.
  void addLanesOf(const std::vector<CountedLanes> &Lanes, PathSum &Scalars,
                  bool IsApart, bool StaysLow) {
    SmallAdditions Along(Scalars);
    for (const CountedLanes &L : Lanes) {
      const auto Vectors = uint32_t(L.Vectors);
      if (IsApart && L.Group->IsOnce)
        Task.insertHookBefore(
            *L.Begin,
            isShift(Vectors)
                ? LUTHIER_GET_HOOK_HANDLE(luthierAddLanesShiftedBesideLoops)
                : LUTHIER_GET_HOOK_HANDLE(luthierAddLanesBesideLoops),
            {Vectors});
      else if (StaysLow && L.Group->IsBeforeLoops)
        addLanesOnce(*L.Begin, Vectors);
      else
        addLanes(*L.Begin, Vectors, Along.take(*L.Begin));
    }
  }

  /// Outside of the region, and of loops that are counted where they are
  /// entered.
  std::vector<CountedLanes>
  lanesOf(const std::vector<LaneGroup> &Groups) const {
    std::vector<CountedLanes> Result;
    auto isOutside = [&](const llvm::MachineInstr *MI) {
      return !isInRegion(*MI);
    };
    for (const LaneGroup &G : Groups) {
      const int64_t Vectors = llvm::count_if(G.Instructions, isOutside) -
                              llvm::count_if(G.Without, isOutside);
      if (Vectors && !isElsewhere(*G.Begin))
        Result.push_back({&G, G.Begin, Vectors});
    }
    return Result;
  }

  /// Loops then add to one counter instead of two if \p All is a multiple
  /// there.
  void addRegion(PathSum &All) {
    auto IsVectorInRegion = [&](const llvm::MachineInstr &MI) {
      return isInRegion(MI) && isVectorInstruction(MI);
    };
    Task.insertHookBefore(*region()->Begin,
                          LUTHIER_GET_HOOK_HANDLE(luthierBeginRegion));
    const PathSum Vectors = sumOf(IsVectorInRegion);
    addOnPaths(LUTHIER_GET_HOOK_HANDLE(luthierAddRegionVectors), Vectors);
    TimesVectors = factorInLoops(All, Vectors);
    if (TimesVectors)
      All = sumOf([&](const llvm::MachineInstr &MI) {
        return 1 - (IsVectorInRegion(MI) ? TimesVectors : 0);
      });
  }

  /// Takes what \p All and \p Scalars add beside loops out of them, if that is
  /// enough to pay for putting it together at the end, and adds it there, in
  /// one instruction for both. Numbers may be negative: the counter begins with
  /// so much that it never is.
  bool addBesideLoops(PathSum &All, PathSum &Scalars, size_t NumGroups) {
    // More would be more counters than a tool may count on.
    if (region() || LR.hasUnresolvedTransfers() ||
        Places.size() > (LR.waveSize() == 64 ? 1 : 0))
      return false;
    struct Numbers {
      int64_t All = 0, Scalars = 0;
      PathSum::Addition At = {};
    };
    llvm::MapVector<std::pair<const void *, const void *>, Numbers> Places;
    Numbers Least, Most;
    // Each group takes an instruction less.
    size_t NumSaved = NumGroups;
    auto take = [&](const PathSum &From, int64_t Numbers::*Part) {
      const bool IsLow = staysLow(From);
      for (const PathSum::Addition &A : From.Additions)
        if (A.IsOnce) {
          Numbers &Here = Places[A.place()];
          Here.At = A;
          Here.*Part = A.Number;
          Least.*Part += std::min<int64_t>(A.Number, 0);
          Most.*Part += std::abs(int64_t(A.Number));
          if (A.Before)
            NumSaved += IsLow && A.IsBeforeLoops ? 1 : 2;
        }
    };
    take(All, &Numbers::All);
    take(Scalars, &Numbers::Scalars);
    constexpr size_t AtTheEnd = 9;
    constexpr int64_t MostHeld = 0xffff;
    const size_t NumAdded =
        llvm::count_if(Places, [](auto &P) { return P.second.At.Before; });
    if (NumSaved <= NumAdded + AtTheEnd || Most.All > MostHeld ||
        Most.Scalars > MostHeld)
      return false;
    auto drop = [](PathSum &From, int64_t Start) {
      llvm::erase_if(From.Additions,
                     [](const PathSum::Addition &A) { return A.IsOnce; });
      From.AtWaveEnd += Start;
    };
    drop(All, Least.All);
    drop(Scalars, Least.Scalars);
    auto packed = [](int64_t All, int64_t Scalars) {
      return uint32_t(All) + (uint32_t(Scalars) << 16);
    };
    const auto Add = LUTHIER_GET_HOOK_HANDLE(luthierAddBesideLoops);
    Task.insertHookAtKernelEntry(Add, {packed(-Least.All, -Least.Scalars)});
    for (const auto &[Place, N] : Places)
      insertAt(N.At, Add, {packed(N.All, N.Scalars)});
    Task.insertHookAtWaveEnd(
        LUTHIER_GET_HOOK_HANDLE(luthierJoinLoopsWithTheRest));
    return true;
  }

  void addLanes(const llvm::MachineInstr &MI, uint32_t Vectors,
                uint32_t Scalars) {
    if (!Scalars)
      Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(luthierAddLanes),
                            {Vectors});
    else
      Task.insertHookBefore(
          MI,
          isShift(Vectors)
              ? LUTHIER_GET_HOOK_HANDLE(luthierAddLanesShiftedAndScalars)
              : LUTHIER_GET_HOOK_HANDLE(luthierAddLanesAndScalars),
          {Vectors, Scalars});
  }

  /// For code that is not lifted, and maybe back.
  template <typename H>
  void leave(const llvm::MachineInstr &MI, H AtEnd,
             typename ArgumentsOf<H>::Type Args) {
    if (TimesVectors)
      Task.insertHookOnLeaving(
          MI, LUTHIER_GET_HOOK_HANDLE(luthierAddTimesRegionVectors),
          {TimesVectors});
    if (region())
      Task.insertHookOnLeaving(MI, LUTHIER_GET_HOOK_HANDLE(luthierEndRegion));
    forEachPlace([&](auto Hook, PlaceArguments Given) {
      Task.insertHookOnLeaving(MI, Hook, Given);
    });
    Task.insertHookOnLeaving(MI, AtEnd, Args);
    Task.insertHookOnLeaving(MI,
                             LUTHIER_GET_HOOK_HANDLE(luthierStartCountsAgain));
    if (region())
      Task.insertHookOnLeaving(
          MI, LUTHIER_GET_HOOK_HANDLE(luthierStartRegionAgain));
    for (uint32_t N = 0; N < Places.size(); ++N)
      Task.insertHookOnLeaving(
          MI, LUTHIER_GET_HOOK_HANDLE(luthierStartPlaceAgain), {N});
  }

  const LiftedRepresentation &LR;
  InstrumentationTask &Task;
  std::vector<ExecRegion> Regions;
  LoopsWithTrips Trips;
  std::vector<CountedPlace> Places;
  /// What ExecutedInstructions lacks until the end, for each of RegionVectors.
  uint64_t TimesVectors = 0;
};

} // namespace detail

template <typename H>
void countInstructions(const LiftedRepresentation &LR,
                       InstrumentationTask &Task, H AtEnd,
                       typename detail::ArgumentsOf<H>::Type Args) {
  detail::InstructionCount(LR, Task).insert(AtEnd, Args);
}
#endif // __HIP_DEVICE_COMPILE__

} // namespace luthier

#endif // LUTHIER_COUNTINSTRUCTIONS_H
