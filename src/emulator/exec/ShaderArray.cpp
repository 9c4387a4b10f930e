// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/ShaderArray.h"
#include "emulator/core/Observer.h"
#include "emulator/exec/CodeCache.h"
#include "emulator/exec/FaultText.h"
#include "emulator/exec/HelperThreads.h"
#include "emulator/exec/Scheduler.h"
#include "emulator/isa/Operation.h"
#include <algorithm>
#include <chrono>
#include <deque>

namespace luthier::emulator {

namespace {

class EmulatedArray final : public ShaderArray {
public:
  EmulatedArray(const Target &T, Options Opts, AddressSpace &Memory)
      : T(T), Opts(std::move(Opts)), Memory(Memory) {}

  bool init(std::string &Error);

  std::optional<ExecutionFault> run(const Dispatch &D,
                                    DispatchCounts &Counts) override;
  void invalidateCode(uint64_t Begin, uint64_t End) override {
    Wide->invalidate(Begin, End);
    if (Narrow)
      Narrow->invalidate(Begin, End);
  }

private:
  uint64_t realTimeNow() const;
  void advanceClocks(const Scheduler::Shared &Ended);
  ExecutionFault describeWait(Scheduler::Shared &Shared, CodeCache &Code);
  std::unique_ptr<CodeCache> cache(unsigned WaveSize, std::string &Error);

  const Target &T;
  Options Opts;
  AddressSpace &Memory;
  /// Code decoded for waves of 64 and of 32 lanes.
  std::unique_ptr<CodeCache> Wide, Narrow;
  /// Keeps s_memtime growing from one dispatch to the next.
  std::atomic<uint64_t> Clock{1};
  /// The same for s_memrealtime: no dispatch begins before another one's end.
  std::atomic<uint64_t> LastRealTime{0};
  HelperThreads Helpers;
};

std::unique_ptr<CodeCache> EmulatedArray::cache(unsigned WaveSize,
                                                std::string &Error) {
  Decoder *D = Decoder::get(T, WaveSize, Error);
  if (!D)
    return nullptr;
  return std::make_unique<CodeCache>(*D, Memory, bool(Opts.Observe));
}

bool EmulatedArray::init(std::string &Error) {
  Wide = cache(64, Error);
  if (Wide && T.HasWave32)
    Narrow = cache(32, Error);
  return Wide && (Narrow || !T.HasWave32);
}

/// Called when all threads have ended.
ExecutionFault EmulatedArray::describeWait(Scheduler::Shared &Shared,
                                           CodeCache &Code) {
  const Dispatch &D = *Shared.Plan.D;
  std::string Message = D.KernelName + ": " + Shared.Stuck;
  if (uint64_t Left = Shared.numLeft())
    Message += ", and " + std::to_string(Left) +
               " workgroups have found no room to start";
  Message += describeWaits(std::move(Shared.Waiting), Code, D.EntryPC);
  return {Shared.StuckKind, D.EntryPC, 0, Message};
}

/// The host's own 100 MHz counter, unless dispatches have run ahead of it.
uint64_t EmulatedArray::realTimeNow() const {
  const auto Now = std::chrono::steady_clock::now().time_since_epoch();
  const auto Nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Now).count();
  return std::max(uint64_t(Nanoseconds) / 10, LastRealTime.load());
}

void EmulatedArray::advanceClocks(const Scheduler::Shared &Ended) {
  const uint64_t Duration = Ended.Time.Duration;
  Clock.fetch_add(Duration + 1);
  const uint64_t End = Ended.RealTime + Duration / CyclesPerRealTimeTick + 1;
  uint64_t Last = LastRealTime.load();
  while (Last < End && !LastRealTime.compare_exchange_weak(Last, End))
    ;
}

std::optional<ExecutionFault> EmulatedArray::run(const Dispatch &D,
                                                 DispatchCounts &Counts) {
  LaunchPlan Plan;
  Plan.ComputeUnits = Opts.ComputeUnits;
  Plan.ShaderEngines = Opts.ShaderEngines;
  Plan.ForgivesLds = Opts.ForgivesLds;
  std::string Error;
  if (!Plan.init(D, T, Memory, Error))
    return ExecutionFault{ExecutionFault::Kind::InvalidDispatch, D.EntryPC, 0,
                          D.KernelName + ": " + Error};
  CodeCache &Code = Plan.WaveSize == 32 ? *Narrow : *Wide;
  Scheduler::Shared Shared(Plan, Memory, Code, Opts.Interrupt, Opts.Seed,
                           Clock.load());
  Shared.Limits = &Opts;
  Shared.RealTime = realTimeNow();
  unsigned Threads = std::clamp(Opts.Threads, 1u, Plan.MaxResident);
  std::unique_ptr<DispatchObserver> Observer;
  if (Opts.Observe) {
    Observer = Opts.Observe(Plan);
    Shared.Observer = Observer.get();
    Shared.Run = operationSet().RunObserved;
    Threads = 1;
  }
  Threads = unsigned(std::min<uint64_t>(Threads, Plan.TotalWorkgroups));
  unsigned PerThread = Plan.MaxResident / Threads;
  unsigned Limit = Plan.ResidentLimit / Threads;
  auto Work = [&](unsigned Number) {
    Scheduler(Shared, Number * Limit, PerThread, Limit).run();
  };
  std::deque<HelperThreads::Task> Tasks;
  if (Threads > 1)
    Shared.StartOthers = [&] {
      for (unsigned N = 1; N < Threads; ++N) {
        Shared.join();
        if (Helpers.start(Tasks.emplace_back([&Work, N] { Work(N); })))
          continue;
        // The host has no more threads: it goes on with those there are.
        Shared.leave({}, {});
        Tasks.pop_back();
        return;
      }
    };
  Work(0);
  for (HelperThreads::Task &T : Tasks)
    Helpers.wait(T);
  Counts.WaveInstructions += Shared.Counts.WaveInstructions;
  Counts.LaneInstructions += Shared.Counts.LaneInstructions;
  Counts.Cycles += Shared.Time.cycles(Plan);
  advanceClocks(Shared);
  if (Shared.Fault)
    return describeFault(D, Code, *Shared.Fault);
  if (Shared.Stuck)
    return describeWait(Shared, Code);
  if (D.Cancel && D.Cancel->load())
    return ExecutionFault{ExecutionFault::Kind::Cancelled, D.EntryPC, 0,
                          D.KernelName + ": ended early"};
  return std::nullopt;
}

} // namespace

ShaderArray::~ShaderArray() = default;

std::unique_ptr<ShaderArray>
ShaderArray::create(Options Opts, AddressSpace &Memory, std::string &Error) {
  const Target *T = findTarget(Opts.Processor);
  if (!T) {
    Error = "processor " + Opts.Processor + " is not emulated";
    return nullptr;
  }
  auto Array = std::make_unique<EmulatedArray>(*T, std::move(Opts), Memory);
  if (!Array->init(Error))
    return nullptr;
  return Array;
}

} // namespace luthier::emulator
