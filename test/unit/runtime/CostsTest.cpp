// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Costs.h"
#include <gtest/gtest.h>

using namespace luthier;
using namespace luthier::runtime;

namespace {

TEST(Costs, SayWhatAKernelHadAndHas) {
  InstrumentationReport R;
  R.Points = 40;
  R.Payloads = 2;
  R.VGPRsBefore = 64;
  R.VGPRsAfter = 72;
  R.SGPRsBefore = 32;
  R.SGPRsAfter = 48;
  R.WavesBefore = 8;
  R.WavesAfter = 7;
  R.Storage = StateValueArrayForm::SpilledWith1Sgpr;
  R.SavedSGPRs = 30;
  R.SavedVGPRs = 12;
  R.SavingPoints = 7;
  R.StackBytes = 64;
  R.GroupSegmentBytes = 16;
  R.BytesBefore = 100;
  R.BytesAfter = 900;
  EXPECT_EQ(
      describeCosts("reduce", "instr-count", R),
      "kernel reduce (instr-count): 40 hook calls, 2 compiled\n"
      "  registers  64 -> 72 vector, 32 -> 48 scalar\n"
      "  occupancy  8 -> 7 waves per SIMD\n"
      "  state      spilled-1sgpr\n"
      "  put aside  12 vector and 30 scalar registers, at 7 of the calls\n"
      "  memory     64 bytes of scratch per lane, 16 of group segment\n"
      "  code       100 -> 900 bytes\n");
}

TEST(Costs, OfKernelsWithoutStateOrPreset) {
  const std::string Text = describeCosts("k", "", {});
  EXPECT_EQ(Text.find("kernel k: 0 hook calls"), 0u) << Text;
  EXPECT_NE(Text.find("\n  state      none\n"), std::string::npos) << Text;
}

TEST(Costs, AFileThatCannotBeWrittenIsSaid) {
  ::setenv("LUTHIER_COSTS", "/no/such/folder/costs", 1);
  testing::internal::CaptureStderr();
  recordCosts("k", "", InstrumentationReport());
  const std::string Said = testing::internal::GetCapturedStderr();
  ::unsetenv("LUTHIER_COSTS");
  EXPECT_NE(Said.find("cannot write /no/such/folder/costs"), std::string::npos)
      << Said;
}

} // namespace
