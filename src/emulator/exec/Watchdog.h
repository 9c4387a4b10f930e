// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notices dispatches that make no progress. A wave has made progress when its
// registers, its program counter or its workgroup's LDS are as they were never
// seen before. In a loop that waits for memory to change they only repeat.
#ifndef LUTHIER_EMULATOR_EXEC_WATCHDOG_H
#define LUTHIER_EMULATOR_EXEC_WATCHDOG_H

#include "emulator/exec/Workgroup.h"
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

namespace luthier::emulator {

/// Watches the workgroups of one host thread.
class Watchdog {
public:
  /// \p Patience in nanoseconds of host time; 0 means never to look.
  Watchdog(uint64_t Patience, const LaunchPlan &Plan);

  /// To be called now and then. True when nothing new was seen for so long, be
  /// it here or anywhere else on an emulated device of this process.
  bool seesNoProgress(const std::vector<std::unique_ptr<Workgroup>> &Resident);

  /// Something has been completed, for which others may have waited.
  static void noteProgress();

private:
  bool seesAnythingNew(const std::vector<std::unique_ptr<Workgroup>> &Resident);

  const uint64_t Patience, Period;
  const LaunchPlan &Plan;
  unsigned CallsToSkip = 0;
  uint64_t NextLook = 0, LastProgress = 0, SeenElsewhere = 0;
  /// Hashes of the states that waves were seen in.
  std::unordered_set<uint64_t> Known;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_EXEC_WATCHDOG_H
