// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions begin where EXEC got its value, once, and hold what runs with it.
#include "luthier/ExecRegions.h"
#include "Kernels.h"
#include "luthier/Instructions.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

constexpr char EarlyExit[] = R"(
    v_mov_b32_e32 v1, v0
    v_cmp_gt_u32_e32 vcc, s8, v0
    s_and_saveexec_b64 s[4:5], vcc
 begin:
    s_cbranch_execz end
 body:
    s_mov_b32 s6, 0
 loop:
    v_add_f32_e32 v2, v2, v1
    v_cmp_gt_f32_e32 vcc, v2, v1
    s_and_saveexec_b64 s[10:11], vcc
 inner:
    v_mov_b32_e32 v3, v2
    s_or_b64 exec, exec, s[10:11]
 rest:
    s_add_i32 s6, s6, 1
    s_cmp_lt_u32 s6, s9
    s_cbranch_scc1 loop
 after:
    v_mov_b32_e32 v4, v2
 end:
    s_endpgm
)";

TEST(ExecRegions, HoldLoopsBehindAnEarlyExit) {
  const LiftedKernel Kernel = liftAssembly(EarlyExit);
  ASSERT_TRUE(Kernel.LR);
  const std::vector<ExecRegion> Regions = execRegions(*Kernel.LR);
  ASSERT_EQ(Regions.size(), 1u);
  const ExecRegion &Region = Regions.front();
  // Behind s_and_saveexec; where it jumps to, nobody puts lanes back.
  EXPECT_EQ(Region.Begin, &Kernel.at("begin"));
  for (const char *Inside : {"body", "loop", "rest", "after", "end"})
    EXPECT_TRUE(Region.contains(Kernel.at(Inside))) << Inside;
  EXPECT_FALSE(Region.contains(Kernel.at("inner")));
  EXPECT_FALSE(Region.contains(*Kernel.LR->kernel().front().begin()));
}

TEST(ExecRegions, HoldNoLoopThatChangesItsLanes) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_mov_b64 s[4:5], 0
 loop:
    v_add_f32_e32 v2, v2, v1
    v_cmp_gt_f32_e32 vcc, v2, v1
    s_andn2_b64 exec, exec, vcc
    s_cbranch_execnz loop
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_TRUE(execRegions(*Kernel.LR).empty());
}

TEST(ExecRegions, BeginWhereWavesComeOnce) {
  const LiftedKernel Kernel = liftAssembly(R"(
    v_mov_b32_e32 v1, v0
 outer:
    v_cmp_gt_u32_e32 vcc, s8, v0
    s_and_saveexec_b64 s[4:5], vcc
 inner:
    v_add_f32_e32 v2, v2, v1
    s_add_i32 s6, s6, 1
    s_cmp_lt_u32 s6, s9
    s_cbranch_scc1 inner
    s_or_b64 exec, exec, s[4:5]
 back:
    s_cmp_lt_u32 s6, s10
    s_cbranch_scc1 outer
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  const std::vector<ExecRegion> Regions = execRegions(*Kernel.LR);
  ASSERT_EQ(Regions.size(), 1u);
  EXPECT_EQ(Regions.front().Begin, &*Kernel.LR->kernel().front().begin());
  EXPECT_TRUE(Regions.front().contains(Kernel.at("outer")));
  EXPECT_TRUE(Regions.front().contains(Kernel.at("back")));
  EXPECT_FALSE(Regions.front().contains(Kernel.at("inner")));
}

} // namespace
