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

TEST_F(HazardsOfMi200, AddendsAreReadLate) {
  expectStates(1, "v_mfma_f32_4x4x1f32 v[36:39], v2, v3, v[4:7]",
               "v_mov_b32 v7, 0");
  expectStates(7, "v_mfma_f32_16x16x1f32 v[36:51], v2, v3, v[4:19]",
               "v_mov_b32 v4, 0");
  expectStates(15, "v_mfma_f32_32x32x1f32 v[32:63], v2, v3, v[0:31]",
               "global_load_dword v31, v1, s[0:1]");
}

TEST_F(HazardsOfMi200, DotProducts) {
  expectStates(3, "v_dot2_f32_f16 v2, v3, v4, v5", "v_mov_b32 v6, v2");
  expectStates(3, "v_dot2_f32_f16 v2, v3, v4, v5", "v_mov_b32 v2, v6");
  expectStates(3, "v_dot2_f32_f16 v2, v3, v4, v5",
               "v_dot2_f32_f16 v6, v3, v2, v5");
  expectQuiet(R"(
    v_dot2_f32_f16 v2, v3, v4, v5
    v_dot2_f32_f16 v2, v3, v4, v2
    s_endpgm)");
}

TEST_F(HazardsOfMi200, DoubleMatrixOperations) {
  expectStates(2, "v_mfma_f64_4x4x4f64 v[2:3], v[4:5], v[6:7], v[2:3]",
               "v_fma_f64 v[8:9], v[10:11], v[10:11], v[10:11]");
  expectStates(4, "v_mfma_f64_4x4x4f64 v[2:3], v[4:5], v[6:7], v[2:3]",
               "v_mfma_f64_4x4x4f64 v[2:3], v[4:5], v[6:7], v[2:3]");
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
  expectStates(4, "v_mfma_f32_16x16x1f32 a[0:15], v2, v3, a[0:15]",
               "v_mfma_f32_4x4x1f32 a[16:19], a0, v9, a[16:19]");
  expectStates(2, "v_mfma_f32_16x16x1f32 a[0:15], v2, v3, a[0:15]",
               "v_mfma_f32_4x4x1f32 a[16:19], v8, v9, a[4:7]");
  expectStates(5, "v_mfma_f32_16x16x1f32 a[16:31], v2, v3, a[0:15]",
               "v_accvgpr_write_b32 a0, v2");
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

/// As Tensile's kernels do it.
TEST_F(HazardsOfMi300, MasksAndCarriesOfVectorComparisons) {
  expectQuiet(R"(
    v_mov_b32 v1, 0
    v_cmp_eq_u32 s[6:7], v1, v1
    v_cndmask_b32 v2, v1, 1, s[6:7]
    v_cmp_eq_u32 vcc, v1, v1
    v_cndmask_b32 v3, v1, v2, vcc
    v_add_co_u32 v3, vcc, v1, v2
    v_addc_co_u32 v3, vcc, v1, v2, vcc
    v_sub_co_u32 v3, s[8:9], v1, v2
    v_subb_co_u32 v3, s[8:9], v1, v2, s[8:9]
    s_endpgm)");
  expectStates(2, "v_cmp_eq_u32 s[6:7], v1, v1", "v_mov_b32 v3, s6");
  expectStates(2, "v_cmp_eq_u32 vcc, v1, v1", "v_mov_b32 v3, vcc_lo");
}

/// As inline assembly of rocPRIM does it.
TEST_F(HazardsOfMi300, StoresThatWereWaitedForHaveReadTheirData) {
  auto behind = [](const std::string &Wait) {
    return "v_mov_b32 v1, 0\nglobal_store_dwordx4 v1, v[4:7], s[0:1]\n" + Wait +
           "\nv_mov_b32 v6, 0\ns_endpgm";
  };
  expectQuiet(behind("s_waitcnt vmcnt(0)"));
  for (const char *Other :
       {"s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(16)", "s_waitcnt lgkmcnt(0)"}) {
    violations(behind(Other));
    ASSERT_EQ(Seen.size(), 1u) << Other;
    EXPECT_EQ(Seen[0].What, Rule::Hazard);
  }
}

TEST_F(HazardsOfMi300, ResultsInTheUpperHalfAndNotThoseInTheLower) {
  expectStates(1, "v_fma_f16 v2, v1, v1, v1 op_sel:[0,0,0,1]",
               "v_mov_b32 v3, v2");
  expectQuiet(R"(
    v_fma_f16 v2, v1, v1, v1
    v_mov_b32 v3, v1
    v_fma_f16 v3, v1, v1, v1
    v_add_f16 v4, v3, v3
    s_endpgm)");
}

TEST_F(HazardsOfMi300, MatrixOperations) {
  expectStates(3, "v_mfma_f32_16x16x16_f16 v[36:39], v[2:3], v[8:9], v[4:7]",
               "v_mov_b32 v7, 0");
  expectStates(2, "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[2:3], v[8:9], a[0:3]",
               "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[2:3], v[8:9], a[0:3]");
  // The slower unit has read its addend, and gives its result to the faster.
  expectQuiet(R"(
    v_mfma_f32_16x16x4_f32 v[36:39], v2, v3, v[4:7]
    v_mov_b32 v7, 0
    v_mfma_f32_16x16x4_f32 a[0:3], v2, v3, a[0:3]
    v_mfma_f32_16x16x16_f16 a[4:7], v[8:9], v[8:9], a[2:5]
    s_endpgm)");
}

class HazardsOfMi350 : public HazardsOf {
protected:
  HazardsOfMi350() : HazardsOf("gfx950") {}
};

TEST_F(HazardsOfMi350, MatrixOperationsTakeAStateMore) {
  expectStates(5, "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[2:3], v[4:5], a[0:3]",
               "v_accvgpr_read_b32 v8, a0");
  expectStates(8, "v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[4:5], a[0:3]",
               "v_accvgpr_read_b32 v8, a0");
  expectStates(12, "v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15]",
               "global_store_dword v1, a4, s[0:1]");
  expectStates(6, "v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[4:5], a[0:3]",
               "v_mfma_f32_16x16x16_f16 a[4:7], v[2:3], v[4:5], a[2:5]");
  expectStates(19, "v_mfma_f64_16x16x4_f64 a[0:7], v[2:3], v[4:5], a[0:7]",
               "v_accvgpr_read_b32 v8, a0");
}

TEST_F(HazardsOfMi350, RowsThatAreSwapped) {
  expectStates(2, "v_mov_b32 v2, 0", "v_permlane16_swap_b32 v2, v3");
  expectStates(4, "v_cmpx_eq_u32 exec, v1, v1", "v_permlane32_swap_b32 v2, v3");
}

class HazardsOfGfx11 : public HazardsOf {
protected:
  HazardsOfGfx11() : HazardsOf("gfx1100") {}
};

TEST_F(HazardsOfGfx11, ResultsFromBeforeAndAfterExecChanges) {
  auto V = expectOne(Rule::Hazard, "v_add_nc_u32", R"(
    v_mov_b32 v2, 0
    s_mov_b64 exec, -1
    v_mov_b32 v3, 0
    v_add_nc_u32 v4, v2, v3
    s_endpgm)");
  EXPECT_EQ(V.Register, "v2");
  EXPECT_EQ(V.OtherPC, Request.EntryPC);
  for (const char *Instead :
       {"s_waitcnt_depctr 0xfff", "v_nop\nv_nop\nv_nop", "ds_nop"})
    expectQuiet(std::string("v_mov_b32 v2, 0\n") + Instead + R"(
      s_mov_b64 exec, -1
      v_mov_b32 v3, 0
      v_add_nc_u32 v4, v2, v3
      s_endpgm)");
  expectQuiet(R"(
    v_mov_b32 v2, 0
    s_mov_b64 exec, -1
    v_mov_b32 v3, 0
    v_add_nc_u32 v4, v2, v2
    v_add_nc_u32 v4, v3, v3
    s_endpgm)");
}

TEST_F(HazardsOfGfx11, CompareToExecBeforePermutation) {
  auto V = expectOne(Rule::Hazard, "v_permlane16_b32", R"(
    v_cmpx_eq_u32 v0, v0
    v_nop
    v_permlane16_b32 v2, v3, s2, s3
    s_endpgm)");
  EXPECT_EQ(V.OtherPC, Request.EntryPC);
  expectQuiet(R"(
    v_cmpx_eq_u32 v0, v0
    v_mov_b32 v4, v4
    v_permlane16_b32 v2, v3, s2, s3
    s_endpgm)");
}

TEST_F(HazardsOfGfx11, MatrixOperationsInSuccession) {
  const std::string First =
      "v_wmma_f32_16x16x16_f16 v[16:19], v[0:7], v[8:15], v[16:19]\n";
  auto V = expectOne(
      Rule::Hazard, "v_wmma",
      First + "s_nop 7\n"
              "v_wmma_f32_16x16x16_f16 v[24:27], v[12:19], v[8:15], v[24:27]\n"
              "s_endpgm");
  EXPECT_EQ(V.Register, "v16");
  EXPECT_EQ(V.OtherPC, Request.EntryPC);
  expectQuiet(First +
              "v_nop\n"
              "v_wmma_f32_16x16x16_f16 v[24:27], v[12:19], v[8:15], v[24:27]\n"
              "s_endpgm");
  expectQuiet(First +
              "v_wmma_f32_16x16x16_f16 v[16:19], v[0:7], v[8:15], v[16:19]\n"
              "s_endpgm");
}

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

TEST_F(HazardsOfGfx10, DenormalModeAfterFloatAtomic) {
  expectStates(3, "global_atomic_fmin v1, v2, s[0:1]", "s_denorm_mode 0xf");
  expectQuiet(R"(
    v_mov_b32 v1, 0
    global_atomic_fmin v1, v2, s[0:1]
    v_mov_b32 v3, 0
    s_denorm_mode 0xf
    global_atomic_fmin v1, v2, s[0:1]
    s_waitcnt_vscnt null, 0x0
    s_denorm_mode 0xf
    global_atomic_umin v1, v2, s[0:1]
    s_denorm_mode 0xf
    s_endpgm)");
}

TEST_F(HazardsOfGfx10, AreInterlockedOtherwise) {
  expectQuiet(R"(
    v_readfirstlane_b32 s6, v1
    v_readlane_b32 s7, v1, s6
    v_cmp_eq_u32 vcc, v1, v1
    v_div_fmas_f32 v2, v3, v4, v5
    s_endpgm)");
}

} // namespace
} // namespace luthier::test
