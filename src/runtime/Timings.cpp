// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Timings.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace luthier::runtime {

void recordTimings(StringRef Kernel, StringRef Preset,
                   const InstrumentationReport &Report,
                   const RuntimeTimes &Times) {
  const char *FileName = std::getenv("LUTHIER_TIMINGS");
  if (!FileName || !*FileName)
    return;
  json::Object Line{
      {"kernel", Kernel},
      {"preset", Preset},
      {"points", Report.Points},
      {"payloads", Report.Payloads},
      {"vgprs_before", Report.VGPRsBefore},
      {"vgprs_after", Report.VGPRsAfter},
      {"sgprs_before", Report.SGPRsBefore},
      {"sgprs_after", Report.SGPRsAfter},
      {"bytes_before", static_cast<int64_t>(Report.BytesBefore)},
      {"bytes_after", static_cast<int64_t>(Report.BytesAfter)},
      {"lift_s", Times.Lift},
      {"copy_s", Times.Copy},
      {"mutate_s", Times.Mutate},
      {"payloads_s", Report.CompileTime},
      {"rewrite_s", Report.RewriteTime},
      {"emit_s", Report.EmitTime},
      {"load_s", Times.Load},
      {"total_s", Times.Total},
  };
  std::string Text;
  raw_string_ostream(Text) << json::Value(std::move(Line)) << '\n';

  bool IsFile = StringRef(FileName) != "-";
  int File =
      IsFile ? ::open(FileName, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
             : STDERR_FILENO;
  if (File < 0)
    return;
  // One write of one line: several threads may append.
  [[maybe_unused]] ssize_t Ignored = ::write(File, Text.data(), Text.size());
  if (IsFile)
    ::close(File);
}

} // namespace luthier::runtime
