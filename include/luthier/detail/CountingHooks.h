// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counters and hooks of CountInstructions.h.
#ifndef LUTHIER_DETAIL_COUNTINGHOOKS_H
#define LUTHIER_DETAIL_COUNTINGHOOKS_H

#include "luthier/Hook.h"
#include "luthier/Intrinsics.h"
#include "luthier/TripCount.h"

namespace luthier {

/// Counters of the wave, complete when the hook runs that countInstructions()
/// is given.
inline __device__ uint64_t ExecutedInstructions, ExecutedLanes;

namespace detail {
/// Vector instructions that were executed with RegionLanes active.
inline __device__ uint64_t RegionVectors, RegionLanes;

/// Beside loops, where a wave comes to each instruction once at most:
/// instructions in the lower 16 bits and scalar ones in the upper 16 of 32;
/// active lanes of vector ones.
inline __device__ uint64_t OnceExecuted, OnceLanes;

/// Of places in loops: their active lanes, summed over all times that the wave
/// came there, in the lower PlaceLaneBits, and how often that was above, in 96
/// bits. There is room for 2^45 times, which take a wave days.
constexpr unsigned MaxPlaces = 2, PlaceLaneBits = 51;
inline __device__ uint64_t PlaceRuns[MaxPlaces][2];

__device__ inline uint32_t activeLanes() {
  return __popcll(__builtin_amdgcn_read_exec());
}

/// Moves, where subtracting a counter from itself would take SCC besides.
__device__ inline void waveClear(const uint64_t &Counter) {
  const auto *Halves = reinterpret_cast<const uint32_t *>(&Counter);
  waveSetHalf(Halves[0], 0);
  waveSetHalf(Halves[1], 0);
}
} // namespace detail
} // namespace luthier

// Where sums are below 2^32: in kernels without loops, before any loop, and
// where all loops are counted in places:

LUTHIER_HOOK_ANNOTATE luthierAddInstructionsOnce(uint32_t Number) {
  luthier::detail::waveAddLow(luthier::ExecutedInstructions, Number);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddInstructionsOnce);

LUTHIER_HOOK_ANNOTATE luthierAddScalarsOnce(uint32_t Number) {
  luthier::detail::waveAddLow(luthier::ExecutedLanes, Number);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddScalarsOnce);

/// ExecutedInstructions has been adding up the number of scalar ones, too, in
/// the upper 16 bits of 32.
LUTHIER_HOOK_ANNOTATE luthierUnpack() {
  const uint32_t Both = luthier::waveCounter(luthier::ExecutedInstructions);
  const uint32_t Scalars = Both >> 16;
  luthier::detail::waveAddLow(luthier::ExecutedLanes, Scalars);
  luthier::detail::waveAddLow(luthier::ExecutedInstructions,
                              0 - (Scalars << 16));
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierUnpack);

LUTHIER_HOOK_ANNOTATE luthierAddLanesOnce(uint32_t Vectors) {
  luthier::detail::waveAddLow(luthier::ExecutedLanes,
                              Vectors * luthier::detail::activeLanes());
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddLanesOnce);

/// For a few powers of two, which are compiled in and make a shift.
LUTHIER_HOOK_ANNOTATE luthierAddLanesShifted(uint32_t Vectors) {
  luthierAddLanesOnce(Vectors);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddLanesShifted);

// Elsewhere:

LUTHIER_HOOK_ANNOTATE luthierAddInstructions(uint64_t Number) {
  luthier::waveAdd(luthier::ExecutedInstructions, Number);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddInstructions);

LUTHIER_HOOK_ANNOTATE luthierAddScalars(uint64_t Number) {
  luthier::waveAdd(luthier::ExecutedLanes, Number);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddScalars);

LUTHIER_HOOK_ANNOTATE luthierAddLanes(uint32_t Vectors) {
  luthier::waveAdd(luthier::ExecutedLanes,
                   Vectors * luthier::detail::activeLanes());
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddLanes);

/// Both in one addition, below 2^32.
LUTHIER_HOOK_ANNOTATE luthierAddLanesAndScalars(uint32_t Vectors,
                                                uint32_t Scalars) {
  luthier::waveAdd(luthier::ExecutedLanes,
                   Vectors * luthier::detail::activeLanes() + Scalars);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddLanesAndScalars);

/// For a few powers of two, as above.
LUTHIER_HOOK_ANNOTATE luthierAddLanesShiftedAndScalars(uint32_t Vectors,
                                                       uint32_t Scalars) {
  luthierAddLanesAndScalars(Vectors, Scalars);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddLanesShiftedAndScalars);

LUTHIER_HOOK_ANNOTATE luthierAddBesideLoops(uint32_t InstructionsAndScalars) {
  luthier::detail::waveAddLow(luthier::detail::OnceExecuted,
                              InstructionsAndScalars);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddBesideLoops);

LUTHIER_HOOK_ANNOTATE luthierAddLanesBesideLoops(uint32_t Vectors) {
  luthier::detail::waveAddLow(luthier::detail::OnceLanes,
                              Vectors * luthier::detail::activeLanes());
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddLanesBesideLoops);

LUTHIER_HOOK_ANNOTATE luthierAddLanesShiftedBesideLoops(uint32_t Vectors) {
  luthierAddLanesBesideLoops(Vectors);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddLanesShiftedBesideLoops);

LUTHIER_HOOK_ANNOTATE luthierJoinLoopsWithTheRest() {
  const uint32_t Both = luthier::waveCounter(luthier::detail::OnceExecuted);
  const uint32_t Lanes = luthier::waveCounter(luthier::detail::OnceLanes);
  luthier::waveAdd(luthier::ExecutedInstructions, Both & 0xffff);
  luthier::waveAdd(luthier::ExecutedLanes, Lanes + (Both >> 16));
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierJoinLoopsWithTheRest);

LUTHIER_HOOK_ANNOTATE luthierAddPlace(uint32_t Place) {
  luthier::detail::waveAddWide(luthier::detail::PlaceRuns[Place],
                               (uint64_t(1) << luthier::detail::PlaceLaneBits) +
                                   luthier::detail::activeLanes());
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddPlace);

namespace luthier::detail {
/// Adds for each time that the wave came to \p Place \p All and \p Scalars, and
/// for each lane that it had there \p Vectors; takes those away if
/// \p IsWithout.
__device__ inline void endPlace(uint32_t Place, uint32_t Vectors, uint32_t All,
                                uint32_t Scalars, bool IsWithout) {
  const uint64_t Low = waveCounter(PlaceRuns[Place][0]),
                 High = waveCounter(PlaceRuns[Place][1]);
  // Most waves have not come often, so that High is zero, and products of 32
  // bits suffice. Where they do not, they are taken off again.
  constexpr uint32_t FewRuns = 1 << (64 - PlaceLaneBits), MaxLanes = 64;
  const bool AreProductsLow =
      All < UINT32_MAX / FewRuns &&
      Scalars + uint64_t(Vectors) * MaxLanes < UINT32_MAX / FewRuns;
  const uint32_t RunsLow = uint32_t(Low >> 32) >> (PlaceLaneBits - 32);
  uint32_t AllLow = 0;
  uint64_t LanesLow = 0;
  if (AreProductsLow) {
    AllLow = RunsLow * All;
    const uint32_t OfScalars = RunsLow * Scalars,
                   OfVectors = uint32_t(Low) * Vectors;
    LanesLow = IsWithout ? uint64_t(OfScalars) - OfVectors
                         : uint32_t(OfScalars + OfVectors);
    waveAdd(ExecutedInstructions, AllLow);
    waveAdd(ExecutedLanes, LanesLow);
    if (High == 0)
      return;
  }
  const uint64_t Runs = RunsLow | High << (64 - PlaceLaneBits),
                 Lanes = (Low & ((uint64_t(1) << PlaceLaneBits) - 1)) * Vectors;
  waveAdd(ExecutedInstructions, Runs * All - AllLow);
  waveAdd(ExecutedLanes, Runs * Scalars - LanesLow);
  waveAdd(ExecutedLanes, IsWithout ? 0 - Lanes : Lanes);
}
} // namespace luthier::detail

LUTHIER_HOOK_ANNOTATE luthierEndPlace(uint32_t Place, uint32_t Vectors,
                                      uint32_t All, uint32_t Scalars) {
  luthier::detail::endPlace(Place, Vectors, All, Scalars, /*IsWithout=*/false);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierEndPlace);

/// Where lanes have been counted before that came here.
LUTHIER_HOOK_ANNOTATE luthierEndPlaceWithout(uint32_t Place, uint32_t Vectors,
                                             uint32_t All, uint32_t Scalars) {
  luthier::detail::endPlace(Place, Vectors, All, Scalars, /*IsWithout=*/true);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierEndPlaceWithout);

/// Where the loop is left without lanes: each lane counts how often it came.
LUTHIER_HOOK_ANNOTATE luthierAddLanePlace(uint32_t Place) {
  luthier::detail::laneCount(Place);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddLanePlace);

namespace luthier::detail {
#ifdef __GFX9__
/// \p Value of the lane that \p Control says, 0 if there is none.
template <int Control, int Rows = 0xf>
__device__ inline uint32_t ofLane(uint32_t Value) {
  return __builtin_amdgcn_update_dpp(0, Value, Control, Rows, 0xf, true);
}

/// The sum of what all lanes have, which are active.
__device__ inline uint32_t sumOfLanes(uint32_t Value) {
  Value += ofLane<0x111>(Value);      // row_shr:1
  Value += ofLane<0x112>(Value);      // row_shr:2
  Value += ofLane<0x114>(Value);      // row_shr:4
  Value += ofLane<0x118>(Value);      // row_shr:8
  Value += ofLane<0x142, 0xa>(Value); // row_bcast:15
  Value += ofLane<0x143, 0xc>(Value); // row_bcast:31
  return __builtin_amdgcn_readlane(Value, 63);
}

/// The most that a lane has. Often the first lane or the last one has it.
__device__ inline uint32_t mostOfLanes(uint32_t Value) {
  uint32_t Most = __builtin_amdgcn_readlane(Value, 0);
  uint64_t More = __builtin_amdgcn_ballot_w64(Value > Most);
  if (More != 0) {
    do {
      Most = __builtin_amdgcn_readlane(Value, 63 - __builtin_clzll(More));
      More = __builtin_amdgcn_ballot_w64(Value > Most);
    } while (More != 0);
  }
  return Most;
}
#endif
} // namespace luthier::detail

/// What endPlace() adds. The wave has come as often as the lane that came most
/// often. Of GFX9; leaves all lanes active.
LUTHIER_HOOK_ANNOTATE luthierEndLanePlace(uint32_t Place, uint32_t Vectors,
                                          uint32_t All, uint32_t Scalars) {
#ifdef __GFX9__
  luthier::writeExec(~uint64_t(0));
  const uint32_t Low = luthier::detail::laneCounter(Place, 0),
                 High = luthier::detail::laneCounter(Place, 1);
  // As in endPlace().
  constexpr uint32_t FewRunsBits = 13, MaxLanes = 64;
  const bool AreProductsLow =
      All < UINT32_MAX >> FewRunsBits &&
      Scalars + uint64_t(Vectors) * MaxLanes < UINT32_MAX >> FewRunsBits;
  const uint64_t Often = __builtin_amdgcn_ballot_w64(
      (High << (32 - FewRunsBits) | Low >> FewRunsBits) != 0);
  uint32_t AllLow = 0, LanesLow = 0;
  if (AreProductsLow) {
    const uint32_t Lanes = luthier::detail::sumOfLanes(Low),
                   Runs = luthier::detail::mostOfLanes(Low);
    AllLow = Runs * All;
    LanesLow = Runs * Scalars + Lanes * Vectors;
    luthier::waveAdd(luthier::ExecutedInstructions, AllLow);
    luthier::waveAdd(luthier::ExecutedLanes, LanesLow);
  }
  if (AreProductsLow && Often == 0)
    return;
  auto ofLane = [=](uint32_t Lane) {
    return uint64_t(uint32_t(__builtin_amdgcn_readlane(High, Lane))) << 32 |
           uint32_t(__builtin_amdgcn_readlane(Low, Lane));
  };
  uint64_t Lanes = ofLane(0), Runs = Lanes;
  for (uint32_t Lane = 1; Lane < MaxLanes; ++Lane) {
    Lanes += ofLane(Lane);
    Runs = ofLane(Lane) > Runs ? ofLane(Lane) : Runs;
  }
  luthier::waveAdd(luthier::ExecutedInstructions, Runs * All - AllLow);
  luthier::waveAdd(luthier::ExecutedLanes,
                   Runs * Scalars + Lanes * Vectors - LanesLow);
#endif
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierEndLanePlace);

/// Where a loop is entered whose TripCount is known, for all its runs, each of
/// which executes so many instructions.
LUTHIER_HOOK_ANNOTATE luthierAddTrips(uint32_t Counter, uint32_t Limit,
                                      uint32_t Inverse, uint32_t Shift,
                                      uint32_t Vectors, uint32_t Scalars) {
  const uint64_t Further =
      luthier::furtherTrips(Counter, Limit, Inverse, Shift);
  const uint32_t All = Vectors + Scalars;
  const uint32_t Lanes = Vectors * luthier::detail::activeLanes() + Scalars;
  luthier::waveAdd(luthier::ExecutedInstructions, Further * All + All);
  luthier::waveAdd(luthier::ExecutedLanes, Further * Lanes + Lanes);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddTrips);

LUTHIER_HOOK_ANNOTATE luthierAddRegionVectors(uint64_t Number) {
  luthier::waveAdd(luthier::detail::RegionVectors, Number);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddRegionVectors);

/// A wave comes here once.
LUTHIER_HOOK_ANNOTATE luthierBeginRegion() {
  luthier::detail::waveAddLow(luthier::detail::RegionLanes,
                              luthier::detail::activeLanes());
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierBeginRegion);

/// For what ExecutedInstructions has been behind.
LUTHIER_HOOK_ANNOTATE luthierAddTimesRegionVectors(uint64_t Factor) {
  luthier::waveAdd(luthier::ExecutedInstructions,
                   luthier::waveCounter(luthier::detail::RegionVectors) *
                       Factor);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierAddTimesRegionVectors);

/// Up to here, ExecutedLanes has no lanes of the region, and one less for each
/// instruction.
LUTHIER_HOOK_ANNOTATE luthierEndRegion() {
  const uint64_t Vectors = luthier::waveCounter(luthier::detail::RegionVectors);
  const uint32_t Lanes = luthier::waveCounter(luthier::detail::RegionLanes);
  const uint64_t High = uint32_t(Vectors >> 32) * Lanes;
  luthier::waveAdd(luthier::ExecutedLanes,
                   uint64_t(uint32_t(Vectors)) * Lanes + (High << 32) -
                       Vectors +
                       luthier::waveCounter(luthier::ExecutedInstructions));
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierEndRegion);

/// Behind the end, for waves that come back from code that is not lifted.
LUTHIER_HOOK_ANNOTATE luthierStartCountsAgain() {
  luthier::detail::waveClear(luthier::ExecutedInstructions);
  luthier::detail::waveClear(luthier::ExecutedLanes);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierStartCountsAgain);

LUTHIER_HOOK_ANNOTATE luthierStartRegionAgain() {
  luthier::detail::waveClear(luthier::detail::RegionVectors);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierStartRegionAgain);

LUTHIER_HOOK_ANNOTATE luthierStartPlaceAgain(uint32_t Place) {
  for (int Half : {0, 1})
    luthier::detail::waveClear(luthier::detail::PlaceRuns[Place][Half]);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierStartPlaceAgain);

#endif // LUTHIER_DETAIL_COUNTINGHOOKS_H
