// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Timings.h"
#include "runtime/Costs.h"
#include "runtime/Settings.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace luthier::runtime {

void recordTimings(StringRef Kernel, StringRef Preset,
                   const InstrumentationReport &Report,
                   const RuntimeTimes &Times) {
  if (!std::getenv("LUTHIER_TIMINGS"))
    return;
  json::Object Line{
      {"kernel", Kernel},
      {"preset", Preset},
      {"points", Report.Points},
      {"payloads", Report.Payloads},
      {"payloads_compiled", Report.Compiled},
      {"payloads_found", Report.Found},
      {"vgprs_before", Report.VGPRsBefore},
      {"vgprs_after", Report.VGPRsAfter},
      {"sgprs_before", Report.SGPRsBefore},
      {"sgprs_after", Report.SGPRsAfter},
      {"waves_before", Report.WavesBefore},
      {"waves_after", Report.WavesAfter},
      {"storage", Report.Storage ? nameOf(*Report.Storage) : StringRef()},
      {"saved_vgprs", static_cast<int64_t>(Report.SavedVGPRs)},
      {"saved_sgprs", static_cast<int64_t>(Report.SavedSGPRs)},
      {"saving_points", Report.SavingPoints},
      {"scratch_bytes", Report.StackBytes},
      {"group_segment_bytes", Report.GroupSegmentBytes},
      {"bytes_before", static_cast<int64_t>(Report.BytesBefore)},
      {"bytes_after", static_cast<int64_t>(Report.BytesAfter)},
      {"lift_s", Times.Lift},
      {"mutate_s", Times.Mutate},
      {"plan_s", Report.PlanTime},
      {"payloads_s", Report.CompileTime},
      {"rewrite_s", Report.RewriteTime},
      {"emit_s", Report.EmitTime},
      {"load_s", Times.Load},
      {"total_s", Times.Total},
  };
  std::string Text;
  raw_string_ostream(Text) << json::Value(std::move(Line)) << '\n';
  appendToFileOf("LUTHIER_TIMINGS", Text);
}

} // namespace luthier::runtime
