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

// Where sums are below 2^32, in kernels without loops and before any loop:

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
/// Adds \p All and \p Scalars for each time that the wave came to \p Place.
/// Returns the lanes that it had there.
__device__ inline uint64_t endPlace(uint32_t Place, uint32_t All,
                                    uint32_t Scalars) {
  const uint64_t Low = waveCounter(PlaceRuns[Place][0]),
                 High = waveCounter(PlaceRuns[Place][1]);
  const uint64_t Runs = (Low >> PlaceLaneBits) | (High << (64 - PlaceLaneBits));
  waveAdd(ExecutedInstructions, Runs * All);
  waveAdd(ExecutedLanes, Runs * Scalars);
  return Low & ((uint64_t(1) << PlaceLaneBits) - 1);
}
} // namespace luthier::detail

LUTHIER_HOOK_ANNOTATE luthierEndPlace(uint32_t Place, uint32_t Vectors,
                                      uint32_t All, uint32_t Scalars) {
  const uint64_t Lanes = luthier::detail::endPlace(Place, All, Scalars);
  luthier::waveAdd(luthier::ExecutedLanes, Lanes * Vectors);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierEndPlace);

/// Where lanes have been counted before that came here.
LUTHIER_HOOK_ANNOTATE luthierEndPlaceWithout(uint32_t Place, uint32_t Vectors,
                                             uint32_t All, uint32_t Scalars) {
  const uint64_t Lanes = luthier::detail::endPlace(Place, All, Scalars);
  luthier::waveAdd(luthier::ExecutedLanes, 0 - Lanes * Vectors);
}
LUTHIER_EXPORT_HOOK_HANDLE(luthierEndPlaceWithout);

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

#endif // LUTHIER_DETAIL_COUNTINGHOOKS_H
