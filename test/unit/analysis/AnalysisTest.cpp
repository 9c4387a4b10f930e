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
  const RegistersInFlight Loads = RegistersInFlight::run(*Kernel.LR);
  Analysis Queries(*Kernel.LR);
  const luthier::RegisterUse Use = Queries.registerUse();
  for (const auto &[Symbol, MF] : Kernel.LR->functions())
    for (const MachineBasicBlock &MBB : *MF) {
      for (const MachineInstr &MI : MBB) {
        EXPECT_EQ(Queries.liveBefore(MI), Lives.at(InsertionPoint::before(MI)));
        EXPECT_EQ(Queries.inFlightBefore(MI),
                  Loads.at(InsertionPoint::before(MI)));
        const RegisterSet Dead = Queries.deadAt(MI);
        EXPECT_TRUE((Dead & Lives.at(InsertionPoint::before(MI))).empty());
        EXPECT_TRUE((Dead & Loads.at(InsertionPoint::before(MI))).empty());
        // Of the registers in use each is one or the other.
        for (unsigned N = 0; N < Use.VGPRs; ++N)
          EXPECT_EQ(Dead.vgpr(N),
                    !Lives.at(InsertionPoint::before(MI)).vgpr(N) &&
                        !Loads.at(InsertionPoint::before(MI)).vgpr(N))
              << N;
        EXPECT_FALSE(Dead.vgpr(Use.VGPRs));
      }
      for (const MachineBasicBlock *Next : MBB.successors()) {
        EXPECT_EQ(Queries.liveOnEdge(MBB, *Next),
                  Lives.at(InsertionPoint::edge(MBB, *Next)));
        EXPECT_EQ(Queries.inFlightOnEdge(MBB, *Next),
                  Loads.at(InsertionPoint::edge(MBB, *Next)));
      }
      EXPECT_TRUE(Queries.isReached(MBB));
      EXPECT_EQ(Queries.endOf(MBB),
                MBB.succ_empty() ? BlockEnd::Program : BlockEnd::Successors);
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

TEST_P(AnalysisTest, QueriesTellWhatIsNeverReached) {
  const LiftedKernel Gaps = liftAssembly(R"(
   a: s_branch c
   b: s_nop 1
   c: s_endpgm
   d: s_cbranch_scc1 d
      s_endpgm
)",
                                         GetParam());
  ASSERT_TRUE(Gaps.LR);
  Analysis Queries(*Gaps.LR);
  auto isReached = [&](const char *At) {
    return Queries.isReached(*Gaps.at(At).getParent());
  };
  EXPECT_TRUE(isReached("a"));
  EXPECT_FALSE(isReached("b")) << "though it leads to what is reached";
  EXPECT_TRUE(isReached("c"));
  EXPECT_FALSE(isReached("d")) << "though it leads to itself";
}

TEST_P(AnalysisTest, QueriesTellWhatMoreRegistersCost) {
  ASSERT_TRUE(Kernel.LR);
  Analysis Queries(*Kernel.LR);
  const luthier::RegisterUse All = Queries.registerAllocation();
  EXPECT_GE(All.VGPRs + All.AGPRs, 64u);
  const unsigned Waves = Queries.occupancy().WavesPerSIMD;
  const luthier::RegisterUse Same = Queries.registersFor(Waves);
  EXPECT_GE(Same.VGPRs, All.VGPRs);
  EXPECT_EQ(Same.AGPRs, All.AGPRs);
  // So many are enough for these waves, and one more is not.
  const WaveResources Now = resourcesOf(*Kernel.LR);
  const RegisterFileTraits &Traits = *registerFileTraits(GetParam().Processor);
  for (unsigned N = 1; N <= Waves; ++N) {
    WaveResources Grown = Now;
    Grown.Registers.VGPRs = Queries.registersFor(N).VGPRs;
    EXPECT_GE(occupancyOf(Grown, Traits).WavesPerSIMD, N);
    if (++Grown.Registers.VGPRs <= Traits.AddressableVGPRs)
      EXPECT_LT(occupancyOf(Grown, Traits).WavesPerSIMD, N);
  }
  EXPECT_EQ(Queries.registersFor(Traits.WavesPerSIMD + 1).VGPRs, 0u);
  const unsigned Least = Queries.wavesOfWorkgroup();
  EXPECT_EQ(Least, RegisterBudget(Now, Traits).wavesOfWorkgroup());
  EXPECT_GE(Least, 1u);
}

TEST_P(AnalysisTest, QueriesTellWhoCallsWhom) {
  const LiftedKernel Calls = liftAssembly(R"(
      s_getpc_b64 s[4:5]
    .Lfirst:
      s_add_u32 s4, s4, outer-.Lfirst
      s_addc_u32 s5, s5, 0
   a: s_swappc_b64 s[30:31], s[4:5]
      s_endpgm
    outer:
   b: s_nop 0
      s_mov_b64 s[34:35], s[30:31]
   c: s_swappc_b64 s[30:31], s[20:21]
      s_setpc_b64 s[34:35]
)",
                                          GetParam());
  ASSERT_TRUE(Calls.LR);
  Analysis Queries(*Calls.LR);
  const MachineFunction &Main = Calls.LR->kernel(),
                        &Outer = *Calls.at("b").getMF();
  ASSERT_EQ(Queries.callersOf(Outer).size(), 1u);
  EXPECT_EQ(Queries.callersOf(Outer).front()->MI, &Calls.at("a"));
  EXPECT_TRUE(Queries.callersOf(Main).empty());
  ASSERT_FALSE(Queries.transfersOf(Outer).empty());
  EXPECT_EQ(Queries.transfersOf(Outer).front()->MI, &Calls.at("c"));
  EXPECT_TRUE(Queries.transfersOf(Outer).front()->isUnresolved());
  EXPECT_TRUE(Queries.reachesUnknownCode(Outer));
  EXPECT_TRUE(Queries.reachesUnknownCode(Main));
  const MachineFunction *Order[] = {&Outer, &Main};
  EXPECT_EQ(Queries.calleesFirst(), ArrayRef(Order));
  Analysis Leaf(*Kernel.LR);
  EXPECT_FALSE(Leaf.reachesUnknownCode(Kernel.LR->kernel()));
}

INSTANTIATE_TEST_SUITE_P(Targets, AnalysisTest,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
