// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dispatch that can be stopped anywhere: its waves run only when told to, on
// the caller's thread. Workgroups start in the scheduler's order as there is
// room for them.
#ifndef LUTHIER_EMULATOR_EXEC_EXECUTION_H
#define LUTHIER_EMULATOR_EXEC_EXECUTION_H

#include "emulator/exec/Scheduler.h"
#include <span>

namespace luthier::emulator {

class Execution {
public:
  /// \p Plan, \p Memory, \p Code, \p Interrupt and \p Observer (which may be
  /// null) outlive the execution. With an observer, \p Code describes.
  Execution(const LaunchPlan &Plan, const AddressSpace &Memory, CodeCache &Code,
            const std::function<void(uint32_t)> &Interrupt, uint64_t Seed,
            uint64_t Clock, DispatchObserver *Observer = nullptr);
  ~Execution();

  uint64_t numWaves() const {
    return S.Plan.TotalWorkgroups * S.Plan.WavesPerWorkgroup;
  }
  /// Wave N of workgroup G is number G * WavesPerWorkgroup + N. Null unless it
  /// has started and its registers are still there.
  Wave *wave(uint64_t Number);
  bool hasStarted(uint64_t Number) const;
  uint64_t numberOf(const Wave &W) const;

  /// Executes up to \p Count instructions of \p W, and returns how many it was:
  /// fewer when the wave ends, faults, or waits for others.
  uint64_t step(Wave &W, uint64_t Count);
  bool isRunnable(const Wave &W) const;

  enum class Outcome { Paused, Ended, Faulted, Stuck };
  /// Gives every wave that can run \p Slice instructions.
  Outcome runRound(uint64_t Slice);
  Outcome run();
  /// Until a wave is about to execute one of \p Addresses, after at least one
  /// instruction; \p Stopped is its number. Nobody then has gone further.
  Outcome runUntil(std::span<const uint64_t> Addresses,
                   std::optional<uint64_t> &Stopped);

  /// Waves that have started and not ended, in the order of their turns.
  std::vector<Wave *> running();
  /// Retires workgroups that have ended and starts others in their place.
  void fill();
  bool finished() const;

  /// Also of waves that still run.
  DispatchCounts counts() const;
  /// Set once a wave has faulted.
  const std::optional<WaveFault> &fault() const { return S.Fault; }
  std::vector<WaitingWave> waiting() const;
  uint64_t clock() const { return Thread.Clock; }

private:
  struct Resident {
    uint64_t Index;
    std::unique_ptr<Workgroup> Group;
    bool Running;
  };
  Resident *residentOf(uint64_t Wave);
  void start(Resident &R, uint64_t Index);
  void settle(Wave &W);

  Scheduler::Shared S;
  CodeView Code;
  ThreadContext Thread;
  std::vector<Resident> Groups;
  std::vector<bool> Started;
  DispatchCounts Retired;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_EXECUTION_H
