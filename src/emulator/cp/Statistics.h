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

  /// A dispatch begins or ends at \p Now, in nanoseconds. Dispatches in several
  /// queues overlap, so what each took does not add up to how long the device
  /// was busy.
  void begin(uint64_t Now);
  void end(uint64_t Now);

  /// Whether no dispatch has ended.
  bool empty() const;
  /// A row for each kernel, sorted by name.
  void writeRows(llvm::json::OStream &Json, unsigned Device) const;
  /// Nanoseconds in which at least one dispatch was being executed.
  uint64_t busyTime() const;

private:
  struct Totals {
    uint64_t Dispatches = 0;
    DispatchCounts Counts;
    HostTime Time;
  };
  mutable std::mutex Mutex;
  std::map<std::string, Totals> Kernels;
  unsigned Running = 0;
  uint64_t BusySince = 0, BusyTime = 0;
};

/// Who has written a report.
struct ReportOrigin {
  int64_t Process = 0;
  std::string Ended; ///< Empty at the process's end.

  void write(llvm::json::OStream &Json) const;
};

/// {"process","ended","kernels":[{"name","device","dispatches",
/// "wave_instructions","lane_instructions","cycles","host_ns",
/// "host_thread_ns"}],"devices":[{"device","busy_ns"}]}; devices count from 0.
std::string statisticsJson(const std::vector<const Statistics *> &Devices,
                           const ReportOrigin &Origin = {});

/// "%p" in \p Path stands for the process id. False, with errno set, if the
/// file cannot be written. There is a whole file at any time.
bool writeReport(const std::string &Path, const std::string &Text);
/// The same before the end. Leaves devices, pipes and links alone, and says
/// nothing if it cannot.
void writeReportInBetween(const std::string &Path, const std::string &Text);
/// Gives the file that writeReport() has written a name that no other has, as
/// the process becomes another program, whose file has the same name. Returns
/// it; empty where "%p" does not tell processes apart.
std::string setReportAside(const std::string &Path);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_STATISTICS_H
