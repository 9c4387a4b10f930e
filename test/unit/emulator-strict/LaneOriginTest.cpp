// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lane accesses read from lanes that nobody wrote must not be stored.
#include "StrictMachine.h"

namespace luthier::test {
namespace {

using emulator::strict::Rule;

class LaneOrigin : public StrictMachine {
protected:
  LaneOrigin() : StrictMachine("undefined") {}

  /// Stores s6 by one lane; s[0:1] is the address of memory.
  static std::string thenStored(const std::string &Code) {
    return Code + R"(
    s_mov_b64 exec, 1
    v_mov_b32 v1, 0
    v_mov_b32 v2, s6
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  }
};

TEST_F(LaneOrigin, OfAnUnwrittenLaneIsReportedWhereTheValueIsStored) {
  const auto V =
      expectOne(Rule::UndefinedStore, "global_store_dword", thenStored(R"(
    s_mov_b64 exec, 0
    v_cndmask_b32 v4, 0, 1, vcc
    v_readfirstlane_b32 s6, v4)"));
  EXPECT_EQ(V.Register, "v2");
  EXPECT_EQ(V.Lane, 0u);
}

TEST_F(LaneOrigin, OfALaneByNumberIsReported) {
  expectOne(Rule::UndefinedStore, "global_store_dword", thenStored(R"(
    s_mov_b64 exec, 0xff
    v_mov_b32 v4, 1
    v_readlane_b32 s6, v4, 8)"));
  expectQuiet(thenStored(R"(
    s_mov_b64 exec, 0xff
    v_mov_b32 v4, 1
    v_readlane_b32 s6, v4, 7)"));
}

/// The register may hold what was computed for another purpose.
TEST_F(LaneOrigin, OfALaneThatWasWrittenInVainIsReported) {
  expectOne(Rule::UndefinedStore, "global_store_dword", thenStored(R"(
    v_mov_b32 v4, 5
    s_mov_b64 exec, 0
    v_cndmask_b32 v4, 0, 1, vcc
    v_readfirstlane_b32 s6, v4)"));
  expectQuiet(thenStored(R"(
    v_mov_b32 v4, 5
    s_mov_b64 exec, 0
    v_readfirstlane_b32 s6, v4)"));
}

TEST_F(LaneOrigin, IsFollowedThroughArithmeticAndLanes) {
  expectOne(Rule::UndefinedStore, "global_atomic_add", R"(
    s_mov_b64 exec, 0
    v_readfirstlane_b32 s6, v4
    s_add_u32 s7, s6, 3
    s_mov_b32 s8, s7
    v_writelane_b32 v9, s8, 5
    v_readlane_b32 s9, v9, 5
    s_mov_b64 exec, 1
    v_mov_b32 v1, 0
    v_mov_b32 v2, s9
    global_atomic_add v1, v2, s[0:1]
    s_endpgm)");
}

TEST_F(LaneOrigin, ToLdsIsReported) {
  Request.GroupSegmentSize = 64;
  expectOne(Rule::UndefinedStore, "ds_write_b32", R"(
    v_mov_b32 v1, 0
    v_readlane_b32 s6, v4, 3
    v_mov_b32 v2, s6
    ds_write_b32 v1, v2
    s_endpgm)");
}

TEST_F(LaneOrigin, MayBeThrownAway) {
  expectQuiet(thenStored(R"(
    s_mov_b64 exec, 0
    v_readfirstlane_b32 s6, v4
    s_and_b32 s6, s6, 0)"));
  expectQuiet(thenStored(R"(
    s_mov_b64 exec, 0
    v_readfirstlane_b32 s6, v4
    s_mov_b32 s6, 0)"));
}

TEST_F(LaneOrigin, MayBeStoredByNoLane) {
  expectQuiet(R"(
    s_mov_b64 exec, 0
    v_readfirstlane_b32 s6, v4
    v_mov_b32 v1, 0
    v_mov_b32 v2, s6
    global_store_dword v1, v2, s[0:1]
    s_endpgm)");
}

/// Padding of structures, and variables that are not set on every way, are
/// copied by compiled code.
TEST_F(LaneOrigin, OfAnUninitialisedValueThatWasWrittenIsNoMatter) {
  expectQuiet(thenStored(R"(
    v_mov_b32 v4, s20
    v_readfirstlane_b32 s6, v4)"));
  expectQuiet(thenStored(R"(
    v_writelane_b32 v4, s20, 2
    v_readlane_b32 s6, v4, 2)"));
}

TEST_F(LaneOrigin, CountsForTheSameRegisterLaterOnlyIfReadAgain) {
  expectQuiet(thenStored(R"(
    v_readlane_b32 s6, v4, 3
    v_mov_b32 v5, s6
    v_mov_b32 v5, s20
    v_readlane_b32 s6, v5, 3)"));
}

/// Of what such loops read for no lane, no use is made.
TEST_F(LaneOrigin, InALoopOverDescriptorsIsNoMatterWithoutLanes) {
  expectQuiet(R"(
    s_mov_b64 exec, 0
    v_mov_b32 v4, 0
    v_mov_b32 v5, 0
    v_readfirstlane_b32 s8, v4
    v_readfirstlane_b32 s9, v5
    s_mov_b32 s10, 0
    s_mov_b32 s11, 0
    v_cmp_eq_u32 vcc, s8, v4
    s_and_saveexec_b64 s[6:7], vcc
    buffer_load_dword v6, v5, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
    s_endpgm)");
}

/// Compilers keep registers there and take them back.
class LaneOriginInScratch : public StrictMachine {
protected:
  LaneOriginInScratch() : StrictMachine("undefined", "gfx942") {
    constexpr uint32_t HasScratch = 1;
    Request.ScratchBase = Data.address() + DataSize / 2;
    Request.ScratchBytesPerWave = 64 * 64;
    Request.ScratchWaves = 1;
    Request.PrivateSegmentSize = 64;
    Request.ComputePgmRsrc2 |= HasScratch;
  }
  /// Stores what \p Code leaves in v2 of lane 0.
  static std::string thenStored(const std::string &Code) {
    return Code + R"(
    s_mov_b64 exec, 1
    v_mov_b32 v1, 0
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  }
  /// Puts v2 away, and gets it back after \p Between.
  static std::string throughScratch(const std::string &Between = "") {
    return R"(
    scratch_store_dword off, v2, off offset:16
    v_mov_b32 v2, 0
    )" + Between +
           R"(
    scratch_load_dword v2, off, off offset:16
    s_waitcnt vmcnt(0))";
  }
  /// Of a lane that nobody wrote.
  static constexpr const char *Stray = R"(
    v_readlane_b32 s6, v4, 3
    v_mov_b32 v2, s6)";
};

TEST_F(LaneOriginInScratch, IsKept) {
  const auto V = expectOne(Rule::UndefinedStore, "global_store_dword",
                           thenStored(Stray + throughScratch()));
  EXPECT_EQ(V.Register, "v2");
}

TEST_F(LaneOriginInScratch, IsKeptByteByByte) {
  expectOne(Rule::UndefinedStore, "global_store_dword",
            thenStored(std::string(Stray) + R"(
    scratch_store_dword off, v2, off offset:16
    scratch_load_sbyte v2, off, off offset:18
    s_waitcnt vmcnt(0))"));
}

TEST_F(LaneOriginInScratch, IsKeptBehindAGenericAddress) {
  expectOne(Rule::UndefinedStore, "global_store_dword",
            thenStored(std::string(Stray) + R"(
    s_mov_b64 s[8:9], src_private_base
    v_mov_b32 v6, 16
    v_mov_b32 v7, s9
    flat_store_dword v[6:7], v2
    scratch_load_dword v2, off, off offset:16
    s_waitcnt vmcnt(0) lgkmcnt(0))"));
}

TEST_F(LaneOriginInScratch, IsKeptForALaneThatIsOnlyReadAfterwards) {
  expectOne(Rule::UndefinedStore, "global_store_dword",
            thenStored(throughScratch() + R"(
    v_readlane_b32 s6, v2, 3
    v_mov_b32 v2, s6)"));
}

TEST_F(LaneOriginInScratch, EndsWhereSomethingElseIsStored) {
  expectQuiet(thenStored(Stray + throughScratch(R"(
    v_mov_b32 v3, 5
    scratch_store_dword off, v3, off offset:16)")));
  expectQuiet(thenStored(std::string(Stray) + R"(
    scratch_store_dword off, v2, off offset:16
    scratch_store_dword off, v0, off offset:20
    scratch_load_dword v2, off, off offset:20
    s_waitcnt vmcnt(0))"));
}

TEST_F(LaneOriginInScratch, EndsWithTheWave) {
  Request.GridSize = {128, 1, 1};
  // The second workgroup finds what the first one left.
  expectQuiet(std::string(R"(
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc0 second)") +
              Stray + R"(
    scratch_store_dword off, v2, off offset:16
    s_endpgm
  second:
    scratch_load_dword v2, off, off offset:16
    s_waitcnt vmcnt(0))" +
              thenStored(""));
}

TEST_F(LaneOriginInScratch, OfOneLaneIsNotThatOfOthers) {
  const std::string PutAway = R"(
    s_mov_b64 exec, 2
    v_mov_b32 v2, s6
    s_mov_b64 exec, -1)" + throughScratch();
  const std::string Start = "\n v_mov_b32 v2, 1\n v_readlane_b32 s6, v4, 3\n";
  expectQuiet(thenStored(Start + PutAway));
  expectOne(Rule::UndefinedStore, "global_store_dword",
            thenStored(Start + PutAway + R"(
    v_readlane_b32 s7, v2, 1
    v_mov_b32 v2, s7)"));
}

} // namespace
} // namespace luthier::test
