// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks of branch-divergence. Each way of counting has one for each kind of
// branch.
#ifndef BRANCH_DIVERGENCE_HOOKS_H
#define BRANCH_DIVERGENCE_HOOKS_H

#include "luthier/luthier.h"

using namespace luthier;

/// Of one branch, in memory: by one wave, or by all.
struct Counts {
  uint64_t Executed, Agreed;
  /// Lanes that were active, and those that went on, or jumped.
  uint64_t Lanes, Taken;
};

/// Of a branch about which lanes always agree.
struct UniformCounts {
  uint64_t Executed, Lanes, Taken;
};

/// What a wave has seen at a branch that it executes once at most. Both are
/// zero if it has not come there.
struct Masks {
  uint64_t Lanes, NotTaken;
};

/// The same, in LDS, as numbers. If it has not come there, notSeen().
struct GroupNote {
  uint32_t Taken, Lanes;
};
/// No wave has so many lanes. Its cell is the last one.
__device__ __host__ constexpr GroupNote notSeen(uint32_t WaveSize) {
  return {1, WaveSize + 1};
}

/// The same in memory, for each wave: Absent is how many lanes fewer there were
/// than notSeen() has, and zero if it is that.
struct StoredNote {
  uint32_t Taken, Absent;
};

/// Of one branch, while a wave counts it in LDS, and of all waves in memory.
struct GroupSums {
  uint64_t Executed, Diverged, Lanes, Taken;
};

/// Of one branch and wave, while they are counted in registers.
struct WaveCounts {
  /// In the upper half, those that lanes did not agree about.
  uint64_t Executions;
  uint64_t Lanes, Taken;
};

/// Cells by active lanes and lanes that go on. All lanes of a full wave may go
/// on, which is the last cell.
__device__ __host__ constexpr uint32_t cellOf(uint32_t Lanes, uint32_t Taken,
                                              uint32_t WaveSize) {
  return Lanes * WaveSize + Taken;
}

/// In front of the cells: where a wave adds that has not executed the branch.
__device__ __host__ constexpr uint32_t leadingCells(uint32_t WaveSize) {
  return WaveSize + 1;
}
__device__ __host__ constexpr uint32_t cellsOf(uint32_t WaveSize) {
  return leadingCells(WaveSize) + cellOf(WaveSize, WaveSize, WaveSize) + 1;
}

/// Up to that of notSeen().
__device__ __host__ constexpr uint32_t groupCells(uint32_t WaveSize) {
  return cellOf(WaveSize + 1, 1, WaveSize) + 1;
}

constexpr uint32_t MaxInRegisters = 4096;
__device__ WaveCounts Counters[MaxInRegisters];
/// Of uniform branches: executions, and, in the upper half, those of one side.
__device__ uint64_t Uniform[MaxInRegisters];
/// Lanes in each region whose uniform branches are counted.
__device__ uint64_t RegionLanes[MaxInRegisters];
/// Of branches that a wave executes once at most: how many lanes go on, or how
/// many there are; halves of counters. See Notes.h.
constexpr uint32_t MaxNoted = 32;
alignas(uint64_t) __device__ uint32_t Noted[MaxNoted];
/// What they are until then.
constexpr uint64_t NotExecuted = ~uint64_t(0);
/// Address of the wave's row: what each branch has, and its clocks.
__device__ uint64_t Row;
/// Where the wave's row begins in LDS: its GroupNotes, then its GroupSums.
alignas(uint64_t) __device__ uint32_t GroupRow[2];
/// The active lanes before a comparison that changes them.
__device__ uint64_t LanesBefore;
__device__ uint64_t EntryClock;

MARK_LUTHIER_DEVICE_MODULE

template <typename T> using Global = __attribute__((address_space(1))) T;
template <typename T> using Shared = __attribute__((address_space(3))) T;

/// What lies at \p Offset in the wave's row.
static __device__ inline Global<uint64_t> *inRow(uint64_t Offset) {
  return reinterpret_cast<Global<uint64_t> *>(waveCounter(Row) + Offset);
}
template <typename T>
static __device__ inline void store(Global<uint64_t> *To, const T &Numbers) {
  const auto *From = reinterpret_cast<const uint64_t *>(&Numbers);
  for (unsigned I = 0; I < sizeof(T) / sizeof(uint64_t); ++I)
    To[I] = From[I];
}
static __device__ inline uint32_t groupRow() {
  return waveCounter(reinterpret_cast<const uint64_t &>(GroupRow));
}
static __device__ inline Shared<uint64_t> *inGroup(uint32_t Offset) {
  return reinterpret_cast<Shared<uint64_t> *>(groupRow() + Offset);
}
/// In lane 0, the same number: below it there are no lanes to add. But what is
/// made of it are vector instructions, while one scalar unit serves all SIMDs.
static __device__ inline uint32_t inFirstLane(uint32_t Number) {
  return __builtin_amdgcn_mbcnt_lo(~0u, Number);
}

/// What a wave sees at a branch: active lanes, and those that go on, or jump.
struct Seen {
  uint64_t Lanes, Taken;
  /// Whatever they are, all do the same.
  bool IsSame = false;

  __device__ uint32_t numLanes() const { return __popcll(Lanes); }
  __device__ uint32_t numTaken() const { return __popcll(Taken); }
  /// 1 if lanes go both ways, else 0: without comparisons, which take two
  /// scalar instructions each. The product of both numbers is at most 32 * 32.
  __device__ uint32_t diverges() const {
    if (IsSame)
      return 0;
    return (numTaken() * (numLanes() - numTaken()) + 1023) >> 10;
  }
};

/// \p Place is the branch's number.
static __device__ inline void countInRegisters(uint64_t Place, Seen S) {
  WaveCounts &Sum = Counters[Place];
  waveAdd(Sum.Executions, 1 | uint64_t(S.diverges()) << 32);
  waveAdd(Sum.Lanes, S.numLanes());
  waveAdd(Sum.Taken, S.numTaken());
}

__attribute__((device, const)) uint32_t
withLane(uint32_t Value, uint32_t Lane,
         uint32_t Others) __asm("llvm.amdgcn.writelane.i32");

/// What lies \p Offset in the wave's row in LDS is looked after by lane 0, and
/// what comes next by the other ones: of any wave that many.
constexpr uint32_t LanesForRow = 32;
template <typename T>
static __device__ inline Shared<T> *inGroupOfLane(uint32_t Offset) {
  return reinterpret_cast<Shared<T> *>(inGroup(Offset)) +
         __builtin_amdgcn_mbcnt_lo(~0u, 0);
}

/// The lanes that add to GroupSums at a branch, one for each number.
constexpr uint64_t LanesForSums = 0b1111, LanesWithoutDiverged = 0b1101;
/// Adds \p Number, of each active lane its own, to the GroupSums at \p Place
/// in the wave's row. Nobody else adds there, but atomic additions need not
/// wait for what they add to.
static __device__ inline void addInGroup(uint64_t Place, uint64_t Number) {
  __hip_atomic_fetch_add(inGroupOfLane<uint64_t>(Place), Number,
                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}
/// \p Place is in the wave's row in LDS.
static __device__ inline void countInGroup(uint64_t Place, Seen S) {
  const uint32_t Diverges = S.diverges(), Taken = S.numTaken();
  uint32_t Number = S.numLanes();
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(S.IsSame ? LanesWithoutDiverged : LanesForSums);
  Number = withLane(1, 0, Number);
  if (!S.IsSame)
    Number = withLane(Diverges, 1, Number);
  addInGroup(Place, withLane(Taken, 3, Number));
  writeExec(Active);
}
/// Likewise, of a branch that a wave executes once at most.
static __device__ inline void noteInGroup(uint64_t Place, Seen S) {
  const uint32_t NumLanes = S.numLanes(), NumTaken = S.numTaken();
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(1);
  const uint32_t Begin = inFirstLane(groupRow());
  auto *Note = reinterpret_cast<Shared<GroupNote> *>(Begin + uint32_t(Place));
  Note->Taken = NumTaken;
  Note->Lanes = NumLanes;
  writeExec(Active);
}

static __device__ inline void addCounts(uint64_t Address, Seen S) {
  waveAtomicAddEach(reinterpret_cast<uint64_t *>(Address),
                    {uint64_t(1), uint64_t(1 - S.diverges()),
                     uint64_t(S.numLanes()), uint64_t(S.numTaken())});
}
/// \p Place is an address.
static __device__ inline void countInMemory(uint64_t Place, Seen S) {
  addCounts(Place, S);
}
/// \p Place is in the wave's row.
static __device__ inline void countInRow(uint64_t Place, Seen S) {
  addCounts(waveCounter(Row) + Place, S);
}

/// Adds to what lies \p Offset bytes, of each lane its own, behind \p Place.
/// As an address and nothing else, \p Place is no part of what is compiled:
/// other processes, which have it elsewhere, find it compiled.
static __device__ inline void addBehind(uint64_t Place, uint32_t Offset,
                                        uint64_t Number = 1) {
  auto *Cell = reinterpret_cast<Global<char> *>(Place) + Offset;
  __hip_atomic_fetch_add(reinterpret_cast<Global<uint64_t> *>(Cell), Number,
                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// \p Place is the address of a table with a cell for each pair of numbers; see
/// cellOf(). One addition says everything; the host reads the cells.
static __device__ inline void tally(uint64_t Place, Seen S) {
  const uint32_t AllLanes = S.numLanes(), NumTaken = S.numTaken();
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(1);
  const uint32_t NumLanes = inFirstLane(AllLanes);
  addBehind(Place, sizeof(uint64_t) * cellOf(NumLanes, NumTaken,
                                             __builtin_amdgcn_wavefrontsize()));
  writeExec(Active);
}

/// Of an instruction that jumps. \p Place is where in Noted, and above
/// NotePlaceBits where its lanes are; giveNoted() makes a tally of both when
/// the wave ends.
constexpr unsigned NotePlaceBits = 8;
constexpr uint64_t NotePlaceMask = (1 << NotePlaceBits) - 1;
static __device__ inline void note(uint64_t Place, Seen S) {
  luthier::detail::waveSetHalf(Noted[Place & NotePlaceMask], S.numTaken());
  luthier::detail::waveSetHalf(Noted[Place >> NotePlaceBits], S.numLanes());
}

/// \p Place is in the wave's row. A store where others count; the fewest
/// instructions where nothing repeats.
static __device__ inline void noteInRow(uint64_t Place, Seen S) {
  auto *Note = inRow(Place);
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(1);
  Note[0] = S.Lanes;
  Note[1] = ~S.Taken;
  writeExec(Active);
}

// What each kind of branch needs.
#define COUNT_BY(How, Name, Parameters, ...)                                   \
  LUTHIER_HOOK_ANNOTATE How##Name Parameters {                                 \
    How(Place, Seen{__VA_ARGS__});                                             \
  }                                                                            \
  LUTHIER_EXPORT_HOOK_HANDLE(How##Name);
#define COUNT(Name, Parameters, ...)                                           \
  COUNT_BY(countInRegisters, Name, Parameters, __VA_ARGS__)                    \
  COUNT_BY(countInGroup, Name, Parameters, __VA_ARGS__)                        \
  COUNT_BY(noteInGroup, Name, Parameters, __VA_ARGS__)                         \
  COUNT_BY(countInMemory, Name, Parameters, __VA_ARGS__)                       \
  COUNT_BY(countInRow, Name, Parameters, __VA_ARGS__)                          \
  COUNT_BY(tally, Name, Parameters, __VA_ARGS__)                               \
  COUNT_BY(note, Name, Parameters, __VA_ARGS__)                                \
  COUNT_BY(noteInRow, Name, Parameters, __VA_ARGS__)

#define ACTIVE __builtin_amdgcn_read_exec()
/// All active lanes, or none: not to read EXEC on one side alone saves a
/// branch.
static __device__ inline uint64_t activeIf(bool Condition) {
  const uint64_t Active = ACTIVE;
  return Condition ? Active : 0;
}
COUNT(Mask, (uint64_t Place, uint64_t Mask), ACTIVE, ACTIVE &Mask)
COUNT(NotMask, (uint64_t Place, uint64_t Mask), ACTIVE, ACTIVE & ~Mask)
COUNT(All, (uint64_t Place, uint32_t Condition), ACTIVE, activeIf(Condition),
      /*IsSame=*/true)
COUNT(NotAll, (uint64_t Place, uint32_t Condition), ACTIVE,
      activeIf(!Condition), /*IsSame=*/true)
COUNT(NoLane, (uint64_t Place), ACTIVE, 0, /*IsSame=*/true)
COUNT(Kept, (uint64_t Place, uint64_t Lanes), Lanes, ACTIVE)
COUNT(Compare, (uint64_t Place), waveCounter(LanesBefore), ACTIVE)

/// In front of an instruction that takes lanes out of EXEC, and behind it.
LUTHIER_HOOK_ANNOTATE noteActive(uint32_t Place) {
  luthier::detail::waveSetHalf(Noted[Place], __popcll(ACTIVE));
}
LUTHIER_EXPORT_HOOK_HANDLE(noteActive);

LUTHIER_HOOK_ANNOTATE keepLanes() {
  waveAdd(LanesBefore, ACTIVE - waveCounter(LanesBefore));
}
LUTHIER_EXPORT_HOOK_HANDLE(keepLanes);

// A uniform branch in code that a wave runs with the same lanes however often:
// executions, and how often it goes to that side where it goes less often.
LUTHIER_HOOK_ANNOTATE countUniform(uint32_t Branch) {
  waveAdd(Uniform[Branch], 1);
}
LUTHIER_EXPORT_HOOK_HANDLE(countUniform);
LUTHIER_HOOK_ANNOTATE countSide(uint32_t Branch) {
  waveAdd(Uniform[Branch], uint64_t(1) << 32);
}
LUTHIER_EXPORT_HOOK_HANDLE(countSide);
/// Of a loop that is entered, with its TripCount: it is left once.
LUTHIER_HOOK_ANNOTATE countTrips(uint32_t Branch, uint32_t Counter,
                                 uint32_t Limit, uint32_t Inverse,
                                 uint32_t Shift) {
  waveAdd(Uniform[Branch], (uint64_t(1) << 32) + 1 +
                               furtherTrips(Counter, Limit, Inverse, Shift));
}
LUTHIER_EXPORT_HOOK_HANDLE(countTrips);
/// The same, with its lanes, in the wave's row in LDS. It jumps back each time
/// but the last.
LUTHIER_HOOK_ANNOTATE countTripsInGroup(uint64_t Place, uint32_t Counter,
                                        uint32_t Limit, uint32_t Inverse,
                                        uint32_t Shift) {
  const uint32_t Further = furtherTrips(Counter, Limit, Inverse, Shift);
  const uint32_t Lanes = __popcll(ACTIVE);
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(LanesWithoutDiverged);
  const uint32_t EachTime = withLane(1, 0, Lanes);
  addInGroup(Place, uint64_t(EachTime) * Further + withLane(0, 3, EachTime));
  writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(countTripsInGroup);
/// Likewise, in the branch's table.
LUTHIER_HOOK_ANNOTATE tallyTrips(uint64_t Place, uint32_t Counter,
                                 uint32_t Limit, uint32_t Inverse,
                                 uint32_t Shift) {
  const uint32_t Further = furtherTrips(Counter, Limit, Inverse, Shift);
  const uint32_t AllLanes = __popcll(ACTIVE);
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(1);
  const uint32_t None =
      sizeof(uint64_t) *
      cellOf(inFirstLane(AllLanes), 0, __builtin_amdgcn_wavefrontsize());
  addBehind(Place, None + sizeof(uint64_t) * AllLanes, Further);
  addBehind(Place, None);
  writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(tallyTrips);
LUTHIER_HOOK_ANNOTATE keepRegionLanes(uint32_t Region) {
  waveAdd(RegionLanes[Region], __popcll(ACTIVE));
}
LUTHIER_EXPORT_HOOK_HANDLE(keepRegionLanes);

// What waves do first and last.

LUTHIER_HOOK_ANNOTATE findRow(uint32_t RowBytes) {
  waveAdd(Row, launchValue() + uint64_t(waveInDispatch()) * RowBytes);
}
LUTHIER_EXPORT_HOOK_HANDLE(findRow);

/// The counter with half \p Place.
static __device__ inline const uint64_t &counterWithNote(uint64_t Place) {
  return reinterpret_cast<const uint64_t *>(Noted)[Place / 2];
}
LUTHIER_HOOK_ANNOTATE expectNoted(uint32_t Place) {
  waveAdd(counterWithNote(Place), NotExecuted);
}
LUTHIER_EXPORT_HOOK_HANDLE(expectNoted);

LUTHIER_HOOK_ANNOTATE findGroupRow(uint32_t Bytes) {
  luthier::detail::waveSetHalf(GroupRow[0],
                               groupMemory() + waveInGroup() * Bytes);
}
LUTHIER_EXPORT_HOOK_HANDLE(findGroupRow);

/// One lane of \p Lanes for each.
LUTHIER_HOOK_ANNOTATE expectGroupNotes(uint32_t Lanes, uint32_t First) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(Lanes);
  const GroupNote Nothing = notSeen(__builtin_amdgcn_wavefrontsize());
  auto *Note = inGroupOfLane<GroupNote>(First);
  Note->Taken = Nothing.Taken;
  Note->Lanes = Nothing.Lanes;
  writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(expectGroupNotes);

/// Numbers of GroupSums.
LUTHIER_HOOK_ANNOTATE clearGroupSums(uint32_t Lanes, uint32_t First) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(Lanes);
  *inGroupOfLane<uint64_t>(First) = 0;
  writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(clearGroupSums);

static __device__ inline Counts countsOf(uint64_t Executions, uint64_t Lanes,
                                         uint64_t Taken) {
  return {uint32_t(Executions), uint32_t(Executions) - (Executions >> 32),
          Lanes, Taken};
}
static __device__ inline Counts countsInRegisters(uint32_t Branch) {
  const WaveCounts &Sum = Counters[Branch];
  return countsOf(waveCounter(Sum.Executions), waveCounter(Sum.Lanes),
                  waveCounter(Sum.Taken));
}
static __device__ inline UniformCounts
uniformCounts(uint32_t Branch, uint32_t Region, uint32_t SideIsTaken) {
  const uint64_t Both = waveCounter(Uniform[Branch]);
  const uint32_t Executed = Both, Side = Both >> 32;
  const uint64_t Lanes = waveCounter(RegionLanes[Region]);
  return {Executed, Executed * Lanes,
          (SideIsTaken ? Side : Executed - Side) * Lanes};
}

LUTHIER_HOOK_ANNOTATE storeCounts(uint32_t Branch, uint64_t Place) {
  const Counts C = countsInRegisters(Branch);
  auto *Sums = inRow(Place);
  writeExec(1);
  store(Sums, C);
}
LUTHIER_EXPORT_HOOK_HANDLE(storeCounts);

LUTHIER_HOOK_ANNOTATE giveCounts(uint32_t Branch, uint64_t Place) {
  const Counts C = countsInRegisters(Branch);
  waveAtomicAddEach(reinterpret_cast<uint64_t *>(Place),
                    {C.Executed, C.Agreed, C.Lanes, C.Taken});
}
LUTHIER_EXPORT_HOOK_HANDLE(giveCounts);

LUTHIER_HOOK_ANNOTATE storeUniform(uint32_t Branch, uint32_t Region,
                                   uint32_t SideIsTaken, uint64_t Place) {
  const UniformCounts C = uniformCounts(Branch, Region, SideIsTaken);
  auto *Sums = inRow(Place);
  writeExec(1);
  store(Sums, C);
}
LUTHIER_EXPORT_HOOK_HANDLE(storeUniform);

LUTHIER_HOOK_ANNOTATE giveUniform(uint32_t Branch, uint32_t Region,
                                  uint32_t SideIsTaken, uint64_t Place) {
  const UniformCounts C = uniformCounts(Branch, Region, SideIsTaken);
  waveAtomicAddEach(reinterpret_cast<uint64_t *>(Place),
                    {C.Executed, C.Lanes, C.Taken});
}
LUTHIER_EXPORT_HOOK_HANDLE(giveUniform);

static __device__ inline uint64_t noteAt(uint64_t Places, unsigned I) {
  return Places >> I * NotePlaceBits & NotePlaceMask;
}
static __device__ inline uint32_t noted(uint64_t Places, unsigned I) {
  const uint64_t Place = noteAt(Places, I);
  return waveCounter(counterWithNote(Place)) >> Place % 2 * 32;
}

/// One addition to the cell of each of \p N notes, in a lane for each. Where
/// their parts are, is in \p TakenAt and \p LanesAt, NotePlaceBits for each.
/// Their tables follow each other from \p Tables on.
template <unsigned N>
static __device__ inline void giveNoted(uint64_t TakenAt, uint64_t LanesAt,
                                        uint64_t Tables) {
  const uint32_t WaveSize = __builtin_amdgcn_wavefrontsize();
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec((uint64_t(1) << N) - 1);
  uint32_t Taken = N == 1 ? noted(TakenAt, 0) : 0, Lanes = noted(LanesAt, 0);
  for (unsigned I = 0; I < N && N > 1; ++I)
    Taken = withLane(noted(TakenAt, I), I, Taken);
  for (unsigned I = 1; I < N; ++I)
    if (noteAt(LanesAt, I) != noteAt(LanesAt, 0)) // That is in all lanes.
      Lanes = withLane(noted(LanesAt, I), I, Lanes);
  uint32_t At = leadingCells(WaveSize) + cellOf(Lanes, Taken, WaveSize);
  if (N > 1)
    At += __builtin_amdgcn_mbcnt_lo(~0u, 0) * cellsOf(WaveSize);
  addBehind(Tables, sizeof(uint64_t) * At);
  writeExec(Active);
}
#define GIVE_NOTED(N)                                                          \
  LUTHIER_HOOK_ANNOTATE giveNoted##N(uint64_t TakenAt, uint64_t LanesAt,       \
                                     uint64_t Tables) {                        \
    giveNoted<N>(TakenAt, LanesAt, Tables);                                    \
  }                                                                            \
  LUTHIER_EXPORT_HOOK_HANDLE(giveNoted##N);
GIVE_NOTED(1)
GIVE_NOTED(2)
GIVE_NOTED(3)
GIVE_NOTED(4)
GIVE_NOTED(5)
GIVE_NOTED(6)
GIVE_NOTED(7)
GIVE_NOTED(8)
#undef GIVE_NOTED

/// One addition to the cell of each note that a lane of \p Lanes looks after.
/// Their tables follow each other from \p Tables on.
LUTHIER_HOOK_ANNOTATE giveGroupNotes(uint32_t Lanes, uint32_t First,
                                     uint64_t Tables) {
  const uint32_t WaveSize = __builtin_amdgcn_wavefrontsize();
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(Lanes);
  const auto *Note = inGroupOfLane<GroupNote>(First);
  addBehind(Tables,
            sizeof(uint64_t) *
                (cellOf(Note->Lanes, Note->Taken, WaveSize) +
                 __builtin_amdgcn_mbcnt_lo(~0u, 0) * groupCells(WaveSize)));
  writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(giveGroupNotes);

/// To \p Place in the wave's row in memory, one behind the other, as StoredNote
/// has them.
LUTHIER_HOOK_ANNOTATE storeGroupNotes(uint32_t Lanes, uint32_t First,
                                      uint64_t Place) {
  auto *Notes = reinterpret_cast<Global<StoredNote> *>(inRow(Place));
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(Lanes);
  const auto *Note = inGroupOfLane<GroupNote>(First);
  auto *To = Notes + __builtin_amdgcn_mbcnt_lo(~0u, 0);
  To->Taken = Note->Taken;
  To->Absent = notSeen(__builtin_amdgcn_wavefrontsize()).Lanes - Note->Lanes;
  writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(storeGroupNotes);

/// Likewise numbers of GroupSums, as they are.
LUTHIER_HOOK_ANNOTATE storeGroupSums(uint32_t Lanes, uint32_t First,
                                     uint64_t Place) {
  auto *Sums = inRow(Place);
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(Lanes);
  Sums[__builtin_amdgcn_mbcnt_lo(~0u, 0)] = *inGroupOfLane<uint64_t>(First);
  writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(storeGroupSums);

LUTHIER_HOOK_ANNOTATE giveGroupSums(uint32_t Lanes, uint32_t First,
                                    uint64_t Place) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  writeExec(Lanes);
  addBehind(Place, sizeof(uint64_t) * __builtin_amdgcn_mbcnt_lo(~0u, 0),
            *inGroupOfLane<uint64_t>(First));
  writeExec(Active);
}
LUTHIER_EXPORT_HOOK_HANDLE(giveGroupSums);

LUTHIER_HOOK_ANNOTATE keepClock() { waveAdd(EntryClock, clock64()); }
LUTHIER_EXPORT_HOOK_HANDLE(keepClock);

LUTHIER_HOOK_ANNOTATE storeClocks(uint32_t Offset) {
  const uint64_t Entry = waveCounter(EntryClock), Exit = clock64();
  auto *Clocks = inRow(Offset);
  writeExec(1);
  Clocks[0] = Entry;
  Clocks[1] = Exit;
}
LUTHIER_EXPORT_HOOK_HANDLE(storeClocks);

#endif // BRANCH_DIVERGENCE_HOOKS_H
