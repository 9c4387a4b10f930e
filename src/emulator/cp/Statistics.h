// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device executed, per kernel name: the independent figure that tools'
// results are compared with.
#ifndef LUTHIER_EMULATOR_CP_STATISTICS_H
#define LUTHIER_EMULATOR_CP_STATISTICS_H

#include "emulator/exec/Dispatch.h"
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace llvm::json {
class OStream;
}

namespace luthier::emulator {

/// What a dispatch took to emulate, decoding included, in nanoseconds: elapsed,
/// and of the queue's own thread.
struct HostTime {
  uint64_t Elapsed = 0;
  uint64_t Thread = 0;
};

/// Thread-safe.
class Statistics {
public:
  void add(const std::string &KernelName, const DispatchCounts &Counts,
           HostTime Time = {});

  /// A row for each kernel, sorted by name.
  void writeRows(llvm::json::OStream &Json, unsigned Device) const;

private:
  struct Totals {
    uint64_t Dispatches = 0;
    DispatchCounts Counts;
    HostTime Time;
  };
  mutable std::mutex Mutex;
  std::map<std::string, Totals> Kernels;
};

/// {"kernels":[{"name","device","dispatches","wave_instructions",
/// "lane_instructions","cycles","host_ns","host_thread_ns"}]}; devices count
/// from 0.
std::string statisticsJson(const std::vector<const Statistics *> &Devices);

/// "%p" in \p Path stands for the process id. False, with errno set, if the
/// file cannot be written.
bool writeStatistics(const std::string &Path,
                     const std::vector<const Statistics *> &Devices);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_STATISTICS_H
