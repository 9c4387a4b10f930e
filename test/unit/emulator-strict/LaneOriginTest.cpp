// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lane accesses read from lanes that nobody wrote must not be stored.
#include "StrictMachine.h"

namespace luthier::test {
namespace {

using emulator::strict::Rule;

class LaneOrigin : public StrictMachine {
protected:
  LaneOrigin() : StrictMachine("uninitialised") {}

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
      expectOne(Rule::PoisonStore, "global_store_dword", thenStored(R"(
    s_mov_b64 exec, 0
    v_cndmask_b32 v4, 0, 1, vcc
    v_readfirstlane_b32 s6, v4)"));
  EXPECT_EQ(V.Register, "v2");
  EXPECT_EQ(V.Lane, 0u);
}

TEST_F(LaneOrigin, OfALaneByNumberIsReported) {
  expectOne(Rule::PoisonStore, "global_store_dword", thenStored(R"(
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
  expectOne(Rule::PoisonStore, "global_store_dword", thenStored(R"(
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
  expectOne(Rule::PoisonStore, "global_atomic_add", R"(
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
  expectOne(Rule::PoisonStore, "ds_write_b32", R"(
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

} // namespace
} // namespace luthier::test
