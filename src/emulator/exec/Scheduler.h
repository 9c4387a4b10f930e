// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One host thread's share of a dispatch: takes workgroups in the seeded order
// and runs their waves in time slices.
#ifndef LUTHIER_EMULATOR_EXEC_SCHEDULER_H
#define LUTHIER_EMULATOR_EXEC_SCHEDULER_H

#include "emulator/exec/CodeCache.h"
#include "emulator/exec/Workgroup.h"
#include "emulator/isa/Operation.h"
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>

namespace luthier::emulator {

class DispatchObserver;

struct WaveFault {
  ExecutionFault::Kind Kind;
  uint64_t PC;
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

    /// The next workgroup to start, in the seeded order.
    std::optional<uint64_t> take();

    const LaunchPlan &Plan;
    const AddressSpace &Memory;
    CodeCache &Code;
    const std::function<void(uint32_t)> &Interrupt;
    uint64_t Seed;
    uint64_t Clock;

    /// Set before any thread starts.
    RunLoop Run = operationSet().Run;
    DispatchObserver *Observer = nullptr;

    std::mutex Mutex;
    DispatchCounts Counts;
    std::optional<WaveFault> Fault;
    std::atomic<bool> Stop{false};

  private:
    std::atomic<uint64_t> Next{0};
    /// Workgroup N of the order is (N * Stride + Offset) mod the total.
    uint64_t Stride = 1, Offset = 0;
  };

  /// Keeps \p NumResident workgroups going, which own the scratch slots from
  /// \p FirstResident workgroups on.
  Scheduler(Shared &S, unsigned FirstResident, unsigned NumResident);
  void run();

private:
  void startWorkgroup(Workgroup &Group, uint64_t Index);
  void runSlices(Workgroup &Group);
  void collect(Workgroup &Group);
  void report(const Wave &W);

  Shared &S;
  CodeView Code;
  ThreadContext Thread;
  unsigned FirstResident, NumResident;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_SCHEDULER_H
