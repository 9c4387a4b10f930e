// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Scheduler.h"
#include "emulator/core/Observer.h"
#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

namespace luthier::emulator {

namespace {
/// Long enough to keep a wave's registers in the cache, short enough for waves
/// that wait for each other in a loop. A prime, so that slices end all over a
/// loop and the watchdog sees all of its states.
constexpr unsigned SliceLength = 4093;
/// Rounds of slices in which no workgroup ended, after which more may start.
constexpr unsigned RoundsBeforeMore = 64;
/// Wave instructions that take longer than it does to wake a thread and have
/// its caches filled.
constexpr uint64_t WorthThreads = 8'000;
} // namespace

Scheduler::Shared::Shared(const LaunchPlan &Plan, const AddressSpace &Memory,
                          CodeCache &Code,
                          const std::function<void(uint32_t)> &Interrupt,
                          uint64_t Seed, uint64_t Clock)
    : Plan(Plan), Places(Plan.Units.size(), Plan.WorkgroupsPerUnit),
      Memory(Memory), Code(Code), Interrupt(Interrupt), Seed(Seed),
      Clock(Clock) {}

std::optional<uint64_t> Scheduler::Shared::take() {
  uint64_t Number = Next.fetch_add(1, std::memory_order_relaxed);
  return Number < Plan.TotalWorkgroups ? std::optional(Number) : std::nullopt;
}

uint64_t Scheduler::Shared::numLeft() const {
  uint64_t Taken = Next.load(std::memory_order_relaxed);
  return Plan.TotalWorkgroups - std::min(Taken, Plan.TotalWorkgroups);
}

bool Scheduler::Shared::isDeadlock(uint64_t Version, bool SaysItFirst) {
  std::lock_guard Lock(Mutex);
  // An older version: others have seen that there is more to do.
  if (Version < BlockedVersion)
    return false;
  if (Version > BlockedVersion) {
    BlockedVersion = Version;
    NumBlocked = 0;
  }
  NumBlocked += SaysItFirst;
  if (NumBlocked != NumActive ||
      (Plan.D->Sync && Plan.D->Sync->numChanges() != Version))
    return false;
  Stuck = "all waves wait for one another";
  StuckKind = ExecutionFault::Kind::Deadlock;
  Stop.store(true, std::memory_order_relaxed);
  return true;
}

void Scheduler::Shared::giveUp(ExecutionFault::Kind Kind, const char *Why) {
  std::lock_guard Lock(Mutex);
  if (!Stuck) {
    Stuck = Why;
    StuckKind = Kind;
  }
  Stop.store(true, std::memory_order_relaxed);
}

void Scheduler::Shared::leave(const DispatchCounts &Part,
                              const DispatchTime &PartTime) {
  std::lock_guard Lock(Mutex);
  --NumActive;
  Counts.WaveInstructions += Part.WaveInstructions;
  Counts.LaneInstructions += Part.LaneInstructions;
  Time.add(PartTime);
}

Scheduler::Scheduler(Shared &S, unsigned FirstResident, unsigned NumResident,
                     unsigned Limit)
    : S(S), Code(S.Code), Thread(S.Memory, Code),
      Dog(S.Limits ? S.Limits->WatchdogNanoseconds : 0, S.Plan),
      FirstResident(FirstResident), NumResident(NumResident), Limit(Limit),
      Random(uint32_t((S.Seed + FirstResident) * 0x9e3779b97f4a7c15 >> 32)) {
  // How many workgroups mix is up to the seed too, rather many than few: they
  // start in order, so only those that mix can overtake one another.
  if (S.Seed) {
    const unsigned Drawn = Random();
    this->NumResident =
        1 + std::max(Drawn % NumResident, Drawn / NumResident % NumResident);
  }
  Thread.Interrupt = &S.Interrupt;
  Thread.Clock = Thread.StartClock = S.Clock;
  Thread.StartRealTime = S.RealTime;
  Thread.Observer = S.Observer;
  Thread.Sync = S.Plan.D->Sync;
}

void Scheduler::run() {
  unsigned FruitlessRounds = 0;
  while (!S.stopped()) {
    fill();
    if (Resident.empty() || S.stopped())
      break;
    const uint64_t Version = Thread.Sync ? Thread.Sync->numChanges() : 0;
    const size_t Before = Resident.size();
    // Of those that have started, any may be the first to get on.
    if (S.Seed)
      std::shuffle(Resident.begin(), Resident.end(), Random);
    bool AnyRan = false;
    for (size_t N = 0; N != Resident.size();) {
      AnyRan |= runSlices(*Resident[N]);
      if (Resident[N]->finished())
        retire(N);
      else
        ++N;
    }
    callOthers(!AnyRan);
    if (Resident.size() != Before)
      FruitlessRounds = 0;
    else if (!AnyRan && !grow())
      waitForOthers(Version);
    else if (++FruitlessRounds % RoundsBeforeMore == 0)
      grow();
    watch();
  }
  for (auto &Group : Resident)
    collect(*Group);
  S.leave(Counts, Time);
}

/// A new workgroup starts as soon as another one leaves room for it.
void Scheduler::fill() {
  while (Resident.size() < NumResident && !S.stopped()) {
    auto Index = S.take();
    if (!Index)
      return;
    if (Idle.empty()) {
      unsigned Slot = (FirstResident + Created++) * S.Plan.WavesPerWorkgroup;
      Idle.push_back(std::make_unique<Workgroup>(S.Plan, Thread, Slot));
    }
    startWorkgroup(*Idle.back(), *Index);
    Resident.push_back(std::move(Idle.back()));
    Idle.pop_back();
    if (S.Seed)
      continue;
    // In the common case a workgroup runs to its end on its own.
    runSlices(*Resident.back());
    if (Resident.back()->finished())
      retire(Resident.size() - 1);
    callOthers(false);
  }
}

/// What is left should be like what was. Those that are stuck may wait for one
/// of the workgroups that the others have room for.
void Scheduler::callOthers(bool IsStuck) {
  const bool IsFirst = FirstResident == 0;
  if (!IsFirst || !S.StartOthers)
    return;
  const uint64_t Expected =
      NumExecuted / std::max<uint64_t>(1, NumRetired) * S.numLeft();
  if (Expected > WorthThreads || (IsStuck && S.numLeft()))
    std::exchange(S.StartOthers, nullptr)();
}

void Scheduler::retire(size_t Position) {
  Watchdog::noteProgress();
  ++NumRetired;
  collect(*Resident[Position]);
  S.Places.leave(Resident[Position]->place());
  Idle.push_back(std::move(Resident[Position]));
  Resident.erase(Resident.begin() + long(Position));
}

/// Those that run may wait for one that has not started.
bool Scheduler::grow() {
  if (NumResident == Limit || !S.numLeft())
    return false;
  NumResident = std::min(NumResident * 2, Limit);
  return true;
}

/// All our waves wait. Other threads' waves may end that.
void Scheduler::waitForOthers(uint64_t Version) {
  const bool SaysItFirst = BlockedAt != Version;
  BlockedAt = Version;
  if (!S.isDeadlock(Version, SaysItFirst))
    std::this_thread::sleep_for(std::chrono::microseconds(20));
}

void Scheduler::watch() {
  using Kind = ExecutionFault::Kind;
  if (!Dog.seesNoProgress(Resident))
    return;
  static constexpr char Why[] = "the watchdog sees no progress";
  if (!S.Limits->WatchdogOnlyReports)
    return S.giveUp(Kind::NoProgress, Why);
  if (S.HasReported.exchange(true) || !S.Limits->Report)
    return;
  std::vector<WaitingWave> Ours;
  for (const auto &Group : Resident)
    for (const Wave &W : Group->Waves)
      if (W.Event != WaveEvent::Ended)
        Ours.emplace_back(W);
  S.Limits->Report(S.Plan.D->KernelName + ": " + Why +
                   describeWaits(std::move(Ours), S.Code, S.Plan.D->EntryPC));
}

bool Scheduler::makeReady(Wave &W) const {
  const bool Waited =
      W.Event == WaveEvent::Yield ||
      (W.Event == WaveEvent::GlobalSync && Thread.Sync->mayPass(W.SyncWait));
  if (Waited)
    W.Event = WaveEvent::None;
  return W.Event == WaveEvent::None;
}

/// Instructions that a wave may run before another one's turn. Seeds make it
/// anything from one, which finds what breaks between any two instructions, to
/// so many that one wave is done before the next begins.
unsigned Scheduler::nextSlice() {
  if (!S.Seed)
    return SliceLength;
  constexpr unsigned Bounds[] = {1, 4, 8, 64, 512, SliceLength};
  return 1 + unsigned(Random() % Bounds[Random() % std::size(Bounds)]);
}

/// Gives every runnable wave a slice, then lets waves pass a barrier that all
/// have reached. Repeats while barriers are what ended the slices.
bool Scheduler::runSlices(Workgroup &Group) {
  bool AnyRan = false, OnlyBarriers = true;
  for (bool Ran = true;
       Ran && OnlyBarriers && Group.NumRunning && !S.stopped();) {
    Thread.Memory.refresh();
    Code.refresh();
    Ran = false;
    size_t NumWaves = Group.Waves.size();
    size_t First = S.Seed ? Random() % NumWaves : 0;
    bool Backwards = S.Seed && Random() % 2;
    for (size_t N = 0; N != NumWaves; ++N) {
      size_t Position = (First + N) % NumWaves;
      Wave &W = Group.Waves[Backwards ? NumWaves - 1 - Position : Position];
      if (!makeReady(W))
        continue;
      Ran = AnyRan = true;
      // The clock a wave sees is Thread.Clock plus its own time.
      Thread.Clock -= W.Time.Cycles;
      NumExecuted -= W.WaveInstructions;
      S.Run(W, nextSlice());
      Thread.Clock += W.Time.Cycles;
      NumExecuted += W.WaveInstructions;
      if (W.Event == WaveEvent::Ended)
        Group.waveEnded();
      else if (W.Event == WaveEvent::Fault) {
        report(W);
        return true;
      } else if (W.Event != WaveEvent::Barrier &&
                 W.Event != WaveEvent::SplitBarrier &&
                 W.Event != WaveEvent::GlobalSync)
        OnlyBarriers = false;
    }
    Group.settleBarrier();
  }
  const uint64_t Most = S.Limits ? S.Limits->InstructionLimit : 0;
  if (Most && NumExecuted > Most)
    S.giveUp(ExecutionFault::Kind::NoProgress,
             "more instructions than LUTHIER_EMULATOR_INSTRUCTION_LIMIT");
  return AnyRan;
}

void Scheduler::startWorkgroup(Workgroup &Group, uint64_t Index) {
  Group.start(Index, S.Seed, S.Places.take(Index));
  if (S.Observer)
    S.Observer->workgroupStarted(Group);
}

void Scheduler::collect(Workgroup &Group) {
  if (S.Observer)
    S.Observer->workgroupEnded(Group);
  for (const Wave &W : Group.Waves) {
    if (W.Event != WaveEvent::Ended)
      noteWaiting(W);
    Counts.WaveInstructions += W.WaveInstructions;
    Counts.LaneInstructions += W.LaneInstructions;
    if (W.WaveInstructions)
      Time.add(W.Time);
  }
}

/// For the report of a dispatch that did not get on.
void Scheduler::noteWaiting(const Wave &W) {
  std::lock_guard Lock(S.Mutex);
  if (S.Stuck)
    S.Waiting.emplace_back(W);
}

void Scheduler::report(const Wave &W) {
  std::lock_guard Lock(S.Mutex);
  if (!S.Fault)
    S.Fault =
        WaveFault{W.FaultKind, WaitingWave(W), W.FaultAddress, W.FaultDetail};
  S.Stop.store(true, std::memory_order_relaxed);
}

} // namespace luthier::emulator
