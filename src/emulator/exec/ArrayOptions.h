// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a device's shader array runs dispatches.
#ifndef LUTHIER_EMULATOR_EXEC_ARRAYOPTIONS_H
#define LUTHIER_EMULATOR_EXEC_ARRAYOPTIONS_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace luthier::emulator {

class DispatchObserver;
struct LaunchPlan;

struct ArrayOptions {
  /// LLVM processor name, such as "gfx90a".
  std::string Processor;
  /// Order of waves that have started; equal seeds give equal schedules.
  uint64_t Seed = 0;
  /// Host threads to spread workgroups over; 1 makes atomics' order
  /// repeatable.
  unsigned Threads = 1;
  /// They limit how many workgroups are resident at a time.
  unsigned ComputeUnits = 8;
  /// What the units are in, evenly.
  unsigned ShaderEngines = 2;
  /// As on hardware, LDS operations behind a workgroup's allocation read zero
  /// and write nothing. Otherwise what the packet did not ask for is a fault.
  bool ForgivesLds = false;
  /// Host time without any progress after which a dispatch is ended, or only
  /// reported; 0 for never.
  uint64_t WatchdogNanoseconds = 0;
  bool WatchdogOnlyReports = false;
  /// Wave instructions after which a dispatch is ended; 0 for no limit.
  uint64_t InstructionLimit = 0;
  /// Takes messages about dispatches that go on. May be empty.
  std::function<void(const std::string &)> Report;
  /// Called for s_sendmsg MSG_INTERRUPT with M0: device code has set a
  /// signal and its event mailbox (host calls do). May be empty.
  std::function<void(uint32_t M0)> Interrupt;
  /// Gives each dispatch its observer; such dispatches run on one thread. May
  /// be empty. The plan outlives the observer.
  std::function<std::unique_ptr<DispatchObserver>(const LaunchPlan &)> Observe;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_ARRAYOPTIONS_H
