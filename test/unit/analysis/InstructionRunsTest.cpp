// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of instructions hold every instruction once, and end where the active
// lanes may change.
#include "luthier/InstructionRuns.h"
#include "Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "luthier/Instructions.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class InstructionRuns : public ::testing::TestWithParam<TargetCase> {};

TEST_P(InstructionRuns, EndBehindWhatChangesExecOrLeavesTheBlock) {
  const std::string Compare = GetParam().isGfx9()
                                  ? "v_cmpx_eq_u32_e32 vcc, 0, v2"
                                  : "v_cmpx_eq_u32_e32 0, v2";
  const LiftedKernel Kernel = liftAssembly(R"(
      v_mov_b32_e32 v1, v0
      s_mov_b32 s4, 1
      v_readfirstlane_b32 s5, v1
      s_mov_b32 exec_lo, s4
      v_mov_b32_e32 v2, v0
      )" + Compare + R"(
      v_mov_b32_e32 v3, v0
      s_cmp_eq_u32 s2, 0
      s_cbranch_scc1 end
      v_mov_b32_e32 v3, v1
 end: s_endpgm
)",
                                           GetParam());
  ASSERT_TRUE(Kernel.LR);
  const std::vector<InstructionRun> Runs = instructionRuns(*Kernel.LR);
  SmallVector<std::pair<unsigned, unsigned>> Counts;
  unsigned All = 0, Instructions = 0;
  for (const InstructionRun &R : Runs) {
    Counts.push_back({R.Scalar, R.Vector});
    All += R.Scalar + R.Vector;
  }
  for ([[maybe_unused]] MachineInstr &MI : Kernel.LR->instructions())
    ++Instructions;
  const SmallVector<std::pair<unsigned, unsigned>> Expected = {
      {3, 1}, {0, 2}, {2, 1}, {0, 1}, {1, 0}};
  EXPECT_EQ(Counts, Expected);
  EXPECT_EQ(All, Instructions);
  EXPECT_EQ(Runs[1].First->getOpcode(), unsigned(AMDGPU::V_MOV_B32_e32));
}

INSTANTIATE_TEST_SUITE_P(Targets, InstructionRuns,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
