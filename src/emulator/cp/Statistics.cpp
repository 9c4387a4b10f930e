// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/Statistics.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <unistd.h>

namespace luthier::emulator {

void Statistics::add(const std::string &KernelName,
                     const DispatchCounts &Counts, HostTime Time) {
  std::lock_guard Lock(Mutex);
  Totals &Sum = Kernels[KernelName];
  ++Sum.Dispatches;
  Sum.Counts.WaveInstructions += Counts.WaveInstructions;
  Sum.Counts.LaneInstructions += Counts.LaneInstructions;
  Sum.Counts.Cycles += Counts.Cycles;
  Sum.Time.Elapsed += Time.Elapsed;
  Sum.Time.Thread += Time.Thread;
}

void Statistics::begin(uint64_t Now) {
  std::lock_guard Lock(Mutex);
  if (Running++ == 0 || Now < BusySince)
    BusySince = Now;
}

/// Threads may come here in another order than they read the clock in.
void Statistics::end(uint64_t Now) {
  std::lock_guard Lock(Mutex);
  if (--Running == 0 && Now > BusySince)
    BusyTime += Now - BusySince;
}

uint64_t Statistics::busyTime() const {
  std::lock_guard Lock(Mutex);
  return BusyTime;
}

void Statistics::writeRows(llvm::json::OStream &Json, unsigned Device) const {
  std::lock_guard Lock(Mutex);
  for (const auto &[Name, Sum] : Kernels)
    Json.object([&, &Name = Name, &Sum = Sum] {
      Json.attribute("name", llvm::json::fixUTF8(Name));
      Json.attribute("device", Device);
      Json.attribute("dispatches", Sum.Dispatches);
      Json.attribute("wave_instructions", Sum.Counts.WaveInstructions);
      Json.attribute("lane_instructions", Sum.Counts.LaneInstructions);
      Json.attribute("cycles", Sum.Counts.Cycles);
      Json.attribute("host_ns", Sum.Time.Elapsed);
      Json.attribute("host_thread_ns", Sum.Time.Thread);
    });
}

std::string statisticsJson(const std::vector<const Statistics *> &Devices) {
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  llvm::json::OStream Json(Stream, /*IndentSize=*/2);
  Json.object([&] {
    Json.attributeArray("kernels", [&] {
      for (unsigned N = 0; N != Devices.size(); ++N)
        Devices[N]->writeRows(Json, N);
    });
    Json.attributeArray("devices", [&] {
      for (unsigned N = 0; N != Devices.size(); ++N)
        Json.object([&] {
          Json.attribute("device", N);
          Json.attribute("busy_ns", Devices[N]->busyTime());
        });
    });
  });
  Stream << '\n';
  return Text;
}

/// Plain stdio: this runs while the process is being torn down.
bool writeReport(const std::string &Path, const std::string &Text) {
  std::string Expanded = Path;
  for (size_t At; (At = Expanded.find("%p")) != std::string::npos;)
    Expanded.replace(At, 2, std::to_string(getpid()));
  std::FILE *File = std::fopen(Expanded.c_str(), "w");
  if (!File)
    return false;
  const bool Written =
      std::fwrite(Text.data(), 1, Text.size(), File) == Text.size();
  return (std::fclose(File) == 0) && Written;
}

} // namespace luthier::emulator
