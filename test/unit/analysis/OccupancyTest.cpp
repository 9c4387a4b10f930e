// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Occupancy.h"
#include "Kernels.h"
#include <gtest/gtest.h>

using namespace luthier;
using namespace luthier::test;

namespace {

unsigned waves(const char *Processor, RegisterUse Use, bool IsWave32 = false) {
  return occupancyOf({Use, IsWave32, 64, 0}, *registerFileTraits(Processor))
      .WavesPerSIMD;
}

// Numbers from the processors' occupancy tables (AMDGPUUsage; LLVM's
// remarks for kernels of these sizes say the same).
TEST(Occupancy, FollowsTheVectorFile) {
  EXPECT_EQ(waves("gfx906", {16, 24, 0}), 10u);
  EXPECT_EQ(waves("gfx906", {16, 25, 0}), 9u);
  EXPECT_EQ(waves("gfx906", {16, 128, 0}), 2u);
  EXPECT_EQ(waves("gfx906", {16, 129, 0}), 1u);
  EXPECT_EQ(waves("gfx90a", {16, 64, 0}), 8u);
  EXPECT_EQ(waves("gfx90a", {16, 65, 0}), 7u);
  EXPECT_EQ(waves("gfx90a", {16, 256, 0}), 2u);
  EXPECT_EQ(waves("gfx1030", {16, 64, 0}, true), 16u);
  EXPECT_EQ(waves("gfx1030", {16, 65, 0}, true), 12u);
  EXPECT_EQ(waves("gfx1030", {16, 64, 0}, false), 8u);
  EXPECT_EQ(waves("gfx1100", {16, 96, 0}, true), 16u);
  EXPECT_EQ(waves("gfx1100", {16, 97, 0}, true), 12u);
  EXPECT_EQ(waves("gfx1201", {16, 256, 0}, true), 5u);
}

TEST(Occupancy, AccumulationRegistersShareTheFileFromGfx90aOn) {
  EXPECT_EQ(waves("gfx90a", {16, 30, 32}), 8u);
  EXPECT_EQ(waves("gfx90a", {16, 33, 32}), 7u);
  EXPECT_EQ(waves("gfx908", {16, 24, 24}), 10u);
  EXPECT_EQ(waves("gfx908", {16, 24, 64}), 4u);
}

TEST(Occupancy, FollowsTheScalarFile) {
  EXPECT_EQ(waves("gfx906", {74, 1, 0}), 10u);
  EXPECT_EQ(waves("gfx906", {75, 1, 0}), 8u);
  EXPECT_EQ(waves("gfx90a", {102, 1, 0}), 7u);
  EXPECT_EQ(waves("gfx1100", {106, 1, 0}, true), 16u);
}

TEST(Occupancy, FollowsLDS) {
  const RegisterFileTraits &Traits = *registerFileTraits("gfx90a");
  // Four waves to a workgroup, one on each SIMD.
  EXPECT_EQ(occupancyOf({{16, 16, 0}, false, 256, 16384}, Traits).WavesPerSIMD,
            4u);
  EXPECT_EQ(occupancyOf({{16, 16, 0}, false, 256, 16384}, Traits).Limit,
            Occupancy::LDS);
  EXPECT_EQ(occupancyOf({{16, 16, 0}, false, 256, 65536}, Traits).WavesPerSIMD,
            1u);
}

TEST(RegisterBudget, LeavesTheLargestWorkgroupLaunchable) {
  // 1,024 work-items are four waves on each SIMD.
  RegisterBudget Budget({{16, 16, 0}, false, 1024, 0},
                        *registerFileTraits("gfx90a"));
  EXPECT_EQ(Budget.wavesOfWorkgroup(), 4u);
  EXPECT_EQ(Budget.vgprsAt(4), 128u);
  EXPECT_EQ(Budget.vgprsAt(8), 64u);
  EXPECT_EQ(Budget.sgprsAt(8), 90u);
  EXPECT_EQ(Budget.sgprsAt(1), 102u);
}

TEST(RegisterUse, IsTheAllocationWhereCodeIsUnknown) {
  for (const TargetCase &Target : allTargets()) {
    SCOPED_TRACE(nameOf(Target));
    LiftedKernel Leaf = liftAssembly("v_mov_b32 v9, 0\ns_mov_b32 s20, 0\n"
                                     "s_endpgm\n",
                                     Target);
    ASSERT_TRUE(Leaf.LR);
    RegisterUse Use = registerUse(*Leaf.LR);
    EXPECT_EQ(Use.VGPRs, 10u);
    EXPECT_EQ(Use.SGPRs, 21u);
    LiftedKernel Calls =
        liftAssembly("s_swappc_b64 s[30:31], s[4:5]\ns_endpgm\n", Target);
    ASSERT_TRUE(Calls.LR);
    Use = registerUse(*Calls.LR);
    const bool IsUnified = Target.Processor == "gfx90a" ||
                           Target.Processor == "gfx942" ||
                           Target.Processor == "gfx950";
    EXPECT_EQ(Use.VGPRs, IsUnified ? 32u : 64u);
    EXPECT_EQ(Use.AGPRs, IsUnified                      ? 32u
                         : Target.Processor == "gfx908" ? 64u
                                                        : 0u);
    EXPECT_GE(Use.SGPRs, 64u);
  }
}

TEST(RegisterUse, IsTheAllocationWhereCodeIndexes) {
  LiftedKernel Kernel = liftAssembly("s_set_gpr_idx_on s6, gpr_idx(SRC0)\n"
                                     "v_mov_b32 v2, v4\n"
                                     "s_set_gpr_idx_off\ns_endpgm\n");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(registerUse(*Kernel.LR).VGPRs, 32u);
}

} // namespace
