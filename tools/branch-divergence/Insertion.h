// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel gets: how each of its branches is counted, by which hooks, and
// where their numbers come to be.
#ifndef BRANCH_DIVERGENCE_INSERTION_H
#define BRANCH_DIVERGENCE_INSERTION_H

#include "Branches.h"
#include "Hooks.h"
#include "Kernels.h"
#include "Notes.h"
#include <algorithm>
#include <vector>

class Insertion {
public:
  /// With a row for each wave, if \p ByWave; \p WithClocks only then.
  Insertion(bool ByWave, bool WithClocks)
      : ByWave(ByWave), WithClocks(WithClocks) {}

  /// For the kernel \p LR on \p Agent. Counts in what \p V says, or in memory
  /// where that cannot be, and tells \p V what has come of it, and \p K which
  /// branches there are. Fails if there is not enough memory, or there are more
  /// branches than counters.
  llvm::Error insertAll(InstrumentationTask &Task, LiftedRepresentation &LR,
                        hsa_agent_t Agent, KernelBranches &K,
                        Version &V) const {
    const Branches Of = branchesOf(LR);
    const uint32_t NumBranches = Of.All.size();
    describe(LR, Of, K);
    if (!NumBranches)
      return llvm::Error::success();
    if (V.CountedIn == Where::Registers && NumBranches > MaxInRegisters)
      return llvm::createStringError("more branches than counters");
    V.WaveSize = LR.waveSize();
    // Waves may end in code that is not lifted, where nobody stores counters.
    if (LR.hasUnresolvedTransfers())
      V.CountedIn = Where::Memory;
    const bool MayNote =
        V.CountedIn != Where::Memory && !ByWave && !K.LacksRoomForNotes;
    const std::vector<Note> Notes =
        notesOf(LR, Of, MayNote ? roomForNotes(LR, Of, V) : 0);
    const std::vector<Way> Ways = layOut(Of, Notes.size(), V);
    if (!ByWave) {
      llvm::Expected<uint64_t> Totals = DeviceMemory::allocate(Agent, V.Bytes);
      if (!Totals)
        return Totals.takeError();
      V.Totals = *Totals;
    }
    giveNotesAtEnd(Task, V, Notes);
    insertFirstAndLast(Task, LR, Of, V);
    Cursor Next{Notes.data(), {0, V.NumGroupNotes * sizeof(GroupNote)}, {}};
    for (uint32_t N = 0; N < NumBranches; ++N)
      insertOne(Task, Of, N, Ways[N], V, Next);
    return llvm::Error::success();
  }

private:
  /// How one branch is counted.
  enum class Way {
    Registers,
    Group,
    GroupNote,
    Memory,
    Row,
    Tally,
    Note,
    Later
  };

  template <typename Hook, typename... Rest>
  static void insertAt(const Branch &B, InstrumentationTask &Task, Hook H,
                       Rest... Arguments) {
    if (B.Kind == Branch::Compare || B.Kind == Branch::Kept)
      Task.insertHookAfter(*B.MI, H, {Arguments...});
    else
      Task.insertHookBefore(*B.MI, H, {Arguments...});
  }

#define INSERT_BY(How, Name, ...)                                              \
  insertAt(B, Task, LUTHIER_GET_HOOK_HANDLE(How##Name), __VA_ARGS__)
#define INSERT(Name, ...)                                                      \
  (By == Way::Registers   ? INSERT_BY(countInRegisters, Name, __VA_ARGS__)     \
   : By == Way::Group     ? INSERT_BY(countInGroup, Name, __VA_ARGS__)         \
   : By == Way::GroupNote ? INSERT_BY(noteInGroup, Name, __VA_ARGS__)          \
   : By == Way::Memory    ? INSERT_BY(countInMemory, Name, __VA_ARGS__)        \
   : By == Way::Row       ? INSERT_BY(countInRow, Name, __VA_ARGS__)           \
   : By == Way::Tally     ? INSERT_BY(tally, Name, __VA_ARGS__)                \
   : By == Way::Later     ? INSERT_BY(note, Name, __VA_ARGS__)                 \
                          : INSERT_BY(noteInRow, Name, __VA_ARGS__))
  static void insert(InstrumentationTask &Task, const Branch &B, Way By,
                     uint64_t Place) {
    switch (B.Kind) {
    case Branch::Mask:
      return INSERT(Mask, Place, *B.Condition);
    case Branch::NotMask:
      return INSERT(NotMask, Place, *B.Condition);
    case Branch::All:
      return INSERT(All, Place, *B.Condition);
    case Branch::NotAll:
      return INSERT(NotAll, Place, *B.Condition);
    case Branch::NoLane:
      return INSERT(NoLane, Place);
    case Branch::AnyLane:
      return INSERT(Mask, Place, ~uint64_t(0));
    case Branch::Kept:
      return INSERT(Kept, Place, *B.Condition);
    case Branch::Compare:
      Task.insertHookBefore(*B.MI, LUTHIER_GET_HOOK_HANDLE(keepLanes));
      return INSERT(Compare, Place);
    }
  }
#undef INSERT
#undef INSERT_BY

  /// Tables of cells are large, so that no kernel gets more of them.
  static constexpr unsigned MaxTallies = 64;

  Way wayOf(const Branch &B, const Version &V, unsigned Notes,
            unsigned Tallies) const {
    if (B.IsOnce && Notes) // Of the first branches, in this order.
      return Way::Later;
    if (V.CountedIn == Where::Group)
      return B.IsOnce && (ByWave || Tallies < MaxTallies) ? Way::GroupNote
                                                          : Way::Group;
    if (V.CountedIn == Where::Registers && !B.IsOnce)
      return Way::Registers;
    if (ByWave)
      return B.IsOnce ? Way::Note : Way::Row;
    return Tallies < MaxTallies ? Way::Tally : Way::Memory;
  }

  /// In so many registers can be noted: beside those that the kernel has, hooks
  /// and counters of branches in loops or, in LDS, what the row is found by.
  static unsigned roomForNotes(LiftedRepresentation &LR, const Branches &Of,
                               const Version &V) {
    constexpr unsigned Registers = 100, OfHooks = 24, OfCounts = 6, OfRow = 6;
    const unsigned InLoops =
        llvm::count_if(Of.All, [](auto &B) { return !B.IsOnce; });
    const unsigned Taken =
        Analysis(LR).registerUse().SGPRs + OfHooks +
        (V.CountedIn == Where::Group ? OfRow : OfCounts * InLoops);
    return Taken < Registers ? std::min(Registers - Taken, MaxNoted) : 0;
  }

  /// As far as there is \p Room for them.
  static std::vector<Note> notesOf(LiftedRepresentation &LR, const Branches &Of,
                                   unsigned Room) {
    std::vector<Note> Result;
    NotePlanner Planner(LR);
    for (const Branch &B : Of.All)
      if (B.IsOnce && Planner.used() + 2 <= Room)
        Result.push_back(Planner.add(B));
    return Result;
  }

  Form formOf(Way By, bool IsUniform) const {
    switch (By) {
    case Way::Registers:
      return IsUniform ? Form::Uniform : Form::Counts;
    case Way::Note:
      return Form::Masks;
    case Way::Tally:
      return Form::Cells;
    case Way::Group:
      return Form::GroupSums;
    case Way::GroupNote:
      return ByWave ? Form::StoredNote : Form::GroupNoted;
    case Way::Later:
      return Form::Noted;
    default:
      return Form::Counts;
    }
  }

  /// What waves have counted in registers goes to \p Place in the end.
  void giveAtEnd(InstrumentationTask &Task, const Branch &B, uint32_t Number,
                 uint64_t Place) const {
    if (B.Region) {
      if (ByWave)
        Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(storeUniform),
                                 {Number, *B.Region, B.SideIsTaken, Place});
      else
        Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(giveUniform),
                                 {Number, *B.Region, B.SideIsTaken, Place});
    } else if (ByWave) {
      Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(storeCounts),
                               {Number, Place});
    } else {
      Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(giveCounts),
                               {Number, Place});
    }
  }

  static void insertNote(InstrumentationTask &Task, const Branch &B,
                         const Note &N) {
    if (B.MI->isBranch())
      return insert(Task, B, Way::Later, N.Taken | N.Lanes << NotePlaceBits);
    const auto Active = LUTHIER_GET_HOOK_HANDLE(noteActive);
    if (N.CountsLanes)
      Task.insertHookBefore(*B.MI, Active, {N.Lanes});
    Task.insertHookAfter(*B.MI, Active, {N.Taken});
  }

  static constexpr size_t NotesTogether = 8;

  static auto giveNotedHook(uint32_t Number) {
    const HookHandle<void(uint64_t, uint64_t, uint64_t)> Hooks[] = {
        LUTHIER_GET_HOOK_HANDLE(giveNoted1),
        LUTHIER_GET_HOOK_HANDLE(giveNoted2),
        LUTHIER_GET_HOOK_HANDLE(giveNoted3),
        LUTHIER_GET_HOOK_HANDLE(giveNoted4),
        LUTHIER_GET_HOOK_HANDLE(giveNoted5),
        LUTHIER_GET_HOOK_HANDLE(giveNoted6),
        LUTHIER_GET_HOOK_HANDLE(giveNoted7),
        LUTHIER_GET_HOOK_HANDLE(giveNoted8)};
    return Hooks[Number - 1];
  }

  /// Their tables are the first in the sums.
  static void giveNotesAtEnd(InstrumentationTask &Task, const Version &V,
                             llvm::ArrayRef<Note> Notes) {
    uint32_t Used = 0;
    for (const Note &N : Notes)
      Used = std::max({Used, N.Taken + 1, N.Lanes + 1});
    for (uint32_t Place = 0; Place < Used; Place += 2)
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(expectNoted),
                                   {Place});
    uint64_t To = V.Totals;
    size_t Number = 0;
    for (; !Notes.empty(); Notes = Notes.drop_front(Number)) {
      Number = std::min<size_t>(Notes.size(), NotesTogether);
      uint64_t TakenAt = 0, LanesAt = 0;
      for (const Note &N : llvm::reverse(Notes.take_front(Number))) {
        TakenAt = TakenAt << NotePlaceBits | N.Taken;
        LanesAt = LanesAt << NotePlaceBits | N.Lanes;
      }
      Task.insertHookAtWaveEnd(giveNotedHook(Number), {TakenAt, LanesAt, To});
      To += Number * bytesOf(Form::Noted, V.WaveSize);
    }
  }

  /// All that a loop's branch is going to do, where the loop is entered.
  /// \p Where is what \p H counts in.
  template <typename Hook, typename T>
  static void insertTrips(InstrumentationTask &Task, const Branch &B, Hook H,
                          T Where) {
    const llvm::MachineBasicBlock &Loop = *B.MI->getParent();
    for (const llvm::MachineBasicBlock *From : Loop.predecessors())
      if (From != &Loop)
        Task.insertHookOnEdge(*From, Loop, H,
                              {Where, B.Trips->Counter, B.Trips->limit(),
                               B.Trips->Inverse, B.Trips->Shift});
  }

  /// Counts in LDS, from \p Next in the wave's row on.
  static void insertInGroup(InstrumentationTask &Task, const Branch &B, Way By,
                            uint64_t &Next) {
    if (By == Way::Group && B.Trips)
      insertTrips(Task, B, LUTHIER_GET_HOOK_HANDLE(countTripsInGroup), Next);
    else
      insert(Task, B, By, Next);
    Next += By == Way::Group ? sizeof(GroupSums) : sizeof(GroupNote);
  }

  static void insertUniform(InstrumentationTask &Task, const Branch &B,
                            uint32_t Number) {
    if (B.Trips)
      return insertTrips(Task, B, LUTHIER_GET_HOOK_HANDLE(countTrips), Number);
    Task.insertHookBefore(*B.MI, LUTHIER_GET_HOOK_HANDLE(countUniform),
                          {Number});
    Task.insertHookOnEdge(*B.MI->getParent(), *B.Side,
                          LUTHIER_GET_HOOK_HANDLE(countSide), {Number});
  }

  /// The lanes that look after \p Number things in the row.
  static uint32_t lanesFor(uint32_t Number) {
    return uint32_t((uint64_t(1) << Number) - 1);
  }

  /// Where the kernel first waits, before any branch: asked for behind it,
  /// waveInGroup() and groupMemory() cost less than when waves begin. Null if
  /// there is no such place.
  static const llvm::MachineInstr *firstWait(LiftedRepresentation &LR,
                                             const Branches &Of) {
    const llvm::MachineBasicBlock &Entry = LR.kernel().front();
    if (!Entry.pred_empty())
      return nullptr;
    for (const llvm::MachineInstr &MI : Entry) {
      if (llvm::StringRef(mnemonicOf(MI)).starts_with("s_wait"))
        return &MI;
      if (MI.isTerminator() || LR.transferOf(MI) ||
          llvm::any_of(Of.All, [&](auto &B) { return B.MI == &MI; }))
        break;
    }
    return nullptr;
  }

  /// What waves do with their rows in LDS behind \p First, which does not wait
  /// for it, or else when they begin, and when they end.
  void insertForGroupRow(InstrumentationTask &Task,
                         const llvm::MachineInstr *First,
                         const Version &V) const {
    auto insertFirst = [&](auto Hook, auto... Arguments) {
      if (First)
        Task.insertHookAfter(*First, Hook, {Arguments...});
      else
        Task.insertHookAtKernelEntry(Hook, {Arguments...});
    };
    insertFirst(LUTHIER_GET_HOOK_HANDLE(findGroupRow), V.GroupBytes);
    const Form NoteForm = formOf(Way::GroupNote, /*IsUniform=*/false);
    uint32_t From = 0;
    uint64_t To = V.Totals + V.NumNotes * bytesOf(Form::Noted, V.WaveSize);
    for (uint32_t N = 0; N < V.NumGroupNotes; N += LanesForRow) {
      const uint32_t Number = std::min(V.NumGroupNotes - N, LanesForRow);
      insertFirst(LUTHIER_GET_HOOK_HANDLE(expectGroupNotes), lanesFor(Number),
                  From);
      Task.insertHookAtWaveEnd(ByWave ? LUTHIER_GET_HOOK_HANDLE(storeGroupNotes)
                                      : LUTHIER_GET_HOOK_HANDLE(giveGroupNotes),
                               {lanesFor(Number), From, To});
      From += Number * sizeof(GroupNote);
      To += Number * bytesOf(NoteForm, V.WaveSize);
    }
    const uint32_t Numbers =
        V.NumGroupSums * sizeof(GroupSums) / sizeof(uint64_t);
    for (uint32_t N = 0; N < Numbers; N += LanesForRow) {
      const uint32_t Number = std::min(Numbers - N, LanesForRow);
      insertFirst(LUTHIER_GET_HOOK_HANDLE(clearGroupSums), lanesFor(Number),
                  From);
      Task.insertHookAtWaveEnd(ByWave ? LUTHIER_GET_HOOK_HANDLE(storeGroupSums)
                                      : LUTHIER_GET_HOOK_HANDLE(giveGroupSums),
                               {lanesFor(Number), From, To});
      From += Number * sizeof(uint64_t);
      To += Number * sizeof(uint64_t);
    }
  }

  void insertFirstAndLast(InstrumentationTask &Task, LiftedRepresentation &LR,
                          const Branches &Of, const Version &V) const {
    if (ByWave)
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(findRow), {V.Bytes});
    if (V.GroupBytes)
      insertForGroupRow(Task, firstWait(LR, Of), V);
    if (WithClocks) {
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(keepClock));
      Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(storeClocks),
                               {V.Bytes - uint32_t(2 * sizeof(uint64_t))});
    }
  }

  static void describe(const LiftedRepresentation &LR, const Branches &Of,
                       KernelBranches &K) {
    if (!K.Points.empty())
      return;
    for (const Branch &B : Of.All) {
      KernelBranches::Point &New = K.Points.emplace_back();
      New.Address = LR.originalAddress(*B.MI).value_or(0);
      New.Instruction = mnemonicOf(*B.MI);
      if (std::optional<SourceLine> Line = LR.sourceLine(*B.MI))
        New.Line = Line->File + ":" + std::to_string(Line->Line);
    }
  }

  /// Numbers that lanes give together are one behind the other.
  static unsigned orderOf(Way By) {
    return By == Way::Later ? 0 : By == Way::GroupNote ? 1 : 2;
  }

  /// Chooses how each branch is counted, and where its numbers are: first those
  /// that are noted, \p Notes of them in registers, for which there is room.
  std::vector<Way> layOut(const Branches &Of, unsigned Notes,
                          Version &V) const {
    std::vector<Way> Ways;
    unsigned Tallies = 0;
    for (const Branch &B : Of.All) {
      const Way By = wayOf(B, V, Notes, Tallies);
      Notes -= By == Way::Later;
      V.NumNotes += By == Way::Later;
      Tallies += By == Way::Tally || By == Way::GroupNote;
      V.NumGroupNotes += By == Way::GroupNote;
      V.NumGroupSums += By == Way::Group;
      Ways.push_back(By);
    }
    V.GroupBytes = V.NumGroupNotes * sizeof(GroupNote) +
                   V.NumGroupSums * sizeof(GroupSums);
    V.Places.resize(Ways.size());
    for (const unsigned Order : {0, 1, 2})
      for (size_t N = 0; N < Ways.size(); ++N)
        if (orderOf(Ways[N]) == Order)
          V.place(N, formOf(Ways[N], Of.All[N].Region.has_value()));
    if (WithClocks)
      V.Bytes += 2 * sizeof(uint64_t);
    if (V.CountedIn == Where::Group && !V.GroupBytes)
      V.CountedIn = Where::Registers;
    return Ways;
  }

  /// What comes next: of the notes, in the wave's row in LDS (its notes and its
  /// counts), and the regions whose lanes are counted already.
  struct Cursor {
    const Note *OfNotes;
    uint64_t InGroup[2];
    llvm::DenseSet<unsigned> Regions;
  };

  void insertOne(InstrumentationTask &Task, const Branches &Of, uint32_t N,
                 Way By, const Version &V, Cursor &Next) const {
    const Branch &B = Of.All[N];
    const uint64_t Place = V.Totals + V.Places[N].Offset;
    switch (By) {
    case Way::Later:
      return insertNote(Task, B, *Next.OfNotes++);
    case Way::Group:
    case Way::GroupNote:
      return insertInGroup(Task, B, By, Next.InGroup[By == Way::Group]);
    case Way::Registers:
      return insertInRegisters(Task, Of, N, Place, Next.Regions);
    case Way::Tally:
      if (B.Trips)
        return insertTrips(Task, B, LUTHIER_GET_HOOK_HANDLE(tallyTrips), Place);
      [[fallthrough]];
    case Way::Memory:
    case Way::Row:
    case Way::Note:
      return insert(Task, B, By, Place);
    }
  }

  void insertInRegisters(InstrumentationTask &Task, const Branches &Of,
                         uint32_t N, uint64_t Place,
                         llvm::DenseSet<unsigned> &Regions) const {
    const Branch &B = Of.All[N];
    if (!B.Region)
      insert(Task, B, Way::Registers, N);
    else
      insertUniform(Task, B, N);
    if (B.Region && Regions.insert(*B.Region).second)
      Task.insertHookBefore(*Of.Regions[*B.Region].Begin,
                            LUTHIER_GET_HOOK_HANDLE(keepRegionLanes),
                            {*B.Region});
    giveAtEnd(Task, B, N, Place);
  }

  const bool ByWave, WithClocks;
};

#endif // BRANCH_DIVERGENCE_INSERTION_H
