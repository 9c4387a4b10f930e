// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Liveness.h"
#include "Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class LivenessTest : public ::testing::TestWithParam<TargetCase> {
protected:
  void analyse(const std::string &Assembly) {
    Kernel = liftAssembly(Assembly, GetParam());
    if (!Kernel.LR)
      FAIL();
    Lives = Liveness::run(*Kernel.LR);
    expectTheSameOnDemand();
  }
  /// Forwards, backwards, and in turns from both ends.
  void expectTheSameOnDemand() {
    std::vector<InsertionPoint> Forth;
    for (const auto &[Symbol, MF] : Kernel.LR->functions()) {
      Forth.push_back(InsertionPoint::entry(*MF));
      for (const MachineBasicBlock &MBB : *MF) {
        for (const MachineBasicBlock *Next : MBB.successors())
          Forth.push_back(InsertionPoint::edge(MBB, *Next));
        for (const MachineInstr &MI : MBB)
          Forth.push_back(InsertionPoint::before(MI));
      }
    }
    const std::vector<InsertionPoint> Back(Forth.rbegin(), Forth.rend());
    std::vector<InsertionPoint> Turns;
    for (const auto &[First, Second] : zip_equal(Forth, Back))
      Turns.insert(Turns.end(), {First, Second});
    const LivenessBasis Basis(*Kernel.LR);
    for (const auto &Order : {Forth, Back, Turns}) {
      LivenessOnDemand OnDemand(Basis);
      for (const InsertionPoint &Where : Order)
        EXPECT_TRUE(OnDemand.at(Where) == Lives.at(Where));
    }
  }
  /// The mask register of EXEC's size that is called \p Pair in wave64.
  std::string mask(const std::string &Single, const std::string &Pair) const {
    return GetParam().WaveSize == 32 ? Single : Pair;
  }
  std::string exec() const { return mask("exec_lo", "exec"); }
  std::string vcc() const { return mask("vcc_lo", "vcc"); }
  /// "s_mov" with the size of EXEC.
  std::string op(const std::string &Name) const {
    return Name + mask("_b32 ", "_b64 ");
  }
  bool live(StringRef Label, MCRegister Reg) const {
    return Lives.at(InsertionPoint::before(Kernel.at(Label))).contains(Reg);
  }
  LiftedKernel Kernel;
  Liveness Lives;
};

TEST_P(LivenessTest, NothingIsLiveAtTheEnd) {
  analyse("x: s_endpgm\n");
  EXPECT_TRUE(Lives.at(InsertionPoint::before(Kernel.at("x"))).empty())
      << testing::PrintToString(
             Lives.at(InsertionPoint::before(Kernel.at("x"))).count());
}

TEST_P(LivenessTest, ScalarsLiveFromTheirWriteToTheirLastRead) {
  analyse(R"(
    a: s_mov_b32 s4, 1
    b: s_add_u32 s5, s4, s6
    c: s_mov_b32 s6, s5
    d: s_cselect_b32 s7, s6, 0
    e: s_endpgm
  )");
  EXPECT_FALSE(live("a", AMDGPU::SGPR4));
  EXPECT_TRUE(live("b", AMDGPU::SGPR4));
  EXPECT_FALSE(live("c", AMDGPU::SGPR4));
  EXPECT_TRUE(live("a", AMDGPU::SGPR6));
  EXPECT_FALSE(live("c", AMDGPU::SGPR6));
  EXPECT_FALSE(live("b", AMDGPU::SCC));
  EXPECT_TRUE(live("c", AMDGPU::SCC));
  EXPECT_TRUE(live("d", AMDGPU::SCC));
  EXPECT_FALSE(live("e", AMDGPU::SCC));
}

TEST_P(LivenessTest, AConditionalMoveKeepsTheOldValue) {
  analyse(R"(
    a: s_cmov_b32 s4, s5
    b: s_mov_b32 s6, s4
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::SGPR4));
}

TEST_P(LivenessTest, TuplesAndTheirParts) {
  analyse(R"(
    a: s_mov_b64 s[4:5], s[8:9]
    b: s_mov_b32 s5, 0
    c: s_mov_b64 s[6:7], s[4:5]
    s_endpgm
  )");
  EXPECT_FALSE(live("a", AMDGPU::SGPR4_SGPR5));
  EXPECT_TRUE(live("b", AMDGPU::SGPR4));
  EXPECT_FALSE(live("b", AMDGPU::SGPR5));
  EXPECT_TRUE(live("c", AMDGPU::SGPR5));
}

TEST_P(LivenessTest, VectorsInOneRegionOfExec) {
  analyse(R"(
    a: v_mov_b32_e32 v1, 0
    b: v_mov_b32_e32 v2, v1
    c: v_mov_b32_e32 v1, v2
    d: s_endpgm
  )");
  EXPECT_FALSE(live("a", AMDGPU::VGPR1));
  EXPECT_TRUE(live("b", AMDGPU::VGPR1));
  EXPECT_FALSE(live("c", AMDGPU::VGPR1));
  EXPECT_FALSE(live("d", AMDGPU::VGPR1));
}

TEST_P(LivenessTest, AWriteUnderPartialExecKillsNothing) {
  // Lanes that are off at b keep the value that a sees, and e reads it.
  analyse("a: " + op("s_and_saveexec") + mask("s4, s6\n", "s[4:5], s[6:7]\n") +
          "b: v_mov_b32_e32 v1, 0\n" + "c: " + op("s_or") + exec() + ", " +
          exec() + ", " + mask("s4", "s[4:5]") + R"(
    e: v_mov_b32_e32 v2, v1
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR1));
  EXPECT_TRUE(live("b", AMDGPU::VGPR1)) << "in inactive lanes";
  EXPECT_TRUE(live("c", AMDGPU::VGPR1));
}

TEST_P(LivenessTest, WhatIsUsedOnlyUnderTheSameExecIsDeadBefore) {
  analyse("a: " + op("s_and_saveexec") + mask("s4, s6\n", "s[4:5], s[6:7]\n") +
          R"(
    b: v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v2, v1
  )" +
          "c: " + op("s_or") + exec() + ", " + exec() + ", " +
          mask("s4", "s[4:5]") + "\nd: s_endpgm\n");
  for (const char *Label : {"a", "b", "c", "d"})
    EXPECT_FALSE(live(Label, AMDGPU::VGPR1)) << Label;
}

TEST_P(LivenessTest, AWriteWithAllLanesOnKills) {
  analyse(op("s_mov") + exec() + ", -1" + R"(
    a: v_mov_b32_e32 v1, 0
  )" + op("s_mov") +
          exec() + mask(", s4", ", s[4:5]") + R"(
    v_mov_b32_e32 v2, v1
    s_endpgm
  )");
  EXPECT_FALSE(live("a", AMDGPU::VGPR1));
}

TEST_P(LivenessTest, WhatLivesAcrossADivergentBranchIsDeadBeforeItsWrite) {
  // v1 is written under the mask of the entry, which comes back after the
  // branch: there are no other lanes to keep it for.
  analyse("a: v_mov_b32_e32 v1, 0\n" + ("b: " + op("s_and_saveexec")) +
          mask("s4, s6\n", "s[4:5], s[6:7]\n") + "s_cbranch_execz join\n" +
          "c: v_mov_b32_e32 v3, v4\n" + "v_mov_b32_e32 v5, v3\n" +
          "join: " + op("s_or") + exec() + ", " + exec() + ", " +
          mask("s4", "s[4:5]") + R"(
    d: v_mov_b32_e32 v2, v1
    s_endpgm
  )");
  EXPECT_FALSE(live("a", AMDGPU::VGPR1));
  for (const char *Label : {"b", "c", "join", "d"})
    EXPECT_TRUE(live(Label, AMDGPU::VGPR1)) << Label;
}

TEST_P(LivenessTest, AMaskFromElsewhereMayTurnOtherLanesOn) {
  analyse("a: v_mov_b32_e32 v1, 0\n" + op("s_mov") + exec() +
          mask(", s4", ", s[4:5]") + R"(
    v_mov_b32_e32 v2, v1
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR1)) << "in lanes that are off at a";
}

TEST_P(LivenessTest, ASavedMaskMayLieInALane) {
  // As -O0 code has it.
  const std::string Save = GetParam().WaveSize == 32
                               ? "v_writelane_b32 v40, exec_lo, 0\n"
                               : "s_mov_b64 s[4:5], exec\n"
                                 "v_writelane_b32 v40, s4, 0\n"
                                 "v_writelane_b32 v40, s5, 1\n";
  const std::string Restore = GetParam().WaveSize == 32
                                  ? "v_readlane_b32 s8, v40, 0\n"
                                    "s_mov_b32 exec_lo, s8\n"
                                  : "v_readlane_b32 s8, v40, 0\n"
                                    "v_readlane_b32 s9, v40, 1\n"
                                    "s_mov_b64 exec, s[8:9]\n";
  analyse(Save + "a: v_mov_b32_e32 v1, 0\n" + op("s_and") + exec() + ", " +
          exec() + mask(", s6\n", ", s[6:7]\n") + "v_mov_b32_e32 v3, v4\n" +
          Restore + R"(
    v_mov_b32_e32 v2, v1
    s_endpgm
  )");
  EXPECT_FALSE(live("a", AMDGPU::VGPR1));
}

TEST_P(LivenessTest, WholeWaveCodeReadsLanesThatTheEntryTurnedOff) {
  analyse("a: v_mov_b32_e32 v1, 0\n" + op("s_or_saveexec") +
          mask("s4, -1\n", "s[4:5], -1\n") + R"(
    b: v_mov_b32_e32 v2, v1
  )" + op("s_mov") +
          exec() + mask(", s4\n", ", s[4:5]\n") + R"(
    c: v_mov_b32_e32 v1, 0
    v_mov_b32_e32 v3, v1
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR1));
  EXPECT_TRUE(live("b", AMDGPU::VGPR1));
  EXPECT_FALSE(live("c", AMDGPU::VGPR1));
}

TEST_P(LivenessTest, ADivergentLoopCarriesWhatLanesLeftWith) {
  // v1 of a lane that left the loop is read at the end; v3 is not.
  analyse(op("s_mov") + mask("s4, ", "s[4:5], ") + exec() + R"(
    a: v_mov_b32_e32 v1, 0
  loop:
    b: v_mov_b32_e32 v3, v1
    v_add_f32_e32 v1, v3, v4
    c: v_cmp_lt_f32_e32 )" +
          vcc() + ", v1, v5\n" + op("s_and") + exec() + ", " + exec() + ", " +
          vcc() + R"(
    s_cbranch_execnz loop
  )" + op("s_mov") +
          exec() + mask(", s4\n", ", s[4:5]\n") + R"(
    d: v_mov_b32_e32 v6, v1
    s_endpgm
  )");
  EXPECT_FALSE(live("a", AMDGPU::VGPR1));
  EXPECT_TRUE(live("b", AMDGPU::VGPR1));
  EXPECT_FALSE(live("b", AMDGPU::VGPR3));
  EXPECT_FALSE(live("c", AMDGPU::VGPR3));
  EXPECT_TRUE(live("c", AMDGPU::VGPR1));
}

TEST_P(LivenessTest, ALaneWrittenAloneKillsNothing) {
  analyse(R"(
    a: v_writelane_b32 v1, s4, 3
    b: v_readlane_b32 s5, v1, 7
    v_mov_b32_e32 v3, 0
    c: v_writelane_b32 v3, s5, 3
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR1));
  EXPECT_FALSE(live("c", AMDGPU::VGPR3)) << "v_writelane does not read";
}

TEST_P(LivenessTest, ALaneReadMayBeOfAnInactiveLane) {
  analyse("x: " + op("s_and_saveexec") + mask("s4, s6\n", "s[4:5], s[6:7]\n") +
          R"(
    a: v_mov_b32_e32 v1, 0
    b: v_readlane_b32 s5, v1, 7
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR1));
  EXPECT_TRUE(live("x", AMDGPU::VGPR1));
}

TEST_P(LivenessTest, LoopsCarryValues) {
  analyse(R"(
    a: s_mov_b32 s4, 0
    s_mov_b32 s8, 0
  loop:
    s_add_u32 s4, s4, s5
    b: s_mov_b32 s7, s4
    s_add_u32 s8, s8, s7
    s_cmp_lt_u32 s4, s6
    c: s_cbranch_scc1 loop
    d: s_mov_b32 s9, s8
    s_endpgm
  )");
  EXPECT_FALSE(live("a", AMDGPU::SGPR4));
  EXPECT_TRUE(live("c", AMDGPU::SGPR4));
  EXPECT_FALSE(live("d", AMDGPU::SGPR4));
  EXPECT_TRUE(live("c", AMDGPU::SGPR5));
  EXPECT_FALSE(live("b", AMDGPU::SGPR7));
  EXPECT_FALSE(live("c", AMDGPU::SGPR7));
}

TEST_P(LivenessTest, TheConditionOfASelectIsRead) {
  analyse("a: v_cmp_eq_u32_e32 " + vcc() + ", 0, v1\n" +
          "b: v_cndmask_b32_e32 v2, v3, v4, " + vcc() + "\n" +
          "c: s_mov_b32 vcc_hi, 0\n" + "d: s_mov_b32 s4, vcc_hi\n" +
          "s_endpgm\n");
  EXPECT_FALSE(live("a", AMDGPU::VCC_LO));
  EXPECT_TRUE(live("b", AMDGPU::VCC_LO));
  EXPECT_FALSE(live("c", AMDGPU::VCC_LO));
  EXPECT_EQ(live("b", AMDGPU::VCC_HI), GetParam().WaveSize == 64);
}

TEST_P(LivenessTest, TheUpperHalfOfVccIsARegisterOfItsOwnInWave32) {
  // v_cmp writes both halves where a wave has 64 lanes.
  analyse("a: v_cmp_eq_u32_e32 " + vcc() + ", 0, v1\n" +
          "b: s_mov_b32 s4, vcc_hi\ns_endpgm\n");
  EXPECT_EQ(live("a", AMDGPU::VCC_HI), GetParam().WaveSize == 32);
}

TEST_P(LivenessTest, BranchesOnVccReadIt) {
  analyse(R"(
    a: s_cbranch_vccz end
    s_nop 0
  end:
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VCC_LO));
}

TEST_P(LivenessTest, ATrapSeesEverything) {
  analyse(R"(
    a: s_trap 2
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::SGPR0));
  EXPECT_TRUE(live("a", AMDGPU::VGPR7));
}

TEST_P(LivenessTest, EverythingIsLiveWhereCodeReturns) {
  analyse(R"(
    a: s_mov_b32 s8, 0
    b: s_setpc_b64 s[30:31]
  )");
  EXPECT_FALSE(live("a", AMDGPU::SGPR8));
  EXPECT_TRUE(live("b", AMDGPU::SGPR8));
  EXPECT_TRUE(live("b", AMDGPU::VGPR40));
  EXPECT_TRUE(live("b", AMDGPU::SCC));
}

TEST_P(LivenessTest, TheSkippedSideOfExeczReadsNothingInActiveLanes) {
  // At `join` by way of the branch no lane is active, so v1 of lanes that are
  // active before the branch is not read there.
  analyse("a: " + op("s_and") + exec() + ", " + exec() +
          mask(", s4", ", s[4:5]") + R"(
    b: s_cbranch_execz join
    c: v_mov_b32_e32 v1, 0
  join:
    v_mov_b32_e32 v2, v1
    s_endpgm
  )");
  EXPECT_FALSE(live("b", AMDGPU::VGPR1));
  EXPECT_FALSE(live("a", AMDGPU::VGPR1));
}

TEST_P(LivenessTest, DppKeepsLanesThatItHasNothingFor) {
  // At the row's end there is no lane to read, and two banks are not written.
  analyse(R"(
    a: v_mov_b32_dpp v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf
    b: v_mov_b32_dpp v5, v2 row_ror:1 row_mask:0xf bank_mask:0x5
    c: v_mov_b32_e32 v6, v2
    v_xor_b32_e32 v4, v1, v5
    v_xor_b32_e32 v4, v4, v6
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR1));
  EXPECT_TRUE(live("b", AMDGPU::VGPR5));
  EXPECT_FALSE(live("c", AMDGPU::VGPR6));
}

INSTANTIATE_TEST_SUITE_P(Targets, LivenessTest,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

/// What only some generations have.
class Gfx9Liveness : public LivenessTest {};

TEST_P(Gfx9Liveness, HalfLoadsKeepTheOtherHalf) {
  analyse(R"(
    a: global_load_short_d16 v1, v[2:3], off
    s_waitcnt vmcnt(0)
    v_mov_b32_e32 v4, v1
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR1));
}

TEST_P(Gfx9Liveness, FlatScratchIsTwoRegisters) {
  analyse(R"(
    a: s_mov_b32 flat_scratch_lo, s4
    b: s_mov_b32 flat_scratch_hi, s5
    c: v_mov_b32_e32 v1, flat_scratch_lo
    s_endpgm
  )");
  EXPECT_FALSE(live("a", AMDGPU::FLAT_SCR_LO));
  EXPECT_TRUE(live("b", AMDGPU::FLAT_SCR_LO));
  EXPECT_FALSE(live("c", AMDGPU::FLAT_SCR_HI));
}

TEST_P(Gfx9Liveness, SdwaMayPreserveTheRest) {
  analyse(R"(
    a: v_add_f16_sdwa v1, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
    v_mov_b32_e32 v4, v1
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR1));
}

TEST_P(Gfx9Liveness, SelectedHalvesKeepTheOther) {
  analyse(R"(
    a: v_fma_f16 v1, v2, v3, v4 op_sel:[0,0,0,1]
    b: v_add_f16_e32 v5, v2, v3
    v_add_u32_e32 v4, v1, v5
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR1));
  EXPECT_FALSE(live("b", AMDGPU::VGPR5));
}

TEST_P(Gfx9Liveness, SomeHalfResultsKeepTheUpperHalfSinceGfx9) {
  analyse(R"(
    a: v_cvt_norm_i16_f16_e32 v1, v2
    b: v_div_fixup_f16 v5, v2, v3, v4
    v_add_u32_e32 v4, v1, v5
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR1));
  EXPECT_TRUE(live("b", AMDGPU::VGPR5));
}

TEST_P(Gfx9Liveness, CarriesGoThroughVcc) {
  analyse(R"(
    a: v_add_co_u32_e32 v1, vcc, v2, v3
    b: v_addc_co_u32_e32 v4, vcc, v5, v6, vcc
    c: v_div_fmas_f32 v7, v1, v4, v2
    d: s_endpgm
  )");
  EXPECT_FALSE(live("a", AMDGPU::VCC));
  EXPECT_TRUE(live("b", AMDGPU::VCC));
  EXPECT_TRUE(live("c", AMDGPU::VCC));
  EXPECT_FALSE(live("d", AMDGPU::VCC));
}

TEST_P(Gfx9Liveness, IndexModeReachesAllVectorRegisters) {
  analyse(R"(
    a: v_mov_b32_e32 v9, 0
    s_set_gpr_idx_on s6, gpr_idx(SRC0)
    b: v_mov_b32_e32 v2, v4
    s_set_gpr_idx_off
    c: s_endpgm
  )");
  EXPECT_TRUE(live("b", AMDGPU::VGPR9));
  EXPECT_TRUE(live("b", AMDGPU::M0));
  EXPECT_FALSE(live("a", AMDGPU::VGPR9)) << "written with all lanes alike";
  EXPECT_FALSE(live("c", AMDGPU::VGPR9));
}

TEST_P(Gfx9Liveness, IndexedScalars) {
  analyse(R"(
    a: s_movrels_b32 s4, s8
    b: s_movreld_b32 s10, s4
    c: s_mov_b32 s5, s12
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::SGPR20));
  EXPECT_TRUE(live("a", AMDGPU::M0));
  EXPECT_TRUE(live("b", AMDGPU::SGPR12)) << "may be written, or not";
}

INSTANTIATE_TEST_SUITE_P(Targets, Gfx9Liveness,
                         ::testing::ValuesIn(allTargets().begin(),
                                             allTargets().begin() + 5),
                         [](const auto &Info) { return nameOf(Info.param); });

class Gfx11Liveness : public LivenessTest {};

TEST_P(Gfx11Liveness, ShortEncodingsNameHalvesOfTheFirst128) {
  analyse(R"(
    a: v_add_f16_e32 v1.l, v70.h, v2.l
    b: v_mov_b32_e32 v3, v1
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR70));
  EXPECT_FALSE(live("a", AMDGPU::VGPR198));
  EXPECT_TRUE(live("a", AMDGPU::VGPR1)) << "its upper half";
}

/// Only waves of 32 lanes have dual operations.
class DualLiveness : public LivenessTest {};
INSTANTIATE_TEST_SUITE_P(Targets, DualLiveness,
                         ::testing::Values(TargetCase{"gfx1100", 32},
                                           TargetCase{"gfx1201", 32}),
                         [](const auto &Info) { return nameOf(Info.param); });

TEST_P(DualLiveness, DualOperationsReadBothAccumulators) {
  analyse(R"(
    a: v_dual_mul_f32 v62, v18, v178 :: v_dual_fmac_f32 v97, v57, v88
    v_add_f32_e32 v1, v62, v97
    s_endpgm
  )");
  EXPECT_TRUE(live("a", AMDGPU::VGPR97));
}

TEST_P(Gfx11Liveness, MissingTexelsKeepWhatWasThere) {
  for (bool Reports : {false, true}) {
    SCOPED_TRACE(Reports);
    analyse(std::string(R"(
      a: image_load )") +
            (Reports ? "v[1:5]" : "v[1:4]") +
            ", [v6, v7], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D" +
            (Reports ? " tfe" : "") + R"(
      b: s_nop 0
      global_store_dword v[8:9], v1, off
      s_endpgm
    )");
    EXPECT_EQ(live("a", AMDGPU::VGPR1), Reports);
    EXPECT_TRUE(live("b", AMDGPU::VGPR1));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Gfx11Liveness,
                         ::testing::ValuesIn(allTargets().begin() + 7,
                                             allTargets().end()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
