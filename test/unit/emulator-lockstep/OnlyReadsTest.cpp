// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With OnlyWhatIsRead, lost values count where an instruction reads them.
#include "Judge.h"

namespace luthier::test {
namespace {

using Kind = emulator::lockstep::Difference::Kind;

class OnlyReads : public Judge {
protected:
  OnlyReads() { Options.OnlyWhatIsRead = true; }
  /// A kernel that ends with a store of v2, with \p Payload before the last
  /// vector instruction.
  static std::string kernel(const std::string &Payload) {
    return R"(
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 3
    v_mov_b32 v4, 5
    s_mov_b32 s4, 6
    v_cmp_gt_u32 vcc, 40, v0
    s_cmp_eq_u32 s4, 6
    s_cselect_b32 s5, s4, 7
    v_add_u32 v2, s5, v2
    s_mov_b64 s[6:7], exec
    s_mov_b64 exec, 0xff
)" + Payload +
           R"(
    v_add_u32 v2, v2, v4
    s_mov_b64 exec, s[6:7]
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  }
};

TEST_F(OnlyReads, ValuesThatNobodyReadsMayBeLost) {
  passes(kernel(""), kernel(R"(
  + s_mov_b32 s5, 77
  + s_mov_b64 vcc, 0
  + s_cmp_eq_u32 s5, 77
  + s_mov_b32 m0, 5
  + s_mov_b64 exec, -1
  + v_mov_b32 v3, 9
  + s_mov_b64 exec, 0xff
)"));
}

TEST_F(OnlyReads, ReadValuesMayNot) {
  auto D = differs(kernel(""), kernel("\n + v_mov_b32 v4, 6\n"));
  EXPECT_EQ(D.What, Kind::Register);
  EXPECT_EQ(D.Register, "v4");
  EXPECT_TRUE(D.Instruction.starts_with("v_add_u32")) << D.Instruction;
}

TEST_F(OnlyReads, LanesThatAreInactiveCountWhenTheyAreRead) {
  auto D = differs(kernel(""), kernel(R"(
  + s_mov_b64 exec, 0x100
  + v_mov_b32 v2, 6
  + s_mov_b64 exec, 0xff
)"));
  EXPECT_EQ(D.Register, "v2");
  EXPECT_EQ(D.Lane, 8u);
  EXPECT_TRUE(D.Instruction.starts_with("global_store")) << D.Instruction;
}

TEST_F(OnlyReads, LanesThatNobodyReadsMayBeLost) {
  passes(kernel(""), kernel(R"(
  + s_mov_b64 exec, 0x100
  + v_mov_b32 v4, 6
  + s_mov_b64 exec, 0xff
)"));
}

TEST_F(OnlyReads, BitsThatTheOriginalNeverSetMayDiffer) {
  const std::string End = R"(
    s_mov_b64 s[6:7], exec
    s_mov_b64 exec, 0xff
    s_or_b64 s[10:11], s[10:11], exec
    s_mov_b64 exec, 0x3
    s_andn2_b64 s[10:11], s[10:11], exec
    s_xor_b64 s[12:13], s[10:11], -1
    s_and_b64 s[12:13], s[12:13], exec
    s_mov_b64 exec, s[6:7]
    v_mov_b32 v1, s12
    s_endpgm)";
  passes(End, "\n + s_mov_b32 s10, 0x10000\n + s_mov_b32 s11, 5\n" + End);
}

TEST_F(OnlyReads, ExecCountsAtOnce) {
  auto D = differs(kernel(""), kernel("\n + s_mov_b64 exec, 0xfe\n"));
  EXPECT_EQ(D.Register, "exec");
}

TEST_F(OnlyReads, ABranchMayPutAsideAnSccThatTheOriginalNeverSet) {
  Options.Strict.Undefined = true;
  const std::string PutsAside = R"(
    + s_cbranch_scc1 1f
    + s_cmp_lg_u32 0, 0
    + s_branch 2f
  1:
    + s_cmp_eq_u32 0, 0
  2:)";
  const std::string NeverSet = "\n s_add_u32 s6, s20, s21", End = R"(
    s_addc_u32 s7, s6, 0
    s_endpgm)";
  passes(NeverSet + End, NeverSet + PutsAside + End);
  // A payload that asks what it has not set is at fault itself.
  const std::string Set = "\n s_cmp_eq_u32 0, 0";
  EXPECT_EQ(
      differs(Set + End, Set + "\n + s_add_u32 s6, s20, s21" + PutsAside + End)
          .What,
      Kind::Violation);
}

TEST_F(OnlyReads, APayloadMayNotComputeWithAnSccThatTheOriginalNeverSet) {
  Options.Strict.Undefined = true;
  const std::string NeverSet = "\n s_add_u32 s6, s20, s21", End = R"(
    s_addc_u32 s7, s6, 0
    s_endpgm)";
  EXPECT_EQ(differs(NeverSet + End, NeverSet + R"(
    + s_mov_b32 s40, 1
    + s_addc_u32 s40, s40, 0
    + s_cbranch_scc1 1f
  1:
    + s_mov_b64 exec, exec)" + End)
                .What,
            Kind::Violation);
}

class NarrowReads : public Judge {
protected:
  NarrowReads() : Judge("gfx1030", 32) { Options.OnlyWhatIsRead = true; }
};

TEST_F(NarrowReads, OfTheMaskInVccAreOfItsLowHalf) {
  const std::string Begin = R"(
    v_mov_b32 v1, 1
    s_mov_b32 vcc_hi, 5
    v_cmp_gt_u32 vcc_lo, 8, v0)";
  const std::string Selects = R"(
    v_cndmask_b32 v1, v0, v1, vcc_lo
    s_endpgm)";
  passes(Begin + Selects, Begin + "\n  + s_mov_b32 vcc_hi, 6" + Selects);
  EXPECT_EQ(
      differs(Begin + Selects, Begin + "\n  + s_mov_b32 vcc_lo, 6" + Selects)
          .Register,
      "vcc_lo");
  const std::string Branches = R"(
    s_cbranch_vccz 1f
    s_nop 0
  1:
    s_endpgm)";
  passes(Begin + Branches, Begin + "\n  + s_mov_b32 vcc_hi, 6" + Branches);
  EXPECT_EQ(
      differs(Begin + Branches, Begin + "\n  + s_mov_b32 vcc_lo, 6" + Branches)
          .Register,
      "vcc_lo");
  const std::string NamesBoth = R"(
    s_mov_b64 s[4:5], vcc
    s_endpgm)";
  EXPECT_EQ(differs(Begin + NamesBoth,
                    Begin + "\n  + s_mov_b32 vcc_hi, 6" + NamesBoth)
                .Register,
            "vcc_hi");
}

TEST_F(NarrowReads, LanesThatAreInactiveAreNoResultOfACodeAddress) {
  IsFarApart = true;
  const std::string Begin = R"(
    v_mov_b32 v2, 0
    s_getpc_b64 s[4:5]
    s_mov_b32 exec_lo, 1)";
  const std::string End = R"(
    v_mul_u32_u24 v2, s4, 3
    s_mov_b32 exec_lo, -1
    v_mov_b32 v3, v2
    s_endpgm)";
  passes(Begin + "\n v_mul_u32_u24 v2, s4, 3\n s_endpgm",
         Begin + "\n + s_nop 0\n v_mul_u32_u24 v2, s4, 3\n s_endpgm");
  EXPECT_EQ(differs(Begin + End, Begin +
                                     "\n + s_mov_b32 s40, 9"
                                     "\n + v_writelane_b32 v2, s40, 3" +
                                     End)
                .Register,
            "v2");
}

TEST_F(NarrowReads, WhatIsLoadedFromACodeAddressMayNotDiffer) {
  IsFarApart = true;
  // What follows is loaded: s_nop 1, or the payload.
  const std::string Begin = R"(
    s_getpc_b64 s[4:5]
    s_load_dword s6, s[4:5], 0xc
    s_waitcnt lgkmcnt(0))";
  const std::string End = R"(
    s_nop 1
    s_mov_b32 s7, s6
    s_endpgm)";
  EXPECT_EQ(differs(Begin + End, Begin + "\n + s_nop 2" + End).Register, "s6");
}

/// A lane that held a return address gets a sum of 16 bits; who masks the rest
/// away has read it all the same.
TEST_F(NarrowReads, AHalfThatIsLeftOfACodeAddressMayDiffer) {
  IsFarApart = true;
  const std::string Begin = R"(
    v_mov_b32 v2, 0
    s_getpc_b64 s[4:5]
    v_writelane_b32 v2, s4, 3
    v_add_nc_u16 v2, v0, 1)";
  const std::string End = R"(
    v_and_b32 v3, 0xffff, v2
    s_endpgm)";
  passes(Begin + End, Begin + "\n + s_nop 0" + End);
  // Until the register is written as a whole.
  const std::string Again = "\n v_add_nc_u32 v2, 7, v0";
  EXPECT_EQ(differs(Begin + Again + End, Begin + Again +
                                             "\n + s_mov_b32 s40, 0x1000a"
                                             "\n + v_writelane_b32 v2, s40, 3" +
                                             End)
                .Register,
            "v2");
  EXPECT_EQ(differs(Begin + End, Begin + "\n + v_xor_b32 v2, 0x8000, v2" + End)
                .Register,
            "v2");
}

/// A flag of a byte beside padding, in which a return address was before.
TEST_F(NarrowReads, WhatIsLeftOfAReturnAddressInMemoryMayDiffer) {
  IsFarApart = true;
  const std::string Begin = R"(
    v_lshlrev_b32 v1, 2, v0
    s_call_b64 s[4:5], 1f
  1:
    v_mov_b32 v2, s4
    v_mov_b32 v3, 7
    global_store_dword v1, v2, s[0:1]
    global_store_byte v1, v3, s[0:1])";
  const std::string End = R"(
    global_load_dword v4, v1, s[0:1]
    s_waitcnt vmcnt(0)
    global_store_dword v1, v4, s[0:1] offset:256
    v_and_b32 v5, 0xff, v4
    global_store_dword v1, v5, s[0:1] offset:512
    s_endpgm)";
  passes(Begin + End, Begin + "\n + s_nop 0" + End);
  EXPECT_EQ(Results[128], 7u);
  // The flag itself.
  const std::string Flag = "\n global_store_byte v1, v3, s[0:1]";
  EXPECT_EQ(
      differs(Begin + Flag + End, Begin + "\n + v_mov_b32 v3, 6" + Flag + End)
          .Register,
      "v3");
  EXPECT_EQ(differs(Begin + End, Begin +
                                     "\n + v_mov_b32 v20, 6"
                                     "\n + global_store_byte v1, v20, "
                                     "s[0:1]" +
                                     End)
                .Register,
            "v4");
  // One byte tells too little.
  const std::string Short = "\n global_store_short v1, v3, s[0:1]";
  EXPECT_EQ(
      differs(Begin + Short + End, Begin + "\n + s_nop 0" + Short + End).What,
      Kind::Memory);
}

TEST_F(NarrowReads, BytesThatAreLoadedFromAReturnAddressMayDiffer) {
  IsFarApart = true;
  const std::string Begin = R"(
    v_lshlrev_b32 v1, 2, v0
    s_call_b64 s[4:5], 1f
  1:
    v_mov_b32 v2, s4
    global_store_dword v1, v2, s[0:1]
    global_load_ubyte v3, v1, s[0:1] offset:2
    s_waitcnt vmcnt(0))";
  const std::string End = R"(
    v_mov_b32 v4, v3
    v_and_b32 v5, 0, v4
    global_store_dword v1, v5, s[0:1] offset:256
    s_endpgm)";
  passes(Begin + End, Begin + "\n + s_nop 0" + End);
  // Another byte than the original's counterpart.
  EXPECT_EQ(differs(Begin + End, Begin + "\n + v_add_nc_u32 v3, 1, v3" + End)
                .Register,
            "v3");
  // One lane is enough.
  const std::string Load = R"(
    global_load_ubyte v3, v1, s[0:1] offset:2
    s_waitcnt vmcnt(0))";
  EXPECT_EQ(differs(Begin + Load + End, Begin + R"(
    + v_mov_b32 v20, 0x55
    + s_mov_b32 exec_lo, 8
    + global_store_byte v1, v20, s[0:1] offset:2
    + s_mov_b32 exec_lo, -1)" + Load + End)
                .Register,
            "v3");
}

/// Instrumented code is given the original's.
TEST_F(NarrowReads, OtherCodeAddressesInMemoryMayNot) {
  IsFarApart = true;
  const std::string Begin = R"(
    v_lshlrev_b32 v1, 2, v0
    s_getpc_b64 s[4:5]
    v_mov_b32 v2, s4)";
  const std::string End = R"(
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  EXPECT_EQ(differs(Begin + End, Begin + "\n + s_nop 0" + End).What,
            Kind::Memory);
}

} // namespace
} // namespace luthier::test
