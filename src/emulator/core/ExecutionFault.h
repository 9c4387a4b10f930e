// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a dispatch ended early.
#ifndef LUTHIER_EMULATOR_CORE_EXECUTIONFAULT_H
#define LUTHIER_EMULATOR_CORE_EXECUTIONFAULT_H

#include <cstdint>
#include <string>

namespace luthier::emulator {

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

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_EXECUTIONFAULT_H
