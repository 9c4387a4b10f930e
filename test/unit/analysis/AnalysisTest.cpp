// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tools may ask is what the passes have found.
#include "luthier/Analysis.h"
#include "Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "analysis/Liveness.h"
#include "analysis/LoadsInFlight.h"
#include "analysis/Occupancy.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class AnalysisTest : public ::testing::TestWithParam<TargetCase> {
protected:
  AnalysisTest()
      : Kernel(liftAssembly(R"(
      s_load_dword s4, s[0:1], 0x0
      v_mov_b32_e32 v1, v0
      global_load_dword v2, v[8:9], off
   a: s_cmp_eq_u32 s2, 0
      s_cbranch_scc1 end
   b: v_mov_b32_e32 v3, v1
      v_mov_b32_e32 v4, v2
      global_store_dword v[8:9], v3, off
 end: s_endpgm
)",
                            GetParam())) {}
  LiftedKernel Kernel;
};

TEST_P(AnalysisTest, QueriesAgreeWithThePasses) {
  ASSERT_TRUE(Kernel.LR);
  const Liveness Lives = Liveness::run(*Kernel.LR);
  const LoadsInFlight Loads = LoadsInFlight::run(*Kernel.LR);
  Analysis Queries(*Kernel.LR);
  const luthier::RegisterUse Use = Queries.registerUse();
  for (const auto &[Symbol, MF] : Kernel.LR->functions())
    for (const MachineBasicBlock &MBB : *MF) {
      for (const MachineInstr &MI : MBB) {
        EXPECT_EQ(Queries.liveBefore(MI), Lives.before(MI));
        EXPECT_EQ(Queries.inFlightBefore(MI), Loads.before(MI));
        const RegisterSet Dead = Queries.deadAt(MI);
        EXPECT_TRUE((Dead & Lives.before(MI)).empty());
        EXPECT_TRUE((Dead & Loads.before(MI)).empty());
        // Of the registers in use each is one or the other.
        for (unsigned N = 0; N < Use.VGPRs; ++N)
          EXPECT_EQ(Dead.vgpr(N),
                    !Lives.before(MI).vgpr(N) && !Loads.before(MI).vgpr(N))
              << N;
        EXPECT_FALSE(Dead.vgpr(Use.VGPRs));
      }
      for (const MachineBasicBlock *Next : MBB.successors())
        EXPECT_EQ(Queries.liveOnEdge(MBB, *Next), Lives.onEdge(MBB, *Next));
      EXPECT_TRUE(Queries.isReached(MBB));
    }
  EXPECT_EQ(Use.VGPRs, luthier::registerUse(*Kernel.LR).VGPRs);
  EXPECT_GE(Use.VGPRs, 10u);
  const Occupancy Asked = Queries.occupancy(), Found = occupancyOf(*Kernel.LR);
  EXPECT_GT(Asked.WavesPerSIMD, 0u);
  EXPECT_EQ(Asked.WavesPerSIMD, Found.WavesPerSIMD);
  EXPECT_EQ(Asked.Limit, Found.Limit);
}

TEST_P(AnalysisTest, QueriesTellWhatIsNeededAndWhatIsLoaded) {
  ASSERT_TRUE(Kernel.LR);
  Analysis Queries(*Kernel.LR);
  const MachineInstr &A = Kernel.at("a"), &End = Kernel.at("end");
  EXPECT_TRUE(Queries.liveBefore(A).vgpr(1));
  EXPECT_TRUE(Queries.liveBefore(A).sgpr(2));
  EXPECT_FALSE(Queries.liveBefore(A).vgpr(3));
  EXPECT_TRUE(Queries.inFlightBefore(A).vgpr(2));
  EXPECT_TRUE(Queries.inFlightBefore(A).sgpr(4));
  EXPECT_TRUE(Queries.deadAt(A).vgpr(3));
  EXPECT_FALSE(Queries.deadAt(A).vgpr(2)) << "a load may still write it";
  EXPECT_TRUE(Queries.liveBefore(End).empty());
  EXPECT_FALSE(Queries.liveOnEdge(*A.getParent(), *End.getParent()).vgpr(1));
  EXPECT_TRUE(
      Queries.liveOnEdge(*A.getParent(), *Kernel.at("b").getParent()).vgpr(1));
}

INSTANTIATE_TEST_SUITE_P(Targets, AnalysisTest,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
