// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Execution.h"
#include "emulator/core/Observer.h"
#include <algorithm>

namespace luthier::emulator {

Execution::Execution(const LaunchPlan &Plan, const AddressSpace &Memory,
                     CodeCache &Code,
                     const std::function<void(uint32_t)> &Interrupt,
                     uint64_t Seed, uint64_t Clock, DispatchObserver *Observer)
    : S(Plan, Memory, Code, Interrupt, Seed, Clock), Code(Code),
      Thread(Memory, this->Code), Started(Plan.TotalWorkgroups) {
  S.Observer = Observer;
  if (Observer)
    S.Run = operationSet().RunObserved;
  Thread.Interrupt = &S.Interrupt;
  Thread.Clock = Thread.StartClock = Clock;
  // Nothing here depends on the host's time.
  Thread.StartRealTime = Clock / CyclesPerRealTimeTick;
  Thread.Observer = Observer;
  Thread.Sync = Plan.D->Sync;
  fill();
}

Execution::~Execution() {
  if (S.Observer)
    for (Resident &R : Groups)
      if (R.Running)
        S.Observer->workgroupEnded(*R.Group);
}

Execution::Resident *Execution::residentOf(uint64_t Wave) {
  const uint64_t Index = Wave / S.Plan.WavesPerWorkgroup;
  auto Found = std::ranges::find(Groups, Index, &Resident::Index);
  return Found == Groups.end() ? nullptr : &*Found;
}

Wave *Execution::wave(uint64_t Number) {
  Resident *R = residentOf(Number);
  return R ? &R->Group->Waves[Number % S.Plan.WavesPerWorkgroup] : nullptr;
}

bool Execution::hasStarted(uint64_t Number) const {
  return Started[Number / S.Plan.WavesPerWorkgroup];
}

void Execution::start(Resident &R, uint64_t Index) {
  R.Index = Index;
  R.Running = true;
  R.Group->start(Index, S.Seed, S.Places.take(Index));
  Started[Index] = true;
  if (S.Observer)
    S.Observer->workgroupStarted(*R.Group);
}

/// Those that have ended stay until their room is needed, so that their
/// registers can be read.
void Execution::fill() {
  for (Resident &R : Groups)
    if (R.Running && R.Group->finished()) {
      R.Running = false;
      S.Places.leave(R.Group->place());
      if (S.Observer)
        S.Observer->workgroupEnded(*R.Group);
    }
  for (Resident &R : Groups) {
    if (R.Running)
      continue;
    std::optional<uint64_t> Index = S.take();
    if (!Index)
      return;
    for (const Wave &W : R.Group->Waves) {
      Retired.WaveInstructions += W.WaveInstructions;
      Retired.LaneInstructions += W.LaneInstructions;
    }
    start(R, *Index);
  }
  while (Groups.size() < S.Plan.ResidentLimit) {
    std::optional<uint64_t> Index = S.take();
    if (!Index)
      return;
    auto Slot = unsigned(Groups.size() * S.Plan.WavesPerWorkgroup);
    Groups.push_back(
        {*Index, std::make_unique<Workgroup>(S.Plan, Thread, Slot), true});
    start(Groups.back(), *Index);
  }
}

bool Execution::finished() const {
  return !S.numLeft() && std::ranges::all_of(Groups, [](const Resident &R) {
    return R.Group->finished();
  });
}

bool Execution::isRunnable(const Wave &W) const {
  return W.Event == WaveEvent::None || W.Event == WaveEvent::Yield ||
         (W.Event == WaveEvent::SplitBarrier &&
          W.NumSplitPassed != W.Split->numCompleted()) ||
         (W.Event == WaveEvent::GlobalSync && Thread.Sync->mayPass(W.SyncWait));
}

/// After a wave has run: what that means for its workgroup.
void Execution::settle(Wave &W) {
  if (W.Event == WaveEvent::Fault) {
    if (!S.Fault)
      S.Fault =
          WaveFault{W.FaultKind, WaitingWave(W), W.FaultAddress, W.FaultDetail};
    return;
  }
  if (W.Event != WaveEvent::Ended && W.Event != WaveEvent::Barrier)
    return;
  for (Resident &R : Groups)
    if (&W >= R.Group->Waves.data() &&
        &W < R.Group->Waves.data() + R.Group->Waves.size()) {
      if (W.Event == WaveEvent::Ended)
        R.Group->waveEnded();
      R.Group->settleBarrier();
    }
}

uint64_t Execution::step(Wave &W, uint64_t Count) {
  const uint64_t Before = W.WaveInstructions;
  Thread.Memory.refresh();
  Code.refresh();
  while (W.WaveInstructions - Before < Count && isRunnable(W)) {
    if (W.Event == WaveEvent::SplitBarrier)
      W.passesSplitBarrier();
    W.Event = WaveEvent::None;
    // Steps from one page of code to the next use the budget up, too.
    const uint64_t Left = Count - (W.WaveInstructions - Before);
    constexpr uint64_t Most = 1 << 20;
    Thread.Clock -= W.Time.Cycles;
    S.Run(W, unsigned(std::min(Left, Most)));
    Thread.Clock += W.Time.Cycles;
    settle(W);
  }
  return W.WaveInstructions - Before;
}

std::vector<Wave *> Execution::running() {
  std::vector<Wave *> All;
  for (Resident &R : Groups) {
    const size_t NumWaves = R.Group->Waves.size();
    for (size_t N = 0; N != NumWaves; ++N) {
      Wave &W = R.Group->Waves[(N + S.Seed) % NumWaves];
      if (W.Event != WaveEvent::Ended)
        All.push_back(&W);
    }
  }
  return All;
}

Execution::Outcome Execution::runRound(uint64_t Slice) {
  fill();
  bool AnyRan = false;
  for (Wave *W : running()) {
    if (S.Fault)
      return Outcome::Faulted;
    if (isRunnable(*W))
      AnyRan |= step(*W, Slice) != 0;
  }
  if (S.Fault)
    return Outcome::Faulted;
  if (finished()) {
    fill();
    return Outcome::Ended;
  }
  if (AnyRan || (S.numLeft() && std::ranges::any_of(Groups, [](const auto &R) {
                   return R.Group->finished();
                 })))
    return Outcome::Paused;
  return Outcome::Stuck;
}

Execution::Outcome Execution::run() {
  constexpr uint64_t SliceLength = 4096;
  Outcome Result;
  do {
    Result = runRound(SliceLength);
  } while (Result == Outcome::Paused &&
           !(S.Plan.D->Cancel && S.Plan.D->Cancel->load()));
  return Result;
}

uint64_t Execution::numberOf(const Wave &W) const {
  const LaunchPlan &Plan = S.Plan;
  uint64_t Group = W.WorkgroupId[2];
  Group = Group * Plan.NumWorkgroups[1] + W.WorkgroupId[1];
  Group = Group * Plan.NumWorkgroups[0] + W.WorkgroupId[0];
  return Group * Plan.WavesPerWorkgroup + W.IdInWorkgroup;
}

Execution::Outcome Execution::runUntil(std::span<const uint64_t> Addresses,
                                       std::optional<uint64_t> &Stopped) {
  Stopped.reset();
  while (!finished()) {
    fill();
    bool AnyRan = false;
    for (Wave *W : running()) {
      // Long enough to get on, short enough for waves that poll.
      for (unsigned Left = 256; Left && isRunnable(*W); --Left) {
        AnyRan |= step(*W, 1) != 0;
        if (S.Fault)
          return Outcome::Faulted;
        if (W->Event != WaveEvent::Ended &&
            std::ranges::find(Addresses, W->PC) != Addresses.end()) {
          Stopped = numberOf(*W);
          return Outcome::Paused;
        }
      }
    }
    if (!AnyRan && !finished())
      return Outcome::Stuck;
  }
  fill();
  return Outcome::Ended;
}

DispatchCounts Execution::counts() const {
  DispatchCounts Sum = Retired;
  for (const Resident &R : Groups)
    for (const Wave &W : R.Group->Waves) {
      Sum.WaveInstructions += W.WaveInstructions;
      Sum.LaneInstructions += W.LaneInstructions;
    }
  return Sum;
}

std::vector<WaitingWave> Execution::waiting() const {
  std::vector<WaitingWave> All;
  for (const Resident &R : Groups)
    for (const Wave &W : R.Group->Waves)
      if (W.Event != WaveEvent::Ended)
        All.emplace_back(W);
  return All;
}

} // namespace luthier::emulator
