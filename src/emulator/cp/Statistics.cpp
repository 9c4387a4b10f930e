// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/Statistics.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <sys/stat.h>
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

bool Statistics::empty() const {
  std::lock_guard Lock(Mutex);
  return Kernels.empty();
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

void ReportOrigin::write(llvm::json::OStream &Json) const {
  Json.attribute("process", Process);
  if (!Ended.empty())
    Json.attribute("ended", Ended);
}

std::string statisticsJson(const std::vector<const Statistics *> &Devices,
                           const ReportOrigin &Origin) {
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  llvm::json::OStream Json(Stream, /*IndentSize=*/2);
  Json.object([&] {
    Origin.write(Json);
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

static std::string expanded(std::string Path) {
  for (size_t At; (At = Path.find("%p")) != std::string::npos;)
    Path.replace(At, 2, std::to_string(getpid()));
  return Path;
}

/// Plain stdio: this runs while the process is being torn down.
static bool writeInPlace(const std::string &Path, const std::string &Text) {
  std::FILE *File = std::fopen(Path.c_str(), "w");
  if (!File)
    return false;
  const bool Written =
      std::fwrite(Text.data(), 1, Text.size(), File) == Text.size();
  return (std::fclose(File) == 0) && Written;
}

/// Not a device, a pipe, or a link to whatever.
static bool isReplaceable(const std::string &Path) {
  struct stat There;
  return lstat(Path.c_str(), &There) == 0 ? S_ISREG(There.st_mode)
                                          : errno == ENOENT;
}

/// What was there stays until all is written.
static bool replace(const std::string &Path, const std::string &Text) {
  // Others may write there, too.
  const std::string New = Path + "." + std::to_string(getpid()) + ".new";
  if (writeInPlace(New, Text) && std::rename(New.c_str(), Path.c_str()) == 0)
    return true;
  const int Why = errno;
  unlink(New.c_str());
  errno = Why;
  return false;
}

bool writeReport(const std::string &Path, const std::string &Text) {
  const std::string To = expanded(Path);
  if (isReplaceable(To)) {
    if (replace(To, Text))
      return true;
    // Else the report of before is better than the beginning of this one.
    if (errno != EACCES && errno != EPERM && errno != ENAMETOOLONG)
      return false;
  }
  return writeInPlace(To, Text); // Where no file can be put beside it.
}

void writeReportInBetween(const std::string &Path, const std::string &Text) {
  if (const std::string To = expanded(Path); isReplaceable(To))
    (void)replace(To, Text);
}

std::string setReportAside(const std::string &Path) {
  const std::string From = expanded(Path);
  if (From == Path || !isReplaceable(From))
    return "";
  const std::filesystem::path Parts(From);
  for (unsigned N = 1;; ++N) {
    std::filesystem::path To(Parts);
    To.replace_filename(Parts.stem().string() + "-" + std::to_string(N) +
                        Parts.extension().string());
    if (access(To.c_str(), F_OK) == 0)
      continue;
    return std::rename(From.c_str(), To.c_str()) == 0 ? To.string() : "";
  }
}

} // namespace luthier::emulator
