// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ReportFile.h"
#include "luthier/Report.h"
#include "luthier/Tool.h"
#include "runtime/Log.h"
#include "runtime/ProcessEnd.h"
#include "runtime/ProcessName.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace luthier::runtime {

void writeReportFile(StringRef FileName, json::Object Whole) {
  std::map<std::string, std::string> Reasons;
  for (const RefusedKernel &K : refusals())
    Reasons.emplace(K.Kernel, K.Reason);
  json::Array Refused;
  for (const auto &[Name, Reason] : Reasons)
    Refused.push_back(json::Object{{"name", Name}, {"reason", Reason}});
  Whole["refused"] = std::move(Refused);
  if (!processEnd().isOrderly())
    Whole["ended"] = howProcessEnds();
  if (const std::string Rank = rankOfProcess(); !Rank.empty())
    Whole["rank"] = Rank;

  std::error_code Error;
  const std::string Path = outputPath(FileName);
  raw_fd_ostream File(Path, Error);
  if (!Error) {
    File << formatv("{0:2}\n", json::Value(std::move(Whole)));
    File.close();
    Error = File.error();
  }
  File.clear_error(); // LLVM would end the program.
  if (Error)
    logWarning(Path + ": " + Error.message());
}

} // namespace luthier::runtime
