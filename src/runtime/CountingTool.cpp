// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/CountingTool.h"
#include "luthier/Instrument.h"
#include <map>
#include <mutex>

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
  std::mutex Lock;
  /// By name and device: devices must not add to one number at a time. Device 0
  /// is none, that of files.
  std::map<std::pair<std::string, uint64_t>, Row> Rows;
  ReportPace Pace;

  Row &row(StringRef Kernel, uint64_t Device) {
    const auto Next = static_cast<uint32_t>(Rows.size());
    return Rows.try_emplace({Kernel.str(), Device}, Row{Next}).first->second;
  }
  Error checkRoom(const Row &R) const {
    if (R.Index < NumRows)
      return Error::success();
    return createStringError(Name + " has room to count " + Twine(NumRows) +
                             " kernels, and there are more");
  }

  KernelReport report() const;
};

KernelReport CountingTool::Impl::report() const {
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

CountingTool::CountingTool(StringRef Name, const uint64_t *Table, size_t Rows,
                           std::vector<Column> Columns)
    : P(new Impl{Name.str(), Table, Rows, std::move(Columns), {}, {}, {}}) {}

CountingTool::~CountingTool() = default;

Error CountingTool::instrument(LiftedRepresentation &LR,
                               InstrumentationTask &Task) {
  std::lock_guard Guard(P->Lock);
  const Impl::Row &R = P->row(LR.kernelName(), 0);
  if (Error E = P->checkRoom(R))
    return E;
  return count(LR, Task, R.Index);
}

void CountingTool::onDispatch(KernelDispatch &Dispatch) {
  if (!wants(Dispatch))
    return;
  std::lock_guard Guard(P->Lock);
  Impl::Row &R = P->row(Dispatch.Kernel.name(), Dispatch.Kernel.agent().handle);
  auto Mutate = [&](InstrumentationTask &Task,
                    LiftedRepresentation &LR) -> Error {
    if (Error E = P->checkRoom(R))
      return E;
    return count(LR, Task, R.Index);
  };
  if (Error E = instrumentAndOverride(Dispatch, Mutate, P->Name))
    return reportRefusal(Dispatch.Kernel, std::move(E));
  ++R.Dispatches;
  if (P->Pace.isDue())
    P->Pace.write([&] { P->report().writeJSONInBetween(P->Name + ".json"); });
}

void CountingTool::onExit() {
  std::lock_guard Guard(P->Lock);
  if (P->Rows.empty())
    return;
  const KernelReport Report = P->report();
  Report.writeJSON(P->Name + ".json");
  Report.print();
}

} // namespace luthier
