// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Judge.h"

namespace luthier::test {
namespace {

using emulator::RegisterFile;
using emulator::lockstep::Difference;
using Kind = Difference::Kind;

TEST_F(Judge, ClocksAreReplayed) {
  passes(R"(
    s_memtime s[4:5]
    s_waitcnt lgkmcnt(0)
    s_memrealtime s[6:7]
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, s4
    v_mov_b32 v3, s6
    v_lshlrev_b32 v1, 3, v0
    global_store_dwordx2 v1, v[2:3], s[0:1]
    s_endpgm)",
         R"(
  + s_nop 0
  + s_nop 0
    s_memtime s[4:5]
    s_waitcnt lgkmcnt(0)
  + s_nop 0
    s_memrealtime s[6:7]
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, s4
    v_mov_b32 v3, s6
    v_lshlrev_b32 v1, 3, v0
    global_store_dwordx2 v1, v[2:3], s[0:1]
    s_endpgm)");
}

// The first wave falls through in payload; what it found there does not hold
// for the others.
TEST_F(Judge, PayloadMayJumpInSomeWaves) {
  OriginalLaunch.Grid = InstrumentedLaunch.Grid = {256, 1, 1};
  OriginalLaunch.Workgroup = InstrumentedLaunch.Workgroup = {64, 1, 1};
  passes(R"(
    v_mov_b32 v1, 0
    v_mov_b32 v2, s2
    v_lshlrev_b32 v1, 2, v2
    global_store_dword v1, v2, s[0:1]
    s_endpgm)",
         R"(
  + s_cmp_eq_u32 s2, 0
  + s_cbranch_scc0 over
  + s_nop 0
  + s_nop 0
  + s_nop 0
over:
    v_mov_b32 v1, 0
    v_mov_b32 v2, s2
    v_lshlrev_b32 v1, 2, v2
    global_store_dword v1, v2, s[0:1]
    s_endpgm)");
}

TEST_F(Judge, WavesGetAtomicResultsInOneOrder) {
  OriginalLaunch.Grid = InstrumentedLaunch.Grid = {512, 1, 1};
  OriginalLaunch.Workgroup = InstrumentedLaunch.Workgroup = {256, 1, 1};
  passes(R"(
    v_mov_b32 v2, 1
    v_mov_b32 v3, 0
    global_atomic_add v4, v3, v2, s[0:1] glc
    s_waitcnt vmcnt(0)
    v_lshlrev_b32 v1, 2, v4
    global_store_dword v1, v0, s[0:1] offset:64
    s_barrier
    s_endpgm)",
         R"(
    v_mov_b32 v2, 1
  + v_mov_b32 v20, 0x1000
  + global_atomic_add v21, v20, v20, s[0:1] glc
  + s_waitcnt vmcnt(0)
    v_mov_b32 v3, 0
    global_atomic_add v4, v3, v2, s[0:1] glc
    s_waitcnt vmcnt(0)
    v_lshlrev_b32 v1, 2, v4
    global_store_dword v1, v0, s[0:1] offset:64
    s_barrier
  + s_nop 0
    s_endpgm)");
}

// Nobody may tell what hardware leaves in registers.
TEST_F(Judge, UninitialisedRegistersMayDiffer) {
  const std::string Original = R"(
    v_mov_b32 v4, v3
    s_mov_b32 s9, s8
    v_mov_b32 v3, 0
    s_endpgm)";
  passes(Original, R"(
  + v_mov_b32 v3, 1
  + s_mov_b32 s8, 2
    v_mov_b32 v4, v3
    s_mov_b32 s9, s8
    v_mov_b32 v3, 0
    s_endpgm)");
  EXPECT_EQ(differs(Original, R"(
    v_mov_b32 v4, v3
    s_mov_b32 s9, s8
    v_mov_b32 v3, 0
  + v_mov_b32 v3, 1
    s_endpgm)")
                .Register,
            "v3");
}

TEST_F(Judge, CodeAddressesAreTranslated) {
  const std::string Original = R"(
    s_getpc_b64 s[4:5]
    s_add_u32 s6, s2, 1
    v_writelane_b32 v2, s4, 3
    v_writelane_b32 v2, s5, 4
    s_nop 0
    s_endpgm)";
  passes(Original, R"(
  + s_nop 0
    s_getpc_b64 s[4:5]
  + s_nop 0
    s_add_u32 s6, s2, 1
    v_writelane_b32 v2, s4, 3
    v_writelane_b32 v2, s5, 4
    s_nop 0
    s_endpgm)");
  EXPECT_EQ(differs(Original, R"(
  + s_nop 0
    s_getpc_b64 s[4:5]
  + s_mov_b32 s4, 5
    s_add_u32 s6, s2, 1
    v_writelane_b32 v2, s4, 3
    v_writelane_b32 v2, s5, 4
    s_nop 0
    s_endpgm)")
                .Register,
            "s4");
}

TEST_F(Judge, OtherOperandsAreAnotherInstruction) {
  const Difference D = differs(R"(
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v0, s[0:1]
    s_endpgm)",
                               R"(
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v0, s[0:1] offset:4
    s_endpgm)");
  EXPECT_EQ(D.What, Kind::Instruction) << D.text();
  EXPECT_EQ(D.Detail, "global_store_dword v1, v0, s[0:1] offset:4");
}

TEST_F(Judge, StoresAreComparedWhereTheyHappen) {
  Options.CompareInstructions = false;
  const Difference D = differs(R"(
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v1, s[0:1]
    v_mov_b32 v2, 0
    s_endpgm)",
                               R"(
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v0, s[0:1]
    v_mov_b32 v2, 0
    s_endpgm)");
  EXPECT_EQ(D.What, Kind::Memory) << D.text();
  EXPECT_EQ(D.Instruction, "global_store_dword v1, v1, s[0:1]");
  EXPECT_EQ(D.Address, Data + 4);
  EXPECT_EQ(D.Original, 4u);
  EXPECT_EQ(D.Instrumented, 1u);
}

TEST_F(Judge, PayloadStoresToTheOriginalsMemoryAreSeenAtTheEnd) {
  const Difference D = differs(R"(
    v_mov_b32 v2, 0
    s_endpgm)",
                               R"(
  + v_mov_b32 v20, 16
  + global_store_dword v20, v20, s[0:1]
    v_mov_b32 v2, 0
    s_endpgm)");
  EXPECT_EQ(D.What, Kind::Memory) << D.text();
  EXPECT_EQ(D.Address, Data + 16);
  EXPECT_EQ(D.Instrumented, 16u);
}

TEST_F(Judge, PayloadStoresToACopyOfTheOriginalsMemoryAreSeenAtTheEnd) {
  RunsOnCopies = true;
  const char *Original = R"(
    v_mov_b32 v2, 4
    global_store_dword v2, v2, s[0:1]
    s_endpgm)";
  const Difference D = differs(Original, R"(
    v_mov_b32 v2, 4
    global_store_dword v2, v2, s[0:1]
  + v_mov_b32 v20, 16
  + global_store_dword v20, v20, s[0:1]
    s_endpgm)");
  EXPECT_EQ(D.What, Kind::Memory) << D.text();
  EXPECT_EQ(D.Address, Data + 16);
  EXPECT_EQ(D.Original, 0u);
  EXPECT_EQ(D.Instrumented, 16u);
  passes(Original, R"(
    v_mov_b32 v2, 4
    global_store_dword v2, v2, s[0:1]
  + v_mov_b32 v20, 0x1010
  + global_store_dword v20, v20, s[0:1]
    s_endpgm)");
}

TEST_F(Judge, PayloadThatNeverComesBack) {
  Options.MaxPayload = 1000;
  const Difference D = differs(R"(
    v_mov_b32 v2, 0
    s_endpgm)",
                               R"(
    v_mov_b32 v2, 0
  loop:
  + s_branch loop
    s_endpgm)");
  EXPECT_EQ(D.What, Kind::NoReturn) << D.text();
}

TEST_F(Judge, AnEndThatComesTooEarly) {
  const Difference D = differs(R"(
    v_mov_b32 v2, 0
    s_endpgm)",
                               R"(
    v_mov_b32 v2, 0
  + s_endpgm
    s_endpgm)");
  EXPECT_EQ(D.What, Kind::End) << D.text();
}

TEST_F(Judge, RegistersThatMayDifferFromSomewhereOn) {
  const std::string Original = R"(
    s_mov_b32 s8, 1
    s_nop 0
    s_endpgm)";
  const std::string Instrumented = R"(
    s_mov_b32 s8, 1
  + s_mov_b32 s8, 2
    s_nop 0
    s_endpgm)";
  EXPECT_EQ(differs(Original, Instrumented).Register, "s8");
  Options.Allowed.push_back({0, UINT64_MAX, {RegisterFile::Scalar, 8, 1}});
  passes(Original, Instrumented);
}

TEST_F(Judge, TextSaysWhereWhatAndWho) {
  const Difference D = differs(R"(
    v_mov_b32 v2, 0
    s_nop 0
    s_endpgm)",
                               R"(
    v_mov_b32 v2, 0
  + v_mov_b32 v2, 9
    s_nop 0
    s_endpgm)");
  const std::string Text = D.text();
  EXPECT_NE(Text.find("raw code at 0x"), std::string::npos) << Text;
  EXPECT_NE(Text.find("(entry + 0x4), instrumented 0x"), std::string::npos)
      << Text;
  EXPECT_NE(Text.find(": s_nop 0: workgroup 0,0,0, wave 0, lane 0: register "
                      "v2: 0x9 instead of 0x0, written at 0x"),
            std::string::npos)
      << Text;
  EXPECT_NE(Text.find(" by v_mov_b32_e32 v2, 9"), std::string::npos) << Text;
}

/// Waves of 32 lanes.
class NarrowJudge : public Judge {
protected:
  NarrowJudge() : Judge("gfx1030", 32) {}
};

TEST_F(NarrowJudge, ComparesTheirLanesAndMasks) {
  const std::string Original = R"(
    v_cmp_gt_u32 vcc_lo, 8, v0
    s_and_saveexec_b32 s4, vcc_lo
    v_mov_b32 v2, 1
    s_mov_b32 exec_lo, s4
    s_endpgm)";
  passes(Original, R"(
    v_cmp_gt_u32 vcc_lo, 8, v0
  + s_mov_b32 s40, exec_lo
    s_and_saveexec_b32 s4, vcc_lo
    v_mov_b32 v2, 1
    s_mov_b32 exec_lo, s4
    s_endpgm)");
  EXPECT_EQ(differs(Original, R"(
    v_cmp_gt_u32 vcc_lo, 8, v0
    s_and_saveexec_b32 s4, vcc_lo
  + s_mov_b32 exec_lo, 0xf
    v_mov_b32 v2, 1
    s_mov_b32 exec_lo, s4
    s_endpgm)")
                .Register,
            "exec");
}

class Rdna3Judge : public Judge {
protected:
  Rdna3Judge() : Judge("gfx1100") {}
};

/// Of a mask that is read, written and read again, compilers know within a
/// function.
constexpr char MasksAcrossATailCall[] = R"(
    v_mov_b32 v1, 0
    v_cmp_eq_u32 vcc, 1, v0
    s_nop 0
    v_cndmask_b32 v2, v0, v1, vcc
    s_getpc_b64 s[4:5]
  here:
    s_add_u32 s4, s4, f-here
    s_addc_u32 s5, s5, 0
    s_setpc_b64 s[4:5]
    s_nop 0
  f:
    v_cmp_eq_u32 vcc, 2, v0
    s_nop 0
    v_cndmask_b32 v2, v0, v1, vcc
    s_endpgm)";

TEST_F(Rdna3Judge, AJumpToAnotherFunctionThatBecameABranchIsStillOne) {
  passes(MasksAcrossATailCall, R"(
    v_mov_b32 v1, 0
    v_cmp_eq_u32 vcc, 1, v0
    s_nop 0
    v_cndmask_b32 v2, v0, v1, vcc
    s_getpc_b64 s[4:5]
  here:
    s_add_u32 s4, s4, f-here
    s_addc_u32 s5, s5, 0
    s_branch f
    s_nop 0
  f:
  + s_nop 0
    v_cmp_eq_u32 vcc, 2, v0
    s_nop 0
    v_cndmask_b32 v2, v0, v1, vcc
    s_endpgm)");
}

TEST_F(Rdna3Judge, ABranchWithinAFunctionEndsNothing) {
  const std::string Original = R"(
    v_cmp_eq_u32 vcc, 1, v0
    v_mov_b32 v1, 0
    s_branch next
  next:
    v_cmp_eq_u32 vcc, 2, v0
    v_cndmask_b32 v2, v0, v1, vcc
    s_endpgm)";
  EXPECT_EQ(differs(Original, R"(
    v_cmp_eq_u32 vcc, 1, v0
    v_mov_b32 v1, 0
  + v_cndmask_b32 v20, v0, v1, vcc
    s_branch next
  next:
    v_cmp_eq_u32 vcc, 2, v0
    v_cndmask_b32 v2, v0, v1, vcc
    s_endpgm)")
                .What,
            emulator::lockstep::Difference::Kind::Violation);
}

} // namespace
} // namespace luthier::test
