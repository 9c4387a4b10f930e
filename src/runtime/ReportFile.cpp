// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON files of reports.
#include "luthier/Report.h"
#include "luthier/Tool.h"
#include "runtime/Log.h"
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

/// What every report says; \p Ended where it is worth saying.
static void complete(json::Object &Whole, StringRef Ended) {
  if (!Whole.get("refused"))
    Whole["refused"] = refusedKernels();
  if (!Ended.empty())
    Whole["ended"] = Ended.str();
  if (const std::string Rank = runtime::rankOfProcess(); !Rank.empty())
    Whole["rank"] = Rank;
}

static std::error_code write(StringRef Path, json::Object Whole) {
  std::error_code Error;
  raw_fd_ostream File(Path, Error);
  if (!Error) {
    File << formatv("{0:2}\n", json::Value(std::move(Whole)));
    File.close();
    Error = File.error();
  }
  File.clear_error(); // LLVM would end the program.
  return Error;
}

void writeReport(StringRef FileName, json::Object Whole) {
  complete(Whole, runtime::processEnd().isOrderly() ? "" : howProcessEnds());
  const std::string Path = outputPath(FileName);
  if (std::error_code Error = write(Path, std::move(Whole)))
    runtime::logWarning(Path + ": " + Error.message());
}

void writeReportInBetween(StringRef FileName, json::Object Whole) {
  using std::chrono::milliseconds;
  const auto Age = std::chrono::duration_cast<milliseconds>(
      std::chrono::steady_clock::now() - Start);
  complete(Whole,
           formatv("not yet: counts of its first {0} ms", Age.count()).str());
  const std::string Path = outputPath(FileName), New = Path + ".new";
  if (write(New, std::move(Whole)) || sys::fs::rename(New, Path))
    sys::fs::remove(New);
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
