// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LDS-direct: loads have a counter of their own and overtake what still uses
// their register; sources of arithmetic need M0 a state before.
#include "StrictMachine.h"

namespace luthier::test {
namespace {

using emulator::strict::Rule;

class LdsDirectOn : public StrictMachine {
protected:
  LdsDirectOn(const char *Checks, const char *Processor)
      : StrictMachine(Checks, Processor) {
    Request.GroupSegmentSize = 1024;
  }
  /// A dword at byte 16.
  static constexpr const char *PointsToDword = "s_mov_b32 m0, 0x20010\n";
};

class LdsDirectWaitsGfx11 : public LdsDirectOn {
protected:
  LdsDirectWaitsGfx11() : LdsDirectOn("loads=latest", "gfx1100") {}
};

TEST_F(LdsDirectWaitsGfx11, AreForTheExportCounter) {
  const std::string Loads = PointsToDword + std::string(R"(
    lds_direct_load v4
    lds_direct_load v5
)");
  auto V = expectOne(Rule::MissingWait, "v_mov_b32_e32 v6, v5", Loads + R"(
    s_waitcnt expcnt(1)
    v_mov_b32 v6, v4
    v_mov_b32 v6, v5
    s_endpgm)");
  EXPECT_EQ(V.Register, "v5");
  expectOne(Rule::MissingWait, "v_mov_b32", Loads + R"(
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mov_b32 v6, v4
    s_endpgm)");
  expectQuiet(Loads + "s_waitcnt expcnt(0)\nv_add_nc_u32 v6, v4, v5\ns_endpgm");
  expectQuiet(Loads +
              "s_waitcnt_expcnt null, 0\nv_add_nc_u32 v6, v4, v5\ns_endpgm");
}

/// Also to those that are not active, of a quad that has an active one.
TEST_F(LdsDirectWaitsGfx11, ResultsArriveInAllLanesOfAQuad) {
  expectQuiet(PointsToDword + std::string(R"(
    v_mov_b32 v1, 16
    v_mov_b32 v2, 77
    v_mov_b32 v4, 0
    ds_store_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_mov_b64 exec, 0x40
    lds_direct_load v4
    s_waitcnt expcnt(0)
    s_mov_b64 exec, -1
    v_lshlrev_b32 v1, 2, v0
    global_store_b32 v1, v4, s[0:1]
    s_endpgm)"));
  for (unsigned Lane = 0; Lane != 16; ++Lane)
    EXPECT_EQ(Data.as<uint32_t>()[Lane], Lane / 4 == 1 ? 77u : 0u) << Lane;
}

class LdsDirectWaitsGfx12 : public LdsDirectOn {
protected:
  LdsDirectWaitsGfx12() : LdsDirectOn("loads=latest", "gfx1201") {}
};

TEST_F(LdsDirectWaitsGfx12, AreForTheExportCounter) {
  const std::string Load = PointsToDword + std::string("ds_direct_load v4\n");
  expectOne(Rule::MissingWait, "v_mov_b32", Load + R"(
    s_wait_loadcnt_dscnt 0x0
    s_wait_kmcnt 0x0
    v_mov_b32 v6, v4
    s_endpgm)");
  expectQuiet(Load + "s_wait_expcnt 0x0\nv_mov_b32 v6, v4\ns_endpgm");
}

class LdsDirectHazardsGfx11 : public LdsDirectOn {
protected:
  LdsDirectHazardsGfx11() : LdsDirectOn("hazards", "gfx1100") {}
};

TEST_F(LdsDirectHazardsGfx11, VectorOperationsMustBeDoneWithTheRegister) {
  // One operation came after the one in question.
  for (const char *First : {"v_mov_b32 v4, v0\n", "v_mov_b32 v5, v4\n"}) {
    const std::string Both =
        PointsToDword + std::string(First) + "v_mov_b32 v6, v7\n";
    auto V = expectOne(Rule::Hazard, "lds_direct_load",
                       Both + "lds_direct_load v4 wait_vdst:2\ns_endpgm");
    EXPECT_EQ(V.Register, "v4");
    expectOne(Rule::Hazard, "lds_direct_load",
              Both + "lds_direct_load v4 wait_vdst:15\ns_endpgm");
    expectQuiet(Both + "lds_direct_load v4 wait_vdst:1\ns_endpgm");
    expectQuiet(Both + "lds_direct_load v4 wait_vdst:0\ns_endpgm");
    expectQuiet(Both + "lds_direct_load v8 wait_vdst:15\ns_endpgm");
    expectQuiet(Both + "s_waitcnt_depctr 0xfff\n"
                       "lds_direct_load v4 wait_vdst:15\ns_endpgm");
    expectQuiet(Both + "ds_nop\nlds_direct_load v4 wait_vdst:15\ns_endpgm");
  }
}

/// They overtake others, so that no number says which are over.
TEST_F(LdsDirectHazardsGfx11, TranscendentalOperationsAreNotCounted) {
  const std::string Both = PointsToDword + std::string("v_mov_b32 v4, v0\n"
                                                       "v_rcp_f32 v6, v7\n");
  expectOne(Rule::Hazard, "lds_direct_load",
            Both + "lds_direct_load v4 wait_vdst:1\ns_endpgm");
  expectQuiet(Both + "lds_direct_load v4 wait_vdst:0\ns_endpgm");
}

TEST_F(LdsDirectHazardsGfx11, MemoryOperationsMustHaveReadTheRegister) {
  const std::string Store = PointsToDword + std::string(R"(
    v_lshlrev_b32 v1, 2, v0
    global_store_b32 v1, v4, s[0:1]
)");
  const std::string Load = "lds_direct_load v4 wait_vdst:15\ns_endpgm";
  auto V = expectOne(Rule::Hazard, "lds_direct_load", Store + Load);
  EXPECT_EQ(V.Register, "v4");
  expectQuiet(Store + "s_waitcnt_depctr 0xffe3\n" + Load);
  expectQuiet(Store + "v_nop\n" + Load);
  expectQuiet(Store + "lds_direct_load v5 wait_vdst:15\ns_endpgm");
}

class LdsDirectHazardsGfx12 : public LdsDirectOn {
protected:
  LdsDirectHazardsGfx12() : LdsDirectOn("hazards", "gfx1201") {}
};

TEST_F(LdsDirectHazardsGfx12, LoadsCanWaitForBoth) {
  const std::string Vector = PointsToDword + std::string("v_mov_b32 v5, v4\n");
  expectOne(Rule::Hazard, "ds_direct_load",
            Vector + "ds_direct_load v4 wait_va_vdst:3 wait_vm_vsrc:1\n"
                     "s_endpgm");
  expectQuiet(Vector + "s_wait_alu depctr_va_vdst(0)\n"
                       "ds_direct_load v4 wait_va_vdst:15 wait_vm_vsrc:1\n"
                       "s_endpgm");
  const std::string Store = PointsToDword + std::string(R"(
    v_lshlrev_b32 v1, 2, v0
    global_store_b32 v1, v4, s[0:1]
)");
  expectOne(Rule::Hazard, "ds_direct_load",
            Store + "ds_direct_load v4 wait_va_vdst:15 wait_vm_vsrc:1\n"
                    "s_endpgm");
  expectQuiet(Store + "ds_direct_load v4 wait_va_vdst:15 wait_vm_vsrc:0\n"
                      "s_endpgm");
}

class LdsDirectUndefinedGfx11 : public LdsDirectOn {
protected:
  LdsDirectUndefinedGfx11() : LdsDirectOn("undefined", "gfx1100") {}
};

TEST_F(LdsDirectUndefinedGfx11, IsReportedInTheAddressAndFollowedFromLds) {
  auto V = expectOne(Rule::UndefinedAddress, "lds_direct_load",
                     "s_and_b32 m0, s20, 0x10\ns_or_b32 m0, m0, 0x20000\n"
                     "lds_direct_load v4\ns_endpgm");
  EXPECT_EQ(V.Register, "m0");
  // Two bytes of four are initialised.
  const std::string Half = PointsToDword + std::string(R"(
    v_mov_b32 v1, 16
    ds_store_b16 v1, v0
    s_waitcnt lgkmcnt(0)
)");
  const std::string Branch = R"(
    s_waitcnt expcnt(0)
    v_cmp_ne_u32 vcc, 100, v4
    s_cbranch_vccnz end
  end:
    s_endpgm)";
  expectOne(Rule::UndefinedBranch, "s_cbranch_vccnz",
            Half + "lds_direct_load v4\n" + Branch);
  expectQuiet(Half + "s_mov_b32 m0, 0x50010\nlds_direct_load v4\n" + Branch);
}

class LdsDirectOfVega : public LdsDirectOn {
protected:
  LdsDirectOfVega() : LdsDirectOn("1", "gfx906") {}
};

TEST_F(LdsDirectOfVega, NeedsM0AStateBefore) {
  const std::string Filled = R"(
    v_mov_b32 v1, 16
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
)";
  auto V = expectOne(Rule::Hazard, "v_mov_b32",
                     Filled + PointsToDword +
                         "v_mov_b32 v2, src_lds_direct\ns_endpgm");
  EXPECT_EQ(V.Register, "m0");
  expectQuiet(Filled + PointsToDword +
              "s_nop 0\nv_mov_b32 v2, src_lds_direct\ns_endpgm");
  // As a value, M0 is there at once.
  expectQuiet(Filled + PointsToDword + "v_mov_b32 v2, m0\ns_endpgm");
}

TEST_F(LdsDirectOfVega, FollowsUninitialisedBits) {
  const std::string Half = PointsToDword + std::string(R"(
    v_mov_b32 v1, 16
    ds_write_b16 v1, v0
    s_waitcnt lgkmcnt(0)
)");
  const std::string Branch = R"(
    v_cmp_ne_u32 vcc, 100, v2
    s_cbranch_vccnz end
  end:
    s_endpgm)";
  for (const char *Read :
       {"v_mov_b32 v2, src_lds_direct\n", "v_add_u32 v2, src_lds_direct, v0\n",
        "v_bfe_u32 v2, src_lds_direct, 8, 16\n",
        "v_alignbit_b32 v2, src_lds_direct, v0, 20\n"})
    expectOne(Rule::UndefinedBranch, "s_cbranch_vccnz", Half + Read + Branch);
  expectQuiet(Half + "v_bfe_u32 v2, src_lds_direct, 0, 16\n" + Branch);
  expectOne(Rule::UndefinedBranch, "s_cbranch_scc1",
            Half + "v_readfirstlane_b32 s6, src_lds_direct\n"
                   "s_cmp_eq_u32 s6, 63\ns_cbranch_scc1 end\nend:\ns_endpgm");
  auto V = expectOne(Rule::UndefinedAddress, "v_mov_b32",
                     "s_and_b32 m0, s20, 0x10\ns_or_b32 m0, m0, 0x20000\n"
                     "s_nop 0\nv_mov_b32 v2, src_lds_direct\ns_endpgm");
  EXPECT_EQ(V.Register, "m0");
}

TEST_F(LdsDirectOfVega, WaitsForLoadsToLds) {
  const std::string Load = R"(
    s_mov_b32 s4, s0
    s_mov_b32 s5, s1
    s_movk_i32 s6, 0x1000
    s_mov_b32 s7, 0
    v_lshlrev_b32 v1, 2, v0
    s_mov_b32 m0, 0x20010
    s_nop 0
    buffer_load_dword v1, s[4:7], 0 offen lds
)";
  auto V = expectOne(Rule::MissingWait, "v_mov_b32",
                     Load + "v_mov_b32 v2, src_lds_direct\ns_endpgm");
  EXPECT_EQ(V.Register, "LDS byte 16");
  expectQuiet(Load + "s_waitcnt vmcnt(0)\nv_mov_b32 v2, src_lds_direct\n"
                     "s_endpgm");
}

} // namespace
} // namespace luthier::test
