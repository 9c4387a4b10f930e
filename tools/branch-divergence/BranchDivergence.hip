// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each branch was executed, and how often all lanes of the wave
// agreed about it; see README.md.
#include "Hooks.h"
#ifndef __HIP_DEVICE_COMPILE__
#include "Branches.h"
#include "Kernels.h"
#include "Notes.h"
#include "Report.h"
#include "Rows.h"
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace {

Option<bool> ByWaveOption("by-wave", false,
                          "write branch-divergence-waves.csv, the numbers of "
                          "each wave");
Option<bool> ClocksOption("clocks", false,
                          "likewise, and when each wave began and ended");
Option<bool> InLdsOption("in-lds", false,
                         "count in LDS, a row for each wave of the workgroup");
Option<bool> InMemoryOption("in-memory", false, "count in memory only");

/// The variables are how these options were set before there were options.
bool isSet(const char *Variable) {
  const char *Text = std::getenv(Variable);
  return Text && *Text && llvm::StringRef(Text) != "0";
}

} // namespace

class BranchDivergence : public Tool {
  const Where Wanted =
      *InMemoryOption || isSet("LUTHIER_BRANCHES_IN_MEMORY") ? Where::Memory
      : *InLdsOption || isSet("LUTHIER_BRANCHES_IN_LDS")     ? Where::Group
                                                             : Where::Registers;
  const bool WithClocks = *ClocksOption || isSet("LUTHIER_BRANCH_CLOCKS");
  const bool ByWave =
      *ByWaveOption || isSet("LUTHIER_BRANCHES_BY_WAVE") || WithClocks;
  std::mutex Lock;
  KernelList Kernels;
  /// Those that are loaded, by the address of their descriptor.
  std::map<uint64_t, KernelBranches *> Loaded;
  /// Of launches that have not completed, by the address of their rows.
  std::map<uint64_t, std::pair<KernelBranches *, Version *>> Launched;
  std::unique_ptr<OutputFile> WaveFile;
  ReportPace Pace;

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
    if (V.CountedIn == Where::Group)
      return B.IsOnce && (ByWave || Tallies < MaxTallies) ? Way::GroupNote
                                                          : Way::Group;
    if (V.CountedIn == Where::Registers && !B.IsOnce)
      return Way::Registers;
    if (ByWave)
      return B.IsOnce ? Way::Note : Way::Row;
    if (B.IsOnce && Notes) // Of the first branches, in this order.
      return Way::Later;
    return Tallies < MaxTallies ? Way::Tally : Way::Memory;
  }

  /// In so many registers can be noted: beside those that the kernel has, hooks
  /// and counters of branches in loops.
  static unsigned roomForNotes(LiftedRepresentation &LR, const Branches &Of) {
    constexpr unsigned Registers = 100, OfHooks = 24, OfCounts = 6;
    const unsigned Taken =
        Analysis(LR).registerUse().SGPRs + OfHooks +
        OfCounts * llvm::count_if(Of.All, [](auto &B) { return !B.IsOnce; });
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
    Next += By == Way::Group ? sizeof(WaveCounts) : sizeof(GroupNote);
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

  /// What waves do with their rows in LDS when they begin and end.
  void insertForGroupRow(InstrumentationTask &Task, const Version &V) const {
    Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(findGroupRow),
                                 {V.GroupBytes});
    const Form NoteForm = formOf(Way::GroupNote, /*IsUniform=*/false);
    uint64_t To = V.Totals;
    for (uint32_t N = 0; N < V.NumGroupNotes; N += NotesInLanes) {
      const uint32_t Number = std::min(V.NumGroupNotes - N, NotesInLanes);
      const auto Lanes = uint32_t((uint64_t(1) << Number) - 1);
      const uint32_t First = N * sizeof(GroupNote);
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(expectGroupNotes),
                                   {Lanes, First});
      Task.insertHookAtWaveEnd(ByWave ? LUTHIER_GET_HOOK_HANDLE(storeGroupNotes)
                                      : LUTHIER_GET_HOOK_HANDLE(giveGroupNotes),
                               {Lanes, First, To});
      To += Number * bytesOf(NoteForm, V.WaveSize);
    }
    if (!V.NumGroupCounts)
      return;
    const uint32_t First = V.NumGroupNotes * sizeof(GroupNote);
    Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(clearGroupCounts),
                                 {V.NumGroupCounts, First});
    Task.insertHookAtWaveEnd(ByWave ? LUTHIER_GET_HOOK_HANDLE(storeGroupCounts)
                                    : LUTHIER_GET_HOOK_HANDLE(giveGroupCounts),
                             {V.NumGroupCounts, First, To});
  }

  void insertFirstAndLast(InstrumentationTask &Task, const Version &V) const {
    if (ByWave)
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(findRow), {V.Bytes});
    if (V.CountedIn == Where::Group)
      insertForGroupRow(Task, V);
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

  /// Whether its numbers are from notes, which lanes give together.
  static bool isNoted(Way By) {
    return By == Way::Later || By == Way::GroupNote;
  }

  /// Chooses how each branch is counted, and where its numbers are: first those
  /// that are noted, one behind the other, \p Notes of them in registers, for
  /// which there is room.
  std::vector<Way> layOut(const Branches &Of, unsigned Notes,
                          Version &V) const {
    std::vector<Way> Ways;
    unsigned Tallies = 0;
    for (const Branch &B : Of.All) {
      const Way By = wayOf(B, V, Notes, Tallies);
      Notes -= By == Way::Later;
      Tallies += By == Way::Tally || By == Way::GroupNote;
      V.NumGroupNotes += By == Way::GroupNote;
      V.NumGroupCounts += By == Way::Group;
      Ways.push_back(By);
    }
    V.GroupBytes = V.NumGroupNotes * sizeof(GroupNote) +
                   V.NumGroupCounts * sizeof(WaveCounts);
    V.Places.resize(Ways.size());
    for (const bool IsNoted : {true, false})
      for (size_t N = 0; N < Ways.size(); ++N)
        if (isNoted(Ways[N]) == IsNoted)
          V.place(N, formOf(Ways[N], Of.All[N].Region.has_value()));
    if (WithClocks)
      V.Bytes += 2 * sizeof(uint64_t);
    return Ways;
  }

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
        V.CountedIn == Where::Registers && !ByWave && !K.LacksRoomForNotes;
    const std::vector<Note> Notes =
        notesOf(LR, Of, MayNote ? roomForNotes(LR, Of) : 0);
    const std::vector<Way> Ways = layOut(Of, Notes.size(), V);
    if (!ByWave) {
      llvm::Expected<uint64_t> Totals = DeviceMemory::allocate(Agent, V.Bytes);
      if (!Totals)
        return Totals.takeError();
      V.Totals = *Totals;
    }
    insertFirstAndLast(Task, V);
    giveNotesAtEnd(Task, V, Notes);
    const Note *NextNote = Notes.data();
    // In the wave's row in LDS: of notes and of counts.
    uint64_t NextInGroup[] = {0, V.NumGroupNotes * sizeof(GroupNote)};
    llvm::DenseSet<unsigned> Regions;
    for (uint32_t N = 0; N < NumBranches; ++N) {
      const Branch &B = Of.All[N];
      const uint64_t Place = V.Totals + V.Places[N].Offset;
      if (Ways[N] == Way::Later) {
        insertNote(Task, B, *NextNote++);
        continue;
      }
      if (Ways[N] == Way::GroupNote || Ways[N] == Way::Group) {
        insertInGroup(Task, B, Ways[N], NextInGroup[Ways[N] == Way::Group]);
        continue;
      }
      if (Ways[N] == Way::Tally && B.Trips) {
        insertTrips(Task, B, LUTHIER_GET_HOOK_HANDLE(tallyTrips), Place);
        continue;
      }
      if (Ways[N] != Way::Registers) {
        insert(Task, B, Ways[N], Place);
        continue;
      }
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
    return llvm::Error::success();
  }

  llvm::Error load(const hsa::LoadedCodeObjectKernel &Kernel, KernelBranches &K,
                   Version &V, Where In) {
    V.CountedIn = In;
    // What failed once is not tried again.
    V.Preset = nameOf(In);
    if (K.LacksRoomForNotes)
      V.Preset += " without notes";
    auto Insert = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
      return insertAll(Task, LR, Kernel.agent(), K, V);
    };
    llvm::Error E = instrumentAndLoad(Kernel, Insert, V.Preset);
    V.IsLoaded = !E;
    if (E)
      release(K, V);
    return E;
  }

  /// Adds up what all waves have left.
  static void addTotals(KernelBranches &K, const Version &V) {
    if (!V.Totals || !V.IsLoaded)
      return;
    const std::vector<char> Row = DeviceMemory::read(V.Totals, V.Bytes);
    for (size_t N = 0; N < V.Places.size(); ++N)
      K.add(N, countsIn(Row.data() + V.Places[N].Offset, V.Places[N].In,
                        V.WaveSize));
  }

  /// The same, and forgets the version.
  static void release(KernelBranches &K, Version &V) {
    addTotals(K, V);
    if (V.Totals)
      DeviceMemory::free(V.Totals);
    const uint64_t Dispatches = V.Dispatches;
    const Where CountedIn = V.CountedIn;
    V = Version();
    V.Dispatches = Dispatches;
    V.CountedIn = CountedIn;
  }

  KernelBranches &kernelOf(const hsa::LoadedCodeObjectKernel &Kernel) {
    KernelBranches *&K = Loaded[Kernel.kernelObject()];
    if (!K)
      K = Kernels.emplace_back(std::make_unique<KernelBranches>(Kernel.name()))
              .get();
    return *K;
  }

  /// Others may be loaded to the same addresses.
  void onCodeObjectUnloaded(const hsa::LoadedCodeObject &Object) override {
    std::lock_guard Guard(Lock);
    for (const hsa::LoadedCodeObjectKernel &Kernel : Object.kernels())
      if (const auto Known = Loaded.find(Kernel.kernelObject());
          Known != Loaded.end()) {
        if (!ByWave)
          for (auto &[In, V] : Known->second->Versions)
            release(*Known->second, V);
        Loaded.erase(Known);
      }
  }

  /// Has \p Dispatch count in \p In.
  llvm::Error launch(KernelDispatch &Dispatch, KernelBranches &K, Where In) {
    Version &V = K.Versions[In];
    if (!V.IsLoaded)
      if (llvm::Error E = load(Dispatch.Kernel, K, V, In))
        return E;
    if (V.Places.empty())
      return llvm::Error::success();
    const LaunchSize Size(Dispatch.Packet, V.WaveSize);
    if (ByWave) {
      llvm::Expected<uint64_t> Rows = DeviceMemory::allocate(
          Dispatch.Kernel.agent(), Size.waves() * V.Bytes);
      if (!Rows)
        return Rows.takeError();
      Dispatch.LaunchValue = *Rows;
    }
    Dispatch.GroupBytes = Size.WavesPerGroup * V.GroupBytes;
    if (llvm::Error E = overrideWithInstrumented(Dispatch, V.Preset)) {
      if (ByWave)
        DeviceMemory::free(Dispatch.LaunchValue);
      Dispatch.LaunchValue = Dispatch.GroupBytes = 0;
      return E;
    }
    if (ByWave)
      Launched[Dispatch.LaunchValue] = {&K, &V};
    ++K.Dispatches;
    ++V.Dispatches;
    K.Waves += Size.waves();
    return llvm::Error::success();
  }

  /// In memory where registers or LDS do not suffice for all branches. LDS may
  /// suffice for one launch and not for another.
  llvm::Error launch(KernelDispatch &Dispatch, KernelBranches &K) {
    if (Wanted == Where::Memory || K.LacksRoom)
      return launch(Dispatch, K, Where::Memory);
    llvm::Error E = launch(Dispatch, K, Wanted);
    if (E && !K.Versions[Wanted].IsLoaded && Wanted == Where::Registers &&
        !std::exchange(K.LacksRoomForNotes, true)) {
      llvm::consumeError(std::move(E));
      E = launch(Dispatch, K, Wanted);
    }
    const bool IsLoaded = K.Versions[Wanted].IsLoaded;
    if (!E || (IsLoaded && Wanted == Where::Registers))
      return E;
    K.LacksRoom = !IsLoaded;
    const std::string Why = llvm::toString(std::move(E));
    if (Wanted == Where::Group && !std::exchange(K.IsSaid, true))
      llvm::errs() << "branch-divergence: " << K.Name
                   << ": counted in memory where LDS does not suffice: " << Why
                   << '\n';
    return launch(Dispatch, K, Where::Memory);
  }

  void onDispatch(KernelDispatch &Dispatch) override {
    std::lock_guard Guard(Lock);
    KernelBranches &K = kernelOf(Dispatch.Kernel);
    if (!K.IsRefused)
      if (llvm::Error E = launch(Dispatch, K)) {
        K.IsRefused = llvm::none_of(
            K.Versions, [](const auto &V) { return V.second.IsLoaded; });
        reportRefusal(Dispatch.Kernel, std::move(E));
      }
    Dispatch.SkipCompletion = !Dispatch.LaunchValue && !Pace.isDue();
  }

  /// Of each launch where waves have rows, and else where it is time to write
  /// what there is, if the process is killed.
  void onComplete(const KernelDispatch &Dispatch) override {
    std::lock_guard Guard(Lock);
    if (Dispatch.LaunchValue)
      takeRows(Dispatch);
    if (!Dispatch.LaunchValue || Pace.isDue())
      Pace.write([&] {
        writeReportInBetween("branch-divergence.json", jsonOf(counted()));
      });
  }

  void takeRows(const KernelDispatch &Dispatch) {
    const auto Launch = Launched.find(Dispatch.LaunchValue);
    auto [K, V] = Launch->second;
    Launched.erase(Launch);
    const uint64_t Waves = LaunchSize(Dispatch.Packet, V->WaveSize).waves();
    const std::vector<char> Rows =
        DeviceMemory::take(Dispatch.LaunchValue, Waves * V->Bytes);
    for (uint64_t Wave = 0; Wave < Waves; ++Wave)
      addRow(Dispatch, *K, *V, Wave, Rows.data() + Wave * V->Bytes);
  }

  void addRow(const KernelDispatch &Dispatch, KernelBranches &K,
              const Version &V, uint64_t Wave, const char *Row) {
    uint64_t Clocks[2] = {};
    if (WithClocks)
      std::memcpy(Clocks, Row + V.Bytes - sizeof(Clocks), sizeof(Clocks));
    for (size_t N = 0; N < V.Places.size(); ++N) {
      const Counts C =
          countsIn(Row + V.Places[N].Offset, V.Places[N].In, V.WaveSize);
      K.add(N, C);
      if (C.Executed)
        waveFile() << llvm::formatv(
            "{0},{1},{2},{3:x},{4},{5},{6},{7},{8},{9}\n",
            Dispatch.Kernel.name(), Dispatch.Id, Wave, K.Points[N].Address,
            C.Executed, C.Agreed, C.Lanes, C.Taken, Clocks[0], Clocks[1]);
    }
  }

  llvm::raw_ostream &waveFile() {
    if (!WaveFile) {
      WaveFile = std::make_unique<OutputFile>("branch-divergence-waves.csv");
      WaveFile->OS << "kernel,dispatch,wave,address,executed,agreed,lanes,"
                      "taken,entry_clock,exit_clock\n";
    }
    return WaveFile->OS;
  }

  /// With what waves of loaded code have left so far.
  KernelList counted() const {
    KernelList Result;
    for (const std::unique_ptr<KernelBranches> &Known : Kernels) {
      auto &K = Result.emplace_back(std::make_unique<KernelBranches>(*Known));
      for (const auto &[In, V] : Known->Versions)
        addTotals(*K, V);
    }
    return Result;
  }

  void onExit() override {
    std::lock_guard Guard(Lock);
    if (Kernels.empty())
      return;
    const KernelList All = counted();
    writeReport("branch-divergence.json", jsonOf(All));
    print(All);
    WaveFile.reset();
  }
};
LUTHIER_TOOL(BranchDivergence)

#endif // __HIP_DEVICE_COMPILE__
