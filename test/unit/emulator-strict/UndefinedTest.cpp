// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule about uninitialised bits: a kernel that breaks it, and idioms of
// compilers that do not.
#include "StrictMachine.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

namespace luthier::test {
namespace {

using emulator::strict::Rule;

class Undefined : public StrictMachine {
protected:
  Undefined() : StrictMachine("undefined") {}
};

TEST_F(Undefined, InAnAddressIsReportedWithItsLaneAndRegister) {
  auto V = expectOne(Rule::UndefinedAddress, "global_load_dword v2, v5", R"(
    v_mov_b32 v5, 0
    v_writelane_b32 v5, s20, 7
    v_xor_b32 v6, s20, v5
    v_cmp_eq_u32 vcc, 7, v0
    v_cndmask_b32 v5, v5, v6, vcc
    global_load_dword v2, v5, s[0:1]
    s_endpgm)");
  EXPECT_EQ(V.Lane, 7u);
  EXPECT_EQ(V.Register, "v5");
  EXPECT_EQ(V.Kernel, "kernel");
  EXPECT_EQ(V.Wave, 0u);
}

TEST_F(Undefined, InAScalarBaseIsReported) {
  auto V = expectOne(Rule::UndefinedAddress, "s_load_dword s6, s[8:9]", R"(
    s_mov_b32 s9, s1
    s_xor_b32 s8, s0, s20
    s_xor_b32 s8, s8, s20
    s_load_dword s6, s[8:9], 0x0
    s_endpgm)");
  EXPECT_EQ(V.Register, "s8");
}

TEST_F(Undefined, InABranchIsReported) {
  auto V = expectOne(Rule::UndefinedBranch, "s_cbranch_scc1", R"(
    s_cmp_eq_u32 s10, 0
    s_cbranch_scc1 end
  end:
    s_endpgm)");
  EXPECT_EQ(V.Register, "scc");
}

/// LLVM counts 15 for gfx1100 in wave32 where a kernel asks for two.
TEST_F(Undefined, UserRegistersThatAreCountedButNotAskedForHoldNothing) {
  AMDHSA_BITS_SET(Request.ComputePgmRsrc2,
                  llvm::amdhsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT,
                  8u);
  const auto branchOn = [](const std::string &Reg) {
    return "s_cmp_eq_u32 " + Reg + ", 0\ns_cbranch_scc1 end\nend:\ns_endpgm";
  };
  expectOne(Rule::UndefinedBranch, "s_cbranch_scc1", branchOn("s2"));
  expectOne(Rule::UndefinedBranch, "s_cbranch_scc1", branchOn("s7"));
  for (const char *Set : {"s0", "s1", "s8"})
    expectQuiet(branchOn(Set));
}

TEST_F(Undefined, InAVectorConditionIsReported) {
  auto V = expectOne(Rule::UndefinedBranch, "s_cbranch_vccz", R"(
    v_cmp_eq_u32 vcc, 0, v9
    s_cbranch_vccz end
  end:
    s_endpgm)");
  EXPECT_EQ(V.Register, "vcc");
  EXPECT_EQ(V.Lane, 0u);
}

TEST_F(Undefined, InExecIsReported) {
  auto V = expectOne(Rule::UndefinedExec, "s_and_saveexec_b64", R"(
    v_mov_b32 v1, 1
    v_writelane_b32 v1, s30, 12
    v_cmp_eq_u32 vcc, 1, v1
    s_and_saveexec_b64 s[6:7], vcc
    s_endpgm)");
  EXPECT_EQ(V.Lane, 12u);
}

TEST_F(Undefined, InAMessageIsReported) {
  expectOne(Rule::UndefinedMessage, "s_sendmsg", R"(
    s_mov_b32 m0, s40
    s_nop 0
    s_sendmsg sendmsg(MSG_INTERRUPT)
    s_endpgm)");
}

TEST_F(Undefined, InAJumpTargetIsReported) {
  auto V = expectOne(Rule::UndefinedBranch, "s_setpc_b64", R"(
    s_getpc_b64 s[6:7]
    s_add_u32 s6, s6, 24
    s_addc_u32 s7, s7, 0
    s_xor_b32 s6, s6, s20
    s_xor_b32 s6, s6, s20
    s_setpc_b64 s[6:7]
    s_nop 0
    s_endpgm)");
  EXPECT_EQ(V.Register, "s[6:7]");
}

TEST_F(Undefined, OfUnwrittenScratchAndLdsIsFollowed) {
  Request.GroupSegmentSize = 1024;
  auto V = expectOne(Rule::UndefinedBranch, "s_cbranch_vccnz", R"(
    v_lshlrev_b32 v1, 2, v0
    ds_write_b32 v1, v0
    ds_read_b32 v2, v1 offset:256
    ds_read_b32 v3, v1
    s_waitcnt lgkmcnt(0)
    v_cmp_ne_u32 vcc, 100, v3
    s_cbranch_vccz end
    v_cmp_ne_u32 vcc, 100, v2
    s_cbranch_vccnz end
  end:
    s_endpgm)");
  EXPECT_EQ(V.Register, "vcc");
}

TEST_F(Undefined, IsFollowedThroughMemory) {
  expectOne(Rule::UndefinedBranch, "s_cbranch_scc0", R"(
    v_mov_b32 v1, 0
    global_store_dword v1, v20, s[0:1] offset:64
    s_waitcnt vmcnt(0)
    global_load_dword v2, v1, s[0:1] offset:64
    global_load_dword v3, v1, s[0:1] offset:68
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s6, v3
    s_cmp_lg_u32 s6, 1
    s_cbranch_scc0 end
    v_readfirstlane_b32 s6, v2
    s_cmp_lg_u32 s6, 1
    s_cbranch_scc0 end
  end:
    s_endpgm)");
}

TEST_F(Undefined, IsForgottenWhenTheHostMayHaveWritten) {
  violations(R"(
    v_mov_b32 v1, 0
    global_store_dword v1, v20, s[0:1]
    s_endpgm)");
  expectQuiet(R"(
    s_load_dword s6, s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_cmp_lg_u32 s6, 1
    s_cbranch_scc0 end
  end:
    s_endpgm)");
}

TEST_F(Undefined, MayBeSavedAndRestored) {
  expectQuiet(R"(
    v_writelane_b32 v40, s30, 0
    v_writelane_b32 v40, s31, 1
    v_readlane_b32 s30, v40, 0
    v_readlane_b32 s31, v40, 1
    s_or_saveexec_b64 s[34:35], -1
    v_accvgpr_write_b32 a0, v41
    s_mov_b64 exec, s[34:35]
    v_mov_b32 v1, 0
    global_store_dwordx4 v1, v[20:23], s[0:1]
    s_endpgm)");
}

TEST_F(Undefined, ThatIsMaskedOffDecidesNothing) {
  // Lane masks of phis: bits of lanes that did not run are never defined.
  expectQuiet(R"(
    v_cmp_gt_u32 vcc, 32, v0
    s_and_saveexec_b64 s[6:7], vcc
    v_cmp_eq_u32 s[8:9], 0, v0
    s_mov_b64 exec, s[6:7]
    s_andn2_b64 s[10:11], s[10:11], exec
    s_and_b64 s[12:13], s[8:9], exec
    s_or_b64 s[10:11], s[10:11], s[12:13]
    s_and_saveexec_b64 s[14:15], s[10:11]
    s_cbranch_execz end
    v_mov_b32 v1, 0
  end:
    s_endpgm)");
}

TEST_F(Undefined, OfUnusedBitsDecidesNothing) {
  expectQuiet(R"(
    v_and_b32 v1, 0, v20
    v_lshl_or_b32 v1, v20, 16, v1
    v_and_b32 v2, 0xff, v1
    v_cmp_eq_u32 vcc, 0, v2
    s_cbranch_vccz end
    v_and_b32 v3, 0, v21
    v_add_u32 v4, v1, v3
    v_cmp_eq_u16 vcc, 0, v4
    s_cbranch_vccnz end
    s_lshl_b32 s8, s40, 8
    s_and_b32 s9, s8, 0xff
    s_cmp_eq_u32 s9, 0
    s_cbranch_scc1 end
    s_or_b32 s9, s8, 1
    s_cbranch_scc0 end
    s_movk_i32 s41, 0x100
    s_cmpk_eq_u32 s41, 0x100
    s_cbranch_scc0 end
    s_cmp_eq_u32 s41, 0
    s_cbranch_scc1 end
    v_cvt_f32_ubyte0 v5, v4
    v_cmp_lg_f32 vcc, 0, v5
    s_cbranch_vccz end
  end:
    s_endpgm)");
}

TEST_F(Undefined, OfTheLanesThatAreNotChosenDecidesNothing) {
  expectQuiet(R"(
    v_cmp_gt_u32 vcc, 32, v0
    s_and_saveexec_b64 s[6:7], vcc
    v_mov_b32 v1, 4
    s_mov_b64 exec, s[6:7]
    v_cndmask_b32 v1, 0, v1, vcc
    global_load_dword v2, v1, s[0:1]
    s_endpgm)");
}

TEST_F(Undefined, OfAnAtomicsDataReachesItsResult) {
  expectOne(Rule::UndefinedBranch, "s_cbranch_vccz", R"(
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    global_atomic_add v3, v1, v2, s[0:1] glc
    s_waitcnt vmcnt(0)
    v_cmp_eq_u32 vcc, 100, v3
    s_cbranch_vccnz end
    global_atomic_swap v3, v1, v30, s[0:1] offset:4 glc
    global_atomic_or v4, v1, v2, s[0:1] offset:4 glc
    s_waitcnt vmcnt(0)
    v_cmp_eq_u32 vcc, 100, v4
    s_cbranch_vccz end
  end:
    s_endpgm)");
}

TEST_F(Undefined, IsReportedOncePerInstructionAndDispatch) {
  Request.WorkgroupSize = Request.GridSize = {256, 1, 1};
  const std::string Twice = R"(
    s_mov_b32 s6, 3
  loop:
    s_cmp_eq_u32 s10, 0
    s_cbranch_scc1 next
  next:
    s_sub_u32 s6, s6, 1
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 loop
    s_cmp_eq_u32 s11, 0
    s_cbranch_scc1 end
  end:
    s_endpgm)";
  EXPECT_EQ(violations(Twice).size(), 2u);
  EXPECT_EQ(violations(Twice).size(), 2u) << "a dispatch of its own";
}

class UndefinedGfx1100 : public StrictMachine {
protected:
  UndefinedGfx1100() : StrictMachine("undefined", "gfx1100", 32) {
    Request.WorkgroupSize = Request.GridSize = {32, 1, 1};
  }
};

TEST_F(UndefinedGfx1100, IsFollowedThroughBothPartsOfAnInstruction) {
  // The parts exchange their registers, of which one is defined.
  auto V = expectOne(Rule::UndefinedBranch, "s_cbranch_vccnz", R"(
    v_mov_b32 v2, 0
    v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2
    v_cmp_eq_u32 vcc_lo, 1, v3
    s_cbranch_vccnz end
    v_cmp_eq_u32 vcc_lo, 0x1234, v2
    s_cbranch_vccnz end
  end:
    s_endpgm)");
  EXPECT_EQ(V.PC, Request.EntryPC + 28);
}

class UndefinedGfx1201 : public StrictMachine {
protected:
  UndefinedGfx1201() : StrictMachine("undefined", "gfx1201", 32) {}

  /// Lane 9 of v5 is uninitialised; \p Move takes from the lane that v6 says.
  static std::string fromLane(unsigned Lane, const std::string &Move) {
    return "v_mov_b32 v5, 0\nv_writelane_b32 v5, s20, 9\nv_mov_b32 v6, " +
           std::to_string(Lane) + "\ns_mov_b32 exec_lo, 1\n" + Move + R"(
      s_wait_dscnt 0
      v_cmp_eq_u32 vcc_lo, 0x1234, v7
      s_cbranch_vccnz end
    end:
      s_endpgm)";
  }
};

TEST_F(UndefinedGfx1201, IsFollowedFromLanesThatAreNotActive) {
  for (auto [Move, Scale] :
       {std::pair("v_permlane16_var_b32 v7, v5, v6 op_sel:[1,0]", 1u),
        std::pair("ds_bpermute_fi_b32 v7, v6, v5", 4u)}) {
    SCOPED_TRACE(Move);
    expectOne(Rule::UndefinedBranch, "s_cbranch_vccnz",
              fromLane(9 * Scale, Move));
    expectQuiet(fromLane(8 * Scale, Move));
  }
}

TEST_F(Undefined, IsFollowedThroughRelativeMoves) {
  expectOne(Rule::UndefinedBranch, "s_cbranch_scc1", R"(
    s_mov_b32 s8, 0
    s_mov_b32 m0, 1
    s_nop 0
    s_movrels_b32 s6, s7
    s_cmp_eq_u32 s6, 1
    s_cbranch_scc1 end
    s_movrels_b32 s6, s8
    s_cmp_eq_u32 s6, 0x1234
    s_cbranch_scc1 end
  end:
    s_endpgm)");
}

class UndefinedStops : public Machine {
protected:
  UndefinedStops() : Machine(options()) {}
  static emulator::ShaderArray::Options options() {
    std::string Error;
    auto Opts = gfx90a();
    Opts.Observe = emulator::strict::observer(
        *emulator::strict::parseOptions("1", Error), {});
    return Opts;
  }
};

TEST_F(UndefinedStops, TheDispatchUnlessItIsToContinue) {
  load(R"(
    s_nop 0
    s_cmp_eq_u32 s10, 0
    s_cbranch_scc1 end
  end:
    s_endpgm)");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, emulator::ExecutionFault::Kind::Violation);
  EXPECT_EQ(Fault->PC, Request.EntryPC + 8);
  for (const char *Part :
       {"kernel at 0x", "entry + 0x8", "s_cbranch_scc1", "uninitialised-branch",
        "scc", "workgroup 0,0,0 wave 0"})
    EXPECT_NE(Fault->Message.find(Part), std::string::npos) << Fault->Message;
}

} // namespace
} // namespace luthier::test
