// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One host thread's share of a dispatch: takes workgroups in their order and
// runs the waves of those that it has in time slices, in the seeded order.
#ifndef LUTHIER_EMULATOR_EXEC_SCHEDULER_H
#define LUTHIER_EMULATOR_EXEC_SCHEDULER_H

#include "emulator/exec/ArrayOptions.h"
#include "emulator/exec/CodeCache.h"
#include "emulator/exec/DispatchTime.h"
#include "emulator/exec/WaitingWaves.h"
#include "emulator/exec/Watchdog.h"
#include "emulator/exec/Workgroup.h"
#include "emulator/isa/Operation.h"
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <random>

namespace luthier::emulator {

class DispatchObserver;

struct WaveFault {
  ExecutionFault::Kind Kind;
  WaitingWave Where;
  uint64_t Address;
  const char *Detail;
};

class Scheduler {
public:
  /// State all threads of a dispatch share.
  struct Shared {
    Shared(const LaunchPlan &Plan, const AddressSpace &Memory, CodeCache &Code,
           const std::function<void(uint32_t)> &Interrupt, uint64_t Seed,
           uint64_t Clock);

    /// The next workgroup to start. In order, whatever the seed: code that
    /// waits for a workgroup before its own is right on hardware, which starts
    /// them so.
    std::optional<uint64_t> take();
    /// Workgroups that nobody has taken yet.
    uint64_t numLeft() const;

    bool stopped() const {
      return Stop.load(std::memory_order_relaxed) ||
             (Plan.D->Cancel &&
              Plan.D->Cancel->load(std::memory_order_relaxed));
    }
    /// Whether no thread can go on. Each says once per \p Version of the global
    /// sync's state that it cannot.
    bool isDeadlock(uint64_t Version, bool SaysItFirst);
    /// Ends the dispatch.
    void giveUp(ExecutionFault::Kind Kind, const char *Why);
    /// One more thread will have workgroups.
    void join() {
      std::lock_guard Lock(Mutex);
      ++NumActive;
    }
    /// A thread has no workgroups any more; its share of the sums.
    void leave(const DispatchCounts &Part, const DispatchTime &PartTime);

    const LaunchPlan &Plan;
    UnitPlaces Places;
    const AddressSpace &Memory;
    CodeCache &Code;
    const std::function<void(uint32_t)> &Interrupt;
    uint64_t Seed;
    uint64_t Clock;
    /// The 100 MHz counter at the dispatch's begin.
    uint64_t RealTime = 0;

    /// Set before any thread starts.
    RunLoop Run = operationSet().Run;
    DispatchObserver *Observer = nullptr;
    /// Watchdog and instruction limit; null for none.
    const ArrayOptions *Limits = nullptr;

    std::mutex Mutex;
    DispatchCounts Counts;
    DispatchTime Time;
    std::optional<WaveFault> Fault;
    std::atomic<bool> Stop{false};
    /// Threads that still have workgroups.
    unsigned NumActive = 1;
    /// Starts the others, which the first thread calls, and empties, when that
    /// pays; empty where there are none.
    std::function<void()> StartOthers;
    /// Why no wave gets on, and where they are.
    const char *Stuck = nullptr;
    ExecutionFault::Kind StuckKind{};
    std::vector<WaitingWave> Waiting;
    std::atomic<bool> HasReported{false};

  private:
    unsigned NumBlocked = 0;
    uint64_t BlockedVersion = 0;
    std::atomic<uint64_t> Next{0};
  };

  /// Keeps \p NumResident workgroups going, and up to \p Limit when those do
  /// not end. They own the scratch slots from \p FirstResident workgroups on.
  Scheduler(Shared &S, unsigned FirstResident, unsigned NumResident,
            unsigned Limit);
  void run();

private:
  void fill();
  void startWorkgroup(Workgroup &Group, uint64_t Index);
  /// False if no wave could run.
  bool runSlices(Workgroup &Group);
  bool makeReady(Wave &W) const;
  unsigned nextSlice();
  void retire(size_t Position);
  bool grow();
  void callOthers(bool IsStuck);
  void waitForOthers(uint64_t Version);
  void watch();
  void collect(Workgroup &Group);
  void noteWaiting(const Wave &W);
  void report(const Wave &W);

  Shared &S;
  CodeView Code;
  ThreadContext Thread;
  Watchdog Dog;
  /// Wave instructions of this thread, and workgroups it is done with.
  uint64_t NumExecuted = 0, NumRetired = 0;
  unsigned FirstResident, NumResident, Limit, Created = 0;
  std::vector<std::unique_ptr<Workgroup>> Resident, Idle;
  /// This thread's share of those in Shared.
  DispatchCounts Counts;
  DispatchTime Time;
  std::optional<uint64_t> BlockedAt;
  /// Decides what else a schedule leaves open; unused for seed 0.
  std::minstd_rand Random;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_SCHEDULER_H
