// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar registers that are written after the vector ALU read them.
#include "StrictMachine.h"

namespace luthier::test {
namespace {

using emulator::strict::Rule;

class SgprHazardsOfGfx11 : public StrictMachine {
protected:
  explicit SgprHazardsOfGfx11(unsigned WaveSize = 64)
      : StrictMachine("hazards", "gfx1100", WaveSize) {}
  static std::string maskThen(const std::string &Rest) {
    return "v_cndmask_b32_e64 v2, v0, v1, s[6:7]\n" + Rest + "\ns_endpgm";
  }
};

TEST_F(SgprHazardsOfGfx11, MaskWrittenByScalarUnit) {
  auto V = expectOne(Rule::Hazard, "s_add_u32", maskThen(R"(
    s_mov_b32 s7, 0
    s_nop 3
    s_add_u32 s8, s7, 1)"));
  EXPECT_EQ(V.Register, "s7");
  EXPECT_EQ(V.OtherPC, Request.EntryPC + 8);
  EXPECT_EQ(V.PC, Request.EntryPC + 16);
  expectQuiet(maskThen(R"(
    s_mov_b32 s7, 0
    s_waitcnt_depctr 0xfffe
    s_add_u32 s8, s7, 1)"));
}

TEST_F(SgprHazardsOfGfx11, MaskWrittenByVectorUnit) {
  auto V = expectOne(Rule::Hazard, "v_mov_b32", maskThen(R"(
    v_readfirstlane_b32 s6, v0
    v_mov_b32 v3, s6)"));
  EXPECT_EQ(V.Register, "s6");
  expectQuiet(maskThen(R"(
    v_readfirstlane_b32 s6, v0
    s_waitcnt_depctr 0xf1ff
    v_mov_b32 v3, s6)"));
  // The scalar unit waits by itself.
  expectQuiet(maskThen(R"(
    v_readfirstlane_b32 s6, v0
    s_mov_b32 s8, s6)"));
}

TEST_F(SgprHazardsOfGfx11, VccHasAWaitOfItsOwn) {
  expectOne(Rule::Hazard, "v_cndmask_b32", R"(
    v_cndmask_b32 v2, v0, v1, vcc
    v_cmp_eq_u32 vcc, v0, v0
    s_waitcnt_depctr 0xf1ff
    v_cndmask_b32 v2, v0, v1, vcc
    s_endpgm)");
  expectQuiet(R"(
    v_cndmask_b32 v2, v0, v1, vcc
    v_cmp_eq_u32 vcc, v0, v0
    s_waitcnt_depctr 0xfffd
    v_cndmask_b32 v2, v0, v1, vcc
    s_endpgm)");
}

TEST_F(SgprHazardsOfGfx11, ABranchMayBeACall) {
  expectQuiet(maskThen(R"(
    s_branch f
    s_nop 0
  f:
    s_mov_b32 s7, 0
    s_add_u32 s8, s7, 1)"));
  expectOne(Rule::Hazard, "s_add_u32", maskThen(R"(
    s_cbranch_execz f
    s_nop 0
  f:
    s_mov_b32 s7, 0
    s_add_u32 s8, s7, 1)"));
}

TEST_F(SgprHazardsOfGfx11, OnlyMasksMatter) {
  expectQuiet(R"(
    v_mov_b32 v2, s6
    s_mov_b32 s6, 0
    v_mov_b32 v2, s6
    v_cndmask_b32_e64 v2, s6, v1, s[8:9]
    s_mov_b32 s6, 0
    v_mov_b32 v2, s6
    s_endpgm)");
}

class SgprHazardsOfGfx11Wave32 : public SgprHazardsOfGfx11 {
protected:
  SgprHazardsOfGfx11Wave32() : SgprHazardsOfGfx11(32) {}
};

TEST_F(SgprHazardsOfGfx11Wave32, DoNotExist) {
  Request.WorkgroupSize = Request.GridSize = {32, 1, 1};
  expectQuiet(R"(
    v_cndmask_b32_e64 v2, v0, v1, s6
    s_mov_b32 s6, 0
    s_add_u32 s8, s6, 1
    s_endpgm)");
}

class SgprHazardsOfGfx12 : public StrictMachine {
protected:
  SgprHazardsOfGfx12() : StrictMachine("hazards", "gfx1201", 32) {
    Request.WorkgroupSize = Request.GridSize = {32, 1, 1};
  }
};

TEST_F(SgprHazardsOfGfx12, AnythingVectorUnitHasRead) {
  auto V = expectOne(Rule::Hazard, "v_mov_b32", R"(
    v_mov_b32 v2, s6
    s_mov_b32 s6, 0
    v_mov_b32 v2, s6
    s_endpgm)");
  EXPECT_EQ(V.Register, "s6");
  EXPECT_EQ(V.OtherPC, Request.EntryPC + 4);
  EXPECT_EQ(V.PC, Request.EntryPC + 8);
  expectQuiet(R"(
    v_mov_b32 v2, s6
    s_mov_b32 s6, 0
    s_wait_alu depctr_sa_sdst(0)
    v_mov_b32 v2, s6
    s_endpgm)");
}

TEST_F(SgprHazardsOfGfx12, FourNopsOfLdsEndReads) {
  const std::string Writes = "s_mov_b32 s6, 0\n"
                             "v_mov_b32 v2, s6\n"
                             "s_endpgm\n";
  const std::string Nop = "ds_nop\n", Three = Nop + Nop + Nop;
  const std::string Reads = "v_mov_b32 v2, s6\n";
  expectQuiet(Reads + Three + Nop + Writes);
  expectOne(Rule::Hazard, "v_mov_b32", Reads + Three + Writes);
  expectOne(Rule::Hazard, "v_mov_b32",
            Reads + Three + "s_nop 0\n" + Nop + Writes);
}

TEST_F(SgprHazardsOfGfx12, ResultsOfVectorUnit) {
  expectOne(Rule::Hazard, "v_mov_b32", R"(
    v_mov_b32 v2, s6
    v_readfirstlane_b32 s6, v0
    s_delay_alu instid0(VALU_DEP_1)
    v_mov_b32 v2, s6
    s_endpgm)");
  expectQuiet(R"(
    v_mov_b32 v2, s6
    v_readfirstlane_b32 s6, v0
    s_wait_alu depctr_va_sdst(0)
    v_mov_b32 v2, s6
    v_readfirstlane_b32 s6, v0
    s_mov_b32 s7, s6
    v_mov_b32 v2, s6
    s_endpgm)");
  expectOne(Rule::Hazard, "v_cndmask_b32", R"(
    v_cndmask_b32 v2, v0, v1, vcc_lo
    v_cmp_eq_u32 vcc_lo, v0, v0
    s_wait_alu depctr_va_sdst(0)
    v_cndmask_b32 v2, v0, v1, vcc_lo
    s_wait_alu depctr_va_vcc(0)
    v_cndmask_b32 v2, v0, v1, vcc_lo
    s_endpgm)");
}

TEST_F(SgprHazardsOfGfx12, AnyScalarReadWaitsForVectorUnit) {
  expectQuiet(R"(
    v_mov_b32 v2, s6
    v_readfirstlane_b32 s6, v0
    s_mov_b32 s8, s9
    v_mov_b32 v2, s6
    s_endpgm)");
  // Workgroup ids are there.
  expectQuiet(R"(
    v_mov_b32 v2, s6
    v_readfirstlane_b32 s6, v0
    s_cmp_lg_u32 ttmp9, 0
    v_mov_b32 v2, s6
    s_endpgm)");
  expectOne(Rule::Hazard, "v_mov_b32", R"(
    v_mov_b32 v2, s6
    v_readfirstlane_b32 s6, v0
    s_mov_b32 s8, exec_lo
    v_mov_b32 v2, s6
    s_endpgm)");
}

TEST_F(SgprHazardsOfGfx12, ScalarLoadsWait) {
  expectQuiet(R"(
    v_mov_b32 v2, s6
    s_mov_b32 s6, 0
    s_load_b32 s8, s[0:1], 0x0
    v_mov_b32 v2, s6
    s_endpgm)");
}

} // namespace
} // namespace luthier::test
