// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs dispatches: forms workgroups and waves, schedules them, executes their
// instructions. One object per device; used from any queue's thread.
#ifndef LUTHIER_EMULATOR_EXEC_SHADERARRAY_H
#define LUTHIER_EMULATOR_EXEC_SHADERARRAY_H

#include "emulator/core/ExecutionFault.h"
#include "emulator/exec/ArrayOptions.h"
#include "emulator/exec/Dispatch.h"
#include <memory>
#include <optional>
#include <string>

namespace luthier::emulator {

class AddressSpace;

class ShaderArray {
public:
  using Options = ArrayOptions;

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
