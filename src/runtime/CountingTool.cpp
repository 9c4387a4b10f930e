// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/CountingTool.h"
#include "luthier/Instrument.h"
#include "runtime/Log.h"
#include "runtime/ReportThread.h"
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

using namespace llvm;

namespace luthier {

struct CountingTool::Impl {
  struct Row {
    uint32_t Index;
    uint64_t Dispatches = 0;
  };

  const std::string Name;
  const uint64_t *const Table;
  const size_t NumRows;
  const std::vector<Column> Columns;

  Impl(StringRef Name, const uint64_t *Table, size_t NumRows,
       std::vector<Column> Columns)
      : Name(Name), Table(Table), NumRows(NumRows),
        Columns(std::move(Columns)) {}

  /// Held while hooks are inserted, and not while kernels are built: other
  /// threads launch meanwhile.
  std::mutex Counting;
  std::mutex Lock; ///< Of the rows.
  /// By name and device: devices must not add to one number at a time. Device 0
  /// is none, that of files.
  std::map<std::pair<std::string, uint64_t>, Row> Rows;
  std::optional<LaunchFilter> Filter{std::in_place}; ///< None counts nothing.
  std::vector<uint64_t> InBetween;                   ///< What was written last.
  std::once_flag HasStarted;
  runtime::ReportThread Reports;

  Row &row(StringRef Kernel, uint64_t Device) {
    std::lock_guard Guard(Lock);
    const auto Next = static_cast<uint32_t>(Rows.size());
    return Rows.try_emplace({Kernel.str(), Device}, Row{Next}).first->second;
  }
  Error checkRoom(const Row &R) const {
    if (R.Index < NumRows)
      return Error::success();
    return createStringError(Name + " has room to count " + Twine(NumRows) +
                             " kernels, and there are more");
  }

  KernelReport report();
  void writeInBetween();
};

KernelReport CountingTool::Impl::report() {
  std::lock_guard Guard(Lock);
  std::vector<Column> All = {{"dispatches", "dispatches"}};
  All.insert(All.end(), Columns.begin(), Columns.end());
  KernelReport Report(std::move(All));
  const size_t Width = Columns.size();
  for (const auto &[Key, R] : Rows) {
    if (!R.Dispatches)
      continue;
    std::vector<uint64_t> Values = {R.Dispatches};
    // The device may be adding to it.
    for (size_t N = 0; N != Width; ++N)
      Values.push_back(
          __atomic_load_n(Table + R.Index * Width + N, __ATOMIC_RELAXED));
    Report.add(Key.first, Values);
  }
  return Report;
}

/// Nothing, where the last one says the same. One thread at a time.
void CountingTool::Impl::writeInBetween() {
  std::vector<uint64_t> Numbers;
  {
    std::lock_guard Guard(Lock);
    for (const auto &[Key, R] : Rows)
      Numbers.push_back(R.Dispatches);
    const size_t Counted = std::min(Rows.size(), NumRows) * Columns.size();
    for (size_t N = 0; N != Counted; ++N)
      Numbers.push_back(__atomic_load_n(Table + N, __ATOMIC_RELAXED));
  }
  if (std::exchange(InBetween, Numbers) != Numbers)
    report().writeJSONInBetween(Name + ".json");
}

CountingTool::CountingTool(StringRef Name, const uint64_t *Table, size_t Rows,
                           std::vector<Column> Columns)
    : P(new Impl(Name, Table, Rows, std::move(Columns))) {}

CountingTool::~CountingTool() = default;

void CountingTool::filter(LaunchFilter::Choice Choice) {
  Expected<LaunchFilter> Made = LaunchFilter::create(std::move(Choice));
  if (Made)
    P->Filter = std::move(*Made);
  else
    P->Filter.reset();
  if (!Made)
    runtime::logWarning(P->Name +
                        " counts nothing: " + toString(Made.takeError()));
}

Error CountingTool::instrument(LiftedRepresentation &LR,
                               InstrumentationTask &Task) {
  std::lock_guard Guard(P->Counting);
  const Impl::Row &R = P->row(LR.kernelName(), 0);
  if (Error E = P->checkRoom(R))
    return E;
  return count(LR, Task, R.Index);
}

void CountingTool::onDispatch(KernelDispatch &Dispatch) {
  if (!wants(Dispatch) || !P->Filter || !P->Filter->admits(Dispatch))
    return;
  Impl::Row &R = P->row(Dispatch.Kernel.name(), Dispatch.Kernel.agent().handle);
  auto Mutate = [&](InstrumentationTask &Task,
                    LiftedRepresentation &LR) -> Error {
    if (Error E = P->checkRoom(R))
      return E;
    std::lock_guard Guard(P->Counting);
    return count(LR, Task, R.Index);
  };
  if (Error E = instrumentAndOverride(Dispatch, Mutate, P->Name))
    return reportRefusal(Dispatch.Kernel, std::move(E));
  {
    std::lock_guard Guard(P->Lock);
    ++R.Dispatches;
  }
  std::call_once(P->HasStarted, [&] {
    // Here: it looks into the environment, which the program may change later.
    // So there is a whole file from the time on that its name is taken.
    P->writeInBetween();
    P->Reports.start([Its = P.get()] { Its->writeInBetween(); });
  });
}

void CountingTool::onExit() {
  P->Reports.stop();
  {
    std::lock_guard Guard(P->Lock);
    if (P->Rows.empty())
      return;
  }
  const KernelReport Report = P->report();
  Report.writeJSON(P->Name + ".json");
  Report.print();
}

} // namespace luthier
