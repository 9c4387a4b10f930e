// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes reports in between, for processes that are killed: also while nothing
// is launched and a kernel runs for long.
#ifndef LUTHIER_RUNTIME_REPORTTHREAD_H
#define LUTHIER_RUNTIME_REPORTTHREAD_H

#include <functional>
#include <memory>

namespace luthier::runtime {

class ReportThread {
public:
  ReportThread();
  /// Stops it.
  ~ReportThread();
  ReportThread(const ReportThread &) = delete;
  ReportThread &operator=(const ReportThread &) = delete;

  /// From now on, has \p Write write a report as often as a ReportPace says, in
  /// a thread of its own. Does nothing the second time. Where there is no
  /// thread to be had, there are no such reports.
  void start(std::function<void()> Write);
  /// Returns when no report is being written; none is written any more.
  void stop();

private:
  struct State;
  /// The thread has a share of it.
  const std::shared_ptr<State> S;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_REPORTTHREAD_H
