// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs dispatches: forms workgroups and waves, schedules them, executes their
// instructions. One object per device; used from any queue's thread.
#ifndef LUTHIER_EMULATOR_EXEC_SHADERARRAY_H
#define LUTHIER_EMULATOR_EXEC_SHADERARRAY_H

#include "emulator/exec/Dispatch.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace luthier::emulator {

class AddressSpace;
class DispatchObserver;
struct LaunchPlan;

/// Why a dispatch ended early. Never thrown across this interface.
struct ExecutionFault {
  enum class Kind {
    UnknownOperation,   ///< Decodes, but has no handler; names the operation.
    IllegalInstruction, ///< Does not decode for this device.
    MemoryViolation,    ///< Access outside mapped memory; Address says where.
    Misaligned,
    InvalidDispatch, ///< Does not fit a compute unit; Message says why.
    Trap,            ///< s_trap reached.
    Deadlock,        ///< All waves wait for one another.
    NoProgress,      ///< Ended by the watchdog, or after too many instructions.
    Cancelled,       ///< Dispatch::Cancel was set.
    Violation,       ///< Of a rule that an observer checks.
  };
  Kind What;
  uint64_t PC = 0;
  uint64_t Address = 0;
  /// Kernel, PC, instruction, and what is wrong; a line for each place where
  /// waves wait.
  std::string Message;
};

class ShaderArray {
public:
  struct Options {
    /// LLVM processor name, such as "gfx90a".
    std::string Processor;
    /// Order of waves and workgroups; equal seeds give equal schedules.
    uint64_t Seed = 0;
    /// Host threads to spread workgroups over; 1 makes atomics' order
    /// repeatable.
    unsigned Threads = 1;
    /// They limit how many workgroups are resident at a time.
    unsigned ComputeUnits = 8;
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
    std::function<std::unique_ptr<DispatchObserver>(const LaunchPlan &)>
        Observe;
  };

  /// \p Memory outlives the array. Fails, with a message, for a processor that
  /// is unknown or not emulated.
  static std::unique_ptr<ShaderArray> create(Options Opts, AddressSpace &Memory,
                                             std::string &Error);
  virtual ~ShaderArray();

  /// Runs \p D to its end. Thread-safe. Counts what was executed, also when it
  /// returns a fault.
  virtual std::optional<ExecutionFault> run(const Dispatch &D,
                                            DispatchCounts &Counts) = 0;

  /// Drops decoded instructions in [Begin, End): code was loaded or freed
  /// there.
  virtual void invalidateCode(uint64_t Begin, uint64_t End) = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_SHADERARRAY_H
