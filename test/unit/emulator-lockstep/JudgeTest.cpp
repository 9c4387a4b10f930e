// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ten typical mistakes of instrumentation, each with its right twin.
#include "Judge.h"

namespace luthier::test {
namespace {

using emulator::lockstep::Difference;
using Kind = Difference::Kind;

// A masked write does not end the life of the lanes that it leaves alone.
TEST_F(Judge, LivenessThatIgnoresExec) {
  const std::string Original = R"(
    v_mov_b32 v5, v0
    s_mov_b64 s[4:5], 0xff
    s_mov_b64 exec, s[4:5]
    v_mov_b32 v5, 1
    s_mov_b64 exec, -1
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v5, s[0:1]
    s_endpgm)";
  auto With = [](const std::string &Register) {
    return R"(
    v_mov_b32 v5, v0
    s_mov_b64 s[4:5], 0xff
    s_mov_b64 exec, s[4:5]
  + s_mov_b64 s[40:41], exec
  + s_mov_b64 exec, -1
  + v_mov_b32 )" +
           Register + R"(, 7
  + s_mov_b64 exec, s[40:41]
    v_mov_b32 v5, 1
    s_mov_b64 exec, -1
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v5, s[0:1]
    s_endpgm)";
  };
  passes(Original, With("v20"));
  const Difference D = differs(Original, With("v5"));
  EXPECT_EQ(D.What, Kind::Register) << D.text();
  EXPECT_EQ(D.Register, "v5");
  EXPECT_EQ(D.Lane, 0u);
  EXPECT_EQ(D.Instrumented, 7u);
  EXPECT_EQ(D.Writer, "v_mov_b32_e32 v5, 7");
  EXPECT_EQ(D.Instruction, "v_mov_b32_e32 v5, 1");
}

// EXEC has no meaning where the wave only ends, and one where it goes on.
TEST_F(Judge, ExecThatIsNotPutBack) {
  const std::string Before = R"(
    v_lshlrev_b32 v1, 2, v0
)",
                    Change = "  + s_mov_b64 exec, 1\n";
  const std::string Store = "    global_store_dword v1, v0, s[0:1]\n",
                    End = "    s_nop 0\n    s_endpgm";
  passes(Before + Store + End, Before + Store + Change + End);
  const Difference D =
      differs(Before + Store + End, Before + Change + Store + End);
  EXPECT_EQ(D.What, Kind::Register) << D.text();
  EXPECT_EQ(D.Register, "exec");
}

/// A counter in the instrumented version's own memory.
std::string countWith(const std::string &Wait) {
  return R"(
  + v_mov_b32 v20, 0x1000
  + global_load_dword v21, v20, s[0:1]
)" + Wait +
         R"(
  + v_add_u32 v21, 1, v21
  + global_store_dword v20, v21, s[0:1]
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v0, s[0:1]
    s_endpgm)";
}

TEST_F(Judge, PayloadThatDoesNotWaitForItsLoad) {
  const std::string Original = R"(
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v0, s[0:1]
    s_endpgm)";
  passes(Original, countWith("+ s_waitcnt vmcnt(0)"));
  const Difference D = differs(Original, countWith(""));
  EXPECT_EQ(D.What, Kind::Violation) << D.text();
  EXPECT_NE(D.Detail.find("missing-wait"), std::string::npos) << D.text();
}

// The instrumented kernel has two more user registers, before the original's.
class LaunchRegisters : public Judge {
protected:
  LaunchRegisters() {
    const uint64_t Second = Data + 2048;
    OriginalUser = {uint32_t(Data), uint32_t(Data >> 32), uint32_t(Second),
                    uint32_t(Second >> 32)};
    InstrumentedUser = OriginalUser;
    InstrumentedUser.insert(InstrumentedUser.begin(),
                            {uint32_t(Data + Own), uint32_t(Data >> 32)});
  }
};

TEST_F(LaunchRegisters, MovedInAnOrderThatOverwritesThem) {
  const std::string Original = R"(
    s_lshl_b32 s4, s4, 8
    v_lshl_add_u32 v1, v0, 2, s4
    global_store_dword v1, v0, s[0:1]
    global_store_dword v1, v1, s[2:3]
    s_endpgm)";
  const std::string Right = R"(
  + s_mov_b64 s[40:41], s[0:1]
  + s_mov_b64 s[0:1], s[2:3]
  + s_mov_b64 s[2:3], s[4:5]
  + s_mov_b32 s4, s6
    s_lshl_b32 s4, s4, 8
    v_lshl_add_u32 v1, v0, 2, s4
    global_store_dword v1, v0, s[0:1]
    global_store_dword v1, v1, s[2:3]
    s_endpgm)";
  const std::string Wrong = R"(
  + s_mov_b64 s[40:41], s[0:1]
  + s_mov_b32 s4, s6
  + s_mov_b64 s[0:1], s[2:3]
  + s_mov_b64 s[2:3], s[4:5]
    s_lshl_b32 s4, s4, 8
    v_lshl_add_u32 v1, v0, 2, s4
    global_store_dword v1, v0, s[0:1]
    global_store_dword v1, v1, s[2:3]
    s_endpgm)";
  passes(Original, Right);
  const Difference D = differs(Original, Wrong);
  EXPECT_EQ(D.What, Kind::Register) << D.text();
  EXPECT_EQ(D.Register, "s2");
  EXPECT_EQ(D.Original, uint32_t(Data + 2048));
  EXPECT_EQ(D.Writer, "s_mov_b64 s[2:3], s[4:5]");
}

// The original's stack is 16 bytes per work-item.
class Stacks : public Judge {
protected:
  Stacks() {
    OriginalLaunch.ScratchSize = 16;
    InstrumentedLaunch.ScratchSize = 32;
    // Private segment buffer, without the wave's offset, then the data.
    InstrumentedUser = OriginalUser = {uint32_t(Data), uint32_t(Data >> 32)};
  }
  static std::string spillTo(unsigned Offset) {
    const std::string At = std::to_string(Offset);
    return R"(
    s_mov_b32 flat_scratch_lo, s4
    s_mov_b32 flat_scratch_hi, s5
    s_mov_b32 s6, 0
    scratch_store_dword off, v0, s6 offset:8
  + v_mov_b32 v20, 99
  + s_mov_b32 s40, 0
  + scratch_store_dword off, v20, s40 offset:)" +
           At + R"(
    scratch_load_dword v2, off, s6 offset:8
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt vmcnt(0)
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  }
};

TEST_F(Stacks, ThatOverlap) {
  // The first allocation after data and code is scratch.
  auto Right = spillTo(16), Wrong = spillTo(8);
  const std::string Original = R"(
    s_mov_b32 flat_scratch_lo, s4
    s_mov_b32 flat_scratch_hi, s5
    s_mov_b32 s6, 0
    scratch_store_dword off, v0, s6 offset:8
    scratch_load_dword v2, off, s6 offset:8
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt vmcnt(0)
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  // One page each for data (two), the gap, and both versions' code.
  const uint64_t Scratch = Data + 0x7000;
  OriginalUser = {uint32_t(Data),    uint32_t(Data >> 32),   0, 0,
                  uint32_t(Scratch), uint32_t(Scratch >> 32)};
  OriginalLaunch.Grid = InstrumentedLaunch.Grid = {64, 1, 1};
  InstrumentedUser = OriginalUser;
  passes(Original, Right);
  const Difference D = differs(Original, Wrong);
  EXPECT_EQ(D.What, Kind::Register) << D.text();
  EXPECT_EQ(D.Register, "v2");
  EXPECT_EQ(D.Original, 0u);
  EXPECT_EQ(D.Instrumented, 99u);
}

std::string branchWith(const std::string &Payload) {
  return R"(
    s_cmp_eq_u32 s2, 0
)" + Payload +
         R"(
    s_cbranch_scc1 first
    v_mov_b32 v0, 5
  first:
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v0, s[0:1]
    s_endpgm)";
}

TEST_F(Judge, SccThatIsNotRestored) {
  const std::string Original = branchWith("");
  passes(Original, branchWith(R"(
  + s_cselect_b32 s41, 1, 0
  + s_add_u32 s40, s40, 1
  + s_cmp_lg_u32 s41, 0)"));
  const Difference D = differs(Original, branchWith("+ s_add_u32 s40, 0, 1"));
  EXPECT_EQ(D.What, Kind::Register) << D.text();
  EXPECT_EQ(D.Register, "scc");
  EXPECT_EQ(D.Writer, "s_add_u32 s40, 0, 1");
}

// Saved and restored in active lanes only, overwritten in all.
TEST_F(Judge, AnInactiveLaneThatIsOverwritten) {
  auto With = [](const std::string &Save, const std::string &Use,
                 const std::string &Restore) {
    return R"(
    v_add_u32 v3, 100, v0
    s_mov_b64 exec, 0xff
)" + Save + Use +
           Restore + R"(
    v_add_u32 v2, 1, v0
    s_mov_b64 exec, -1
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v3, s[0:1]
    s_endpgm)";
  };
  const std::string All = "  + s_mov_b64 s[40:41], exec\n"
                          "  + s_mov_b64 exec, -1\n";
  const std::string Back = "  + s_mov_b64 exec, s[40:41]\n";
  const std::string Save = "  + v_mov_b32 v20, v3\n";
  const std::string Use = "  + v_mov_b32 v3, 0\n";
  const std::string Restore = "  + v_mov_b32 v3, v20\n";
  const std::string Original = With("", "", "");
  passes(Original, With(All + Save, Use, Restore + Back));
  const Difference D = differs(Original, With(Save + All, Use, Back + Restore));
  EXPECT_EQ(D.What, Kind::Register) << D.text();
  EXPECT_EQ(D.Register, "v3");
  EXPECT_EQ(D.Lane, 8u) << "the first that was inactive";
  EXPECT_EQ(D.Original, 108u);
  EXPECT_EQ(D.Instrumented, 0u);
}

// A VALU instruction writes SGPRs that a memory instruction reads too soon.
TEST_F(Judge, AHazardThatNobodySeparates) {
  auto With = [](const std::string &Between) {
    return R"(
  + v_mov_b32 v20, 0x1000
  + v_mov_b32 v21, s0
  + v_mov_b32 v22, s1
  + s_nop 4
  + v_readfirstlane_b32 s40, v21
  + v_readfirstlane_b32 s41, v22
)" + Between +
           R"(
  + global_store_dword v20, v20, s[40:41]
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v0, s[0:1]
    s_endpgm)";
  };
  const std::string Original = R"(
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v0, s[0:1]
    s_endpgm)";
  passes(Original, With("+ s_nop 4"));
  const Difference D = differs(Original, With(""));
  EXPECT_EQ(D.What, Kind::Violation) << D.text();
  EXPECT_NE(D.Detail.find("hazard"), std::string::npos) << D.text();
}

TEST_F(Judge, ABranchToAnotherBlock) {
  const std::string Original = R"(
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc1 target
    v_mov_b32 v2, 1
    s_nop 0
  target:
    v_mov_b32 v3, 2
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v0, s[0:1]
    s_endpgm)";
  auto With = [](const std::string &Early, const std::string &Late) {
    return R"(
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc1 target
    v_mov_b32 v2, 1
    s_nop 0
)" + Early +
           R"(
  + s_add_u32 s40, 0, 1
    v_mov_b32 v3, 2
)" + Late + R"(
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v0, s[0:1]
    s_endpgm)";
  };
  // SCC is dead in the target block; a judge that compares state wants it all.
  Options.Allowed.push_back(
      {0,
       UINT64_MAX,
       {emulator::RegisterFile::Scalar, emulator::sreg::Scc, 1}});
  passes(Original, With("  target:", ""));
  const Difference D = differs(Original, With("", "  target:"));
  EXPECT_EQ(D.What, Kind::ControlFlow) << D.text();
  EXPECT_EQ(D.Instrumented, D.Original + 4);
}

TEST_F(Judge, M0ThatIsNotRestored) {
  const std::string Original = R"(
    s_mov_b32 m0, 1
    s_mov_b32 s8, 10
    s_mov_b32 s9, 11
    s_movrels_b32 s10, s8
    v_mov_b32 v2, s10
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  auto With = [](const std::string &Save, const std::string &Restore) {
    return R"(
    s_mov_b32 m0, 1
    s_mov_b32 s8, 10
)" + Save + R"(
  + s_mov_b32 m0, -1
)" + Restore +
           R"(
    s_mov_b32 s9, 11
    s_movrels_b32 s10, s8
    v_mov_b32 v2, s10
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  };
  passes(Original, With("  + s_mov_b32 s40, m0", "  + s_mov_b32 m0, s40"));
  const Difference D = differs(Original, With("", ""));
  EXPECT_EQ(D.What, Kind::Register) << D.text();
  EXPECT_EQ(D.Register, "m0");
  EXPECT_EQ(D.Original, 1u);
  EXPECT_EQ(D.Instrumented, 0xffffffffu);
}

// The original's 256 bytes of LDS, and 256 of the payload's.
class LdsSpace : public Judge {
protected:
  LdsSpace() {
    OriginalLaunch.LdsSize = 256;
    InstrumentedLaunch.LdsSize = 512;
  }
  static std::string storeAt(unsigned Offset) {
    return R"(
    v_lshlrev_b32 v1, 2, v0
    ds_write_b32 v1, v0
  + v_mov_b32 v20, 77
  + v_lshlrev_b32 v21, 2, v0
  + ds_write_b32 v21, v20 offset:)" +
           std::to_string(Offset) + R"(
    v_mov_b32 v3, 0
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  }
  const std::string Original = R"(
    v_lshlrev_b32 v1, 2, v0
    ds_write_b32 v1, v0
    v_mov_b32 v3, 0
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
};

TEST_F(LdsSpace, TooLittleOfIt) {
  passes(Original, storeAt(256));
  InstrumentedLaunch.LdsSize = 256;
  const Difference D = differs(Original, storeAt(256));
  EXPECT_EQ(D.What, Kind::Fault) << D.text();
  EXPECT_NE(D.Detail.find("outside the workgroup's LDS"), std::string::npos);
}

TEST_F(LdsSpace, SharedWithTheOriginal) {
  const Difference D = differs(Original, storeAt(0));
  EXPECT_EQ(D.What, Kind::Lds) << D.text();
  EXPECT_EQ(D.Address, 0u);
  EXPECT_EQ(D.Instrumented, 77u);
}

} // namespace
} // namespace luthier::test
