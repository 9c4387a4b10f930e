// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON files of reports.
#include "luthier/Report.h"
#include "luthier/Tool.h"
#include "runtime/Log.h"
#include "runtime/OutputFile.h"
#include "runtime/ProcessEnd.h"
#include "runtime/ProcessName.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <unistd.h>

using namespace llvm;

namespace luthier {

static const auto Start = std::chrono::steady_clock::now();

static json::Array refusedKernels() {
  std::map<std::string, std::string> Reasons;
  for (const RefusedKernel &K : refusals())
    Reasons.emplace(K.Kernel, K.Reason);
  json::Array Result;
  for (const auto &[Name, Reason] : Reasons)
    Result.push_back(json::Object{{"name", Name}, {"reason", Reason}});
  return Result;
}

/// With what every report says; \p Ended where it is worth saying.
static std::string completed(json::Object Whole, StringRef Ended) {
  if (!Whole.get("refused"))
    Whole["refused"] = refusedKernels();
  if (!Ended.empty())
    Whole["ended"] = Ended.str();
  if (const std::string Rank = runtime::rankOfProcess(); !Rank.empty())
    Whole["rank"] = Rank;
  return formatv("{0:2}\n", json::Value(std::move(Whole))).str();
}

static std::error_code write(StringRef Path, StringRef Text) {
  std::error_code Error;
  raw_fd_ostream File(Path, Error);
  if (!Error) {
    File << Text;
    File.close();
    Error = File.error();
  }
  File.clear_error(); // LLVM would end the program.
  return Error;
}

/// Not a device, a pipe, or a link to whatever.
static bool isReplaceable(const std::string &Path) {
  sys::fs::file_status Status;
  (void)sys::fs::status(Path, Status, /*follow=*/false);
  return !sys::fs::exists(Status) || sys::fs::is_regular_file(Status);
}

/// What was there stays until all is written.
static std::error_code putInPlace(StringRef FileName, const std::string &Path,
                                  StringRef Text) {
  const std::string New = Path + ".new";
  std::error_code Error = write(New, Text);
  if (!Error)
    Error = runtime::replaceReport(FileName, New);
  if (Error)
    ::unlink(New.c_str());
  return Error;
}

static bool hasText(const std::string &Path) {
  uint64_t Size = 0;
  return !sys::fs::file_size(Path, Size) && Size;
}

void writeReport(StringRef FileName, json::Object Whole) {
  const std::string Text =
      completed(std::move(Whole),
                runtime::processEnd().isOrderly() ? "" : howProcessEnds());
  const std::string Path = runtime::pathOfReport(FileName);
  std::error_code Error;
  if (isReplaceable(Path) && !(Error = putInPlace(FileName, Path, Text)))
    return;
  if (Error && hasText(Path))
    runtime::logWarning(Path + ": " + Error.message() +
                        "; it has what was counted some time before");
  else if ((Error = write(Path, Text))) // Where no file can be put beside it.
    runtime::logWarning(Path + ": " + Error.message());
}

void writeReportInBetween(StringRef FileName, json::Object Whole) {
  using std::chrono::milliseconds;
  const auto Age = std::chrono::duration_cast<milliseconds>(
      std::chrono::steady_clock::now() - Start);
  const std::string Text = completed(
      std::move(Whole),
      formatv("not yet: counts of its first {0} ms", Age.count()).str());
  const std::string Path = runtime::pathOfReport(FileName);
  if (isReplaceable(Path))
    (void)putInPlace(FileName, Path, Text);
}

bool ReportPace::isDue() {
  constexpr std::chrono::milliseconds Again(250);
  const Clock::time_point Time = Clock::now();
  if (Time < NotBefore)
    return false;
  NotBefore = Time + Again;
  return true;
}

void ReportPace::write(function_ref<void()> Report) {
  constexpr int Rest = 19;
  const Clock::time_point Begin = Clock::now();
  Report();
  const Clock::time_point End = Clock::now();
  NotBefore = std::max(NotBefore, End + Rest * (End - Begin));
}

} // namespace luthier
