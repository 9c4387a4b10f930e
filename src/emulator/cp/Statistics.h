// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was executed, per kernel name: the independent figure that tools'
// results are compared with.
#ifndef LUTHIER_EMULATOR_CP_STATISTICS_H
#define LUTHIER_EMULATOR_CP_STATISTICS_H

#include "emulator/exec/Dispatch.h"
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace luthier::emulator {

/// Thread-safe.
class Statistics {
public:
  /// \p HostNanoseconds is what the dispatch took to emulate, decoding included.
  void add(const std::string &KernelName, const DispatchCounts &Counts,
           uint64_t HostNanoseconds = 0);

  /// {"kernels":[{"name","dispatches","wave_instructions",
  /// "lane_instructions","host_nanoseconds"}]}, sorted by name.
  std::string json() const;

  /// "%p" in \p Path stands for the process id. False, with errno set, if the
  /// file cannot be written.
  bool write(const std::string &Path) const;

private:
  struct Totals {
    uint64_t Dispatches = 0;
    DispatchCounts Counts;
    uint64_t HostNanoseconds = 0;
  };
  mutable std::mutex Mutex;
  std::map<std::string, Totals> Kernels;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_STATISTICS_H
