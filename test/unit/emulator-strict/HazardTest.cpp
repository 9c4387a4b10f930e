// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each hazard with one wait state too few, and with just enough.
#include "StrictMachine.h"

namespace luthier::test {
namespace {

using emulator::strict::Rule;

class HazardsOf : public StrictMachine {
protected:
  explicit HazardsOf(const std::string &Processor)
      : StrictMachine("hazards", Processor) {}

  /// \p Second must not follow \p First with fewer than \p States between.
  void expectStates(unsigned States, const std::string &First,
                    const std::string &Second) {
    SCOPED_TRACE(First + " / " + Second);
    auto With = [&](unsigned N) {
      std::string Between;
      constexpr unsigned MostPerNop = 8;
      for (unsigned Left = N; Left; Left -= std::min(Left, MostPerNop))
        Between +=
            "s_nop " + std::to_string(std::min(Left, MostPerNop) - 1) + "\n";
      return "v_mov_b32 v1, 0\ns_nop 4\n" + First + "\n" + Between + Second +
             "\ns_endpgm";
    };
    for (unsigned N = 0; N != States; ++N) {
      violations(With(N));
      ASSERT_EQ(Seen.size(), 1u) << N;
      EXPECT_EQ(Seen[0].What, Rule::Hazard);
      EXPECT_TRUE(Seen[0].OtherPC);
      EXPECT_NE(Seen[0].Detail.find("needs " + std::to_string(States) +
                                    " wait states and has " +
                                    std::to_string(N)),
                std::string::npos)
          << Seen[0].Detail;
    }
    expectQuiet(With(States));
  }
};

class HazardsOfMi200 : public HazardsOf {
protected:
  HazardsOfMi200() : HazardsOf("gfx90a") {}
};

TEST_F(HazardsOfMi200, ScalarResultsOfVectorOperations) {
  expectStates(5,
               "s_mov_b32 s7, s1\nv_mov_b32 v9, s0\nv_readfirstlane_b32 s6, v9",
               "global_load_dword v2, v1, s[6:7]");
  expectStates(4, "v_readfirstlane_b32 s6, v1", "v_readlane_b32 s7, v1, s6");
  expectStates(4, "v_cmp_eq_u32 vcc, v1, v1", "v_div_fmas_f32 v2, v3, v4, v5");
  expectQuiet(R"(
    v_readfirstlane_b32 s6, v1
    s_add_u32 s7, s6, 1
    v_add_u32 v2, s6, v1
    v_cmp_eq_u32 vcc, v1, v1
    v_cndmask_b32 v2, v1, v1, vcc
    s_endpgm)");
}

TEST_F(HazardsOfMi200, IndependentInstructionsCountAsWaitStates) {
  expectQuiet(R"(
    v_mov_b32 v1, 0
    v_readfirstlane_b32 s6, v1
    v_mov_b32 v2, 0
    v_mov_b32 v3, 0
    s_mov_b32 s7, 0
    s_nop 0
    v_readlane_b32 s7, v1, s6
    s_endpgm)");
}

TEST_F(HazardsOfMi200, DataParallelPrimitives) {
  expectStates(2, "v_mov_b32 v2, 0",
               "v_mov_b32_dpp v3, v2 row_shr:1 row_mask:0xf bank_mask:0xf");
  expectStates(5, "v_cmpx_eq_u32 exec, v1, v1",
               "v_mov_b32_dpp v3, v9 row_shr:1 row_mask:0xf bank_mask:0xf");
}

TEST_F(HazardsOfMi200, ScalarStateThatIsUsedTooEarly) {
  expectStates(1, "s_mov_b32 m0, 0", "s_movrels_b32 s6, s7");
  expectStates(1, "s_mov_b32 m0, 0", "s_sendmsg sendmsg(MSG_INTERRUPT)");
  expectStates(2, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0",
               "s_getreg_b32 s6, hwreg(HW_REG_MODE)");
  expectStates(5, "v_cmp_eq_u32 vcc, v1, v1", "v_mov_b32 v2, src_vccz");
}

TEST_F(HazardsOfMi200, DataOfAWideStore) {
  expectStates(1, "global_store_dwordx4 v1, v[4:7], s[0:1]", "v_mov_b32 v6, 0");
  expectQuiet(R"(
    v_mov_b32 v1, 0
    global_store_dwordx2 v1, v[4:5], s[0:1]
    v_mov_b32 v4, 0
    global_store_dword v1, v5, s[0:1]
    v_pk_mov_b32 v[4:5], v[6:7], v[6:7] op_sel:[0,1]
    s_endpgm)");
}

TEST_F(HazardsOfMi200, MatrixOperations) {
  expectStates(2, "v_mov_b32 v2, 0",
               "v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]");
  expectStates(4, "v_cmpx_eq_u32 exec, v1, v1",
               "v_mfma_f32_4x4x1f32 a[0:3], v8, v9, a[0:3]");
  expectStates(5, "v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]",
               "v_accvgpr_read_b32 v4, a0");
  expectStates(11, "v_mfma_f32_16x16x1f32 a[0:15], v2, v3, a[0:15]",
               "v_accvgpr_read_b32 v4, a15");
  expectStates(19, "v_mfma_f32_32x32x1f32 a[0:31], v2, v3, a[0:31]",
               "global_store_dword v1, a4, s[0:1]");
  expectStates(8, "v_mfma_f32_16x16x1f32 a[0:15], v2, v3, a[0:15]",
               "v_mfma_f32_4x4x1f32 a[16:19], v2, v3, a[4:7]");
  expectQuiet(R"(
    v_mfma_f32_16x16x1f32 a[0:15], v2, v3, a[0:15]
    v_mfma_f32_16x16x1f32 a[0:15], v2, v3, a[0:15]
    s_endpgm)");
}

class HazardsOfMi100 : public HazardsOf {
protected:
  HazardsOfMi100() : HazardsOf("gfx908") {}
};

TEST_F(HazardsOfMi100, MatrixOperations) {
  expectStates(4, "v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]",
               "v_accvgpr_read_b32 v4, a0");
  expectStates(10, "v_mfma_f32_16x16x1f32 a[0:15], v2, v3, a[0:15]",
               "v_accvgpr_read_b32 v4, a0");
  expectStates(1, "v_accvgpr_write_b32 a0, v2",
               "v_mfma_f32_4x4x1f32 a[0:3], v8, v9, a[0:3]");
}

class HazardsOfMi300 : public HazardsOf {
protected:
  HazardsOfMi300() : HazardsOf("gfx942") {}
};

TEST_F(HazardsOfMi300, VectorOperations) {
  expectStates(1, "v_rcp_f32 v2, v1", "v_mov_b32 v3, v2");
  expectStates(2, "v_readfirstlane_b32 s6, v1", "v_mov_b32 v3, s6");
  expectStates(2, "global_store_dwordx4 v1, v[4:7], s[0:1]", "v_mov_b32 v6, 0");
  expectStates(1, "v_mov_b32 v2, 0", "v_readlane_b32 s6, v2, 0");
}

class HazardsOfGfx11 : public HazardsOf {
protected:
  HazardsOfGfx11() : HazardsOf("gfx1100") {}
};

TEST_F(HazardsOfGfx11, TranscendentalResultsNeedAWait) {
  auto V = expectOne(Rule::Hazard, "v_mov_b32", R"(
    v_rcp_f32 v2, v1
    s_nop 5
    v_mov_b32 v3, v2
    s_endpgm)");
  EXPECT_EQ(V.Register, "v2");
  expectQuiet(R"(
    v_rcp_f32 v2, v1
    s_waitcnt_depctr 0xfff
    v_mov_b32 v3, v2
    s_endpgm)");
}

class HazardsOfGfx10 : public HazardsOf {
protected:
  HazardsOfGfx10() : HazardsOf("gfx1030") {}
};

TEST_F(HazardsOfGfx10, AreAllInterlocked) {
  expectQuiet(R"(
    v_readfirstlane_b32 s6, v1
    v_readlane_b32 s7, v1, s6
    v_cmp_eq_u32 vcc, v1, v1
    v_div_fmas_f32 v2, v3, v4, v5
    s_endpgm)");
}

} // namespace
} // namespace luthier::test
