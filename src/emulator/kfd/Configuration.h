// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment variables that configure the emulated GPU.
#ifndef LUTHIER_EMULATOR_KFD_CONFIGURATION_H
#define LUTHIER_EMULATOR_KFD_CONFIGURATION_H

#include "emulator/cp/DeviceModel.h"
#include "emulator/strict/Options.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace luthier::emulator {

/// ROCr's address space for a GPU's memory; it aborts at more.
inline constexpr uint64_t MostMemoryBytes = uint64_t(1) << 40;

struct Configuration {
  /// LUTHIER_EMULATED_GPU, one or more.
  std::vector<const DeviceModel *> Models;
  /// LUTHIER_EMULATED_MEMORY, in MiB there: what each device has.
  uint64_t LocalMemoryBytes = uint64_t(8) << 30;
  /// LUTHIER_EMULATOR_SEED and LUTHIER_EMULATOR_THREADS.
  uint64_t Seed = 0;
  unsigned Threads = 1;
  /// LUTHIER_EMULATOR_STRICT.
  strict::Options Strict;
  /// LUTHIER_EMULATOR_WATCHDOG: seconds, and ",report".
  uint64_t WatchdogSeconds = 60;
  bool WatchdogOnlyReports = false;
  /// LUTHIER_EMULATOR_INSTRUCTION_LIMIT.
  uint64_t InstructionLimit = 0;
  /// LUTHIER_EMULATOR_STATS; empty for none. Absolute, since the program may
  /// change its folder before it ends.
  std::string StatisticsPath;
  /// LUTHIER_EMULATOR_COUNTS, likewise.
  std::string CountsPath;
  /// LUTHIER_VERIFY: where verification reports to; empty for none. And
  /// LUTHIER_VERIFY_TIMEOUT: seconds for one dispatch.
  std::string VerifyPath;
  uint64_t VerifySeconds = 600;

  /// Nothing, with one line in \p Error, if a variable makes no sense.
  static std::optional<Configuration> fromEnvironment(std::string &Error);
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_CONFIGURATION_H
