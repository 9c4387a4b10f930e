// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Scheduler.h"
#include "emulator/exec/Observer.h"
#include <numeric>

namespace luthier::emulator {

namespace {
/// Long enough to keep a wave's registers in the cache, short enough for waves
/// that wait for each other in a loop.
constexpr unsigned SliceLength = 4096;
} // namespace

Scheduler::Shared::Shared(const LaunchPlan &Plan, const AddressSpace &Memory,
                          CodeCache &Code,
                          const std::function<void(uint32_t)> &Interrupt,
                          uint64_t Seed, uint64_t Clock)
    : Plan(Plan), Memory(Memory), Code(Code), Interrupt(Interrupt), Seed(Seed),
      Clock(Clock) {
  uint64_t Total = Plan.TotalWorkgroups;
  if (Seed == 0 || Total < 3)
    return;
  // Any stride without a common factor visits every workgroup once.
  Offset = Seed % Total;
  Stride = Seed * 0x9e3779b97f4a7c15 % Total;
  while (Stride < 2 || std::gcd(Stride, Total) != 1)
    Stride = Stride + 1 < Total ? Stride + 1 : 1;
}

std::optional<uint64_t> Scheduler::Shared::take() {
  uint64_t Number = Next.fetch_add(1, std::memory_order_relaxed);
  uint64_t Total = Plan.TotalWorkgroups;
  if (Number >= Total)
    return std::nullopt;
  auto Position = static_cast<unsigned __int128>(Number) * Stride + Offset;
  return uint64_t(Position % Total);
}

Scheduler::Scheduler(Shared &S, unsigned FirstResident, unsigned NumResident)
    : S(S), Code(S.Code), Thread(S.Memory, Code), FirstResident(FirstResident),
      NumResident(NumResident) {
  Thread.Interrupt = &S.Interrupt;
  Thread.Clock = S.Clock;
  Thread.Observer = S.Observer;
}

void Scheduler::run() {
  std::vector<std::unique_ptr<Workgroup>> Resident, Idle;
  unsigned Created = 0;
  while (!S.Stop.load(std::memory_order_relaxed)) {
    // A new workgroup starts as soon as another one leaves room for it.
    while (Resident.size() < NumResident) {
      auto Index = S.take();
      if (!Index)
        break;
      if (Idle.empty()) {
        unsigned Slot = (FirstResident + Created++) * S.Plan.WavesPerWorkgroup;
        Idle.push_back(std::make_unique<Workgroup>(S.Plan, Thread, Slot));
      }
      startWorkgroup(*Idle.back(), *Index);
      Resident.push_back(std::move(Idle.back()));
      Idle.pop_back();
      // In the common case a workgroup runs to its end on its own.
      runSlices(*Resident.back());
      if (Resident.back()->finished()) {
        collect(*Resident.back());
        Idle.push_back(std::move(Resident.back()));
        Resident.pop_back();
      }
      if (S.Stop.load(std::memory_order_relaxed))
        break;
    }
    if (Resident.empty())
      return;
    for (size_t N = 0; N != Resident.size();) {
      runSlices(*Resident[N]);
      if (!Resident[N]->finished()) {
        ++N;
        continue;
      }
      collect(*Resident[N]);
      Idle.push_back(std::move(Resident[N]));
      Resident.erase(Resident.begin() + long(N));
    }
  }
  for (auto &Group : Resident)
    collect(*Group);
}

/// Gives every runnable wave a slice, then lets waves pass a barrier that all
/// have reached. Repeats while barriers are what ended the slices.
void Scheduler::runSlices(Workgroup &Group) {
  bool OnlyBarriers = true;
  while (OnlyBarriers && Group.NumRunning &&
         !S.Stop.load(std::memory_order_relaxed)) {
    Thread.Memory.refresh();
    Code.refresh();
    size_t NumWaves = Group.Waves.size();
    for (size_t N = 0; N != NumWaves; ++N) {
      // The seed also decides which wave of a workgroup goes first.
      Wave &W = Group.Waves[(N + S.Seed) % NumWaves];
      if (W.Event != WaveEvent::None)
        continue;
      // The clock a wave sees is Thread.Clock plus its own count.
      Thread.Clock -= W.WaveInstructions;
      S.Run(W, SliceLength);
      Thread.Clock += W.WaveInstructions;
      if (W.Event == WaveEvent::Ended)
        --Group.NumRunning;
      else if (W.Event == WaveEvent::Fault)
        return report(W);
      else if (W.Event != WaveEvent::Barrier)
        OnlyBarriers = false;
      if (W.Event == WaveEvent::Yield)
        W.Event = WaveEvent::None;
    }
    Group.settleBarrier();
  }
}

void Scheduler::startWorkgroup(Workgroup &Group, uint64_t Index) {
  Group.start(Index, S.Seed);
  if (S.Observer)
    S.Observer->workgroupStarted(Group);
}

void Scheduler::collect(Workgroup &Group) {
  if (S.Observer)
    S.Observer->workgroupEnded(Group);
  std::lock_guard Lock(S.Mutex);
  for (const Wave &W : Group.Waves) {
    S.Counts.WaveInstructions += W.WaveInstructions;
    S.Counts.LaneInstructions += W.LaneInstructions;
  }
}

void Scheduler::report(const Wave &W) {
  std::lock_guard Lock(S.Mutex);
  if (!S.Fault)
    S.Fault = WaveFault{W.FaultKind, W.PC, W.FaultAddress, W.FaultDetail};
  S.Stop.store(true, std::memory_order_relaxed);
}

} // namespace luthier::emulator
