// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads in flight and what waits guarantee, per generation.
#include "StrictMachine.h"

namespace luthier::test {
namespace {

using emulator::strict::Rule;

class Waits : public StrictMachine {
protected:
  Waits() : StrictMachine("loads=latest") {}
  /// Two addresses that may be read.
  static constexpr const char *Begin = "v_lshlrev_b32 v1, 2, v0\n";
};

TEST_F(Waits, AMissingOneIsReportedWithTheLoad) {
  auto V = expectOne(Rule::MissingWait, "v_add_u32", std::string(Begin) + R"(
    s_nop 0
    global_load_dwordx2 v[4:5], v1, s[0:1]
    v_add_u32 v6, v5, v5
    s_endpgm)");
  EXPECT_EQ(V.Register, "v5");
  EXPECT_EQ(V.OtherPC, Request.EntryPC + 8);
  EXPECT_EQ(V.PC, Request.EntryPC + 16);
}

TEST_F(Waits, AreNeededBeforeOverwriting) {
  auto V = expectOne(Rule::MissingWait, "v_mov_b32", std::string(Begin) + R"(
    global_load_dword v4, v1, s[0:1]
    v_mov_b32 v4, 0
    s_endpgm)");
  EXPECT_NE(V.Detail.find("overwritten"), std::string::npos);
}

TEST_F(Waits, CountLoadsAndStoresInOrder) {
  // Behind vmcnt(2), the oldest of three is back and the second is not.
  expectOne(Rule::MissingWait, "v_mov_b32_e32 v7, v5", std::string(Begin) + R"(
    global_load_dword v4, v1, s[0:1]
    global_load_dword v5, v1, s[0:1]
    global_store_dword v1, v0, s[0:1]
    s_waitcnt vmcnt(2)
    v_mov_b32 v7, v4
    v_mov_b32 v7, v5
    s_endpgm)");
}

TEST_F(Waits, ForScalarLoadsAreWorthNothingUnlessForAll) {
  auto V = expectOne(Rule::MissingWait, "s_mov_b32 s8, s6", R"(
    s_load_dword s6, s[0:1], 0x0
    s_load_dword s7, s[0:1], 0x4
    s_waitcnt lgkmcnt(1)
    s_mov_b32 s8, s6
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s8, s6
    s_mov_b32 s8, s7
    s_endpgm)");
  EXPECT_EQ(V.Register, "s6");
}

TEST_F(Waits, ForLdsAreInOrder) {
  Request.GroupSegmentSize = 1024;
  expectOne(Rule::MissingWait, "v_mov_b32_e32 v7, v5", std::string(Begin) + R"(
    ds_read_b32 v4, v1
    ds_read_b32 v5, v1 offset:4
    s_waitcnt lgkmcnt(1)
    v_mov_b32 v7, v4
    v_mov_b32 v7, v5
    s_endpgm)");
}

TEST_F(Waits, ForFlatLoadsDependOnWhereTheyPoint) {
  Request.GroupSegmentSize = 1024;
  std::string FromMemory = std::string(Begin) + R"(
    v_mov_b32 v2, s0
    v_mov_b32 v3, s1
    flat_load_dword v4, v[2:3]
)";
  std::string FromLds = std::string(Begin) + R"(
    s_mov_b64 s[6:7], src_shared_base
    v_mov_b32 v2, v1
    v_mov_b32 v3, s7
    flat_load_dword v4, v[2:3]
)";
  std::string Memory = "s_waitcnt vmcnt(0)\n", Lds = "s_waitcnt lgkmcnt(0)\n",
              Use = "v_mov_b32 v5, v4\ns_endpgm\n";
  expectOne(Rule::MissingWait, "v_mov_b32", FromMemory + Lds + Use);
  expectOne(Rule::MissingWait, "v_mov_b32", FromLds + Memory + Use);
  expectQuiet(FromMemory + Memory + Use);
  expectQuiet(FromLds + Lds + Use);
}

TEST_F(Waits, AreNotNeededBetweenLoadsOfOneKindNorAtTheEnd) {
  expectQuiet(std::string(Begin) + R"(
    global_load_short_d16 v4, v1, s[0:1]
    global_load_short_d16_hi v4, v1, s[0:1] offset:2
    s_waitcnt vmcnt(0)
    v_mov_b32 v5, v4
    global_load_dword v4, v1, s[0:1]
    s_endpgm)");
}

TEST_F(Waits, AreNeededForAddressesThatTheResultReplaces) {
  const std::string First = R"(
    v_mov_b32 v1, 0
    v_mov_b32 v2, s0
    v_mov_b32 v3, s1
    global_load_dwordx2 v[2:3], v1, s[0:1]
)";
  const std::string Second = R"(
    global_load_dword v2, v[2:3], off
    s_endpgm)";
  Data.as<uint64_t>()[0] = Data.address();
  auto V = expectOne(Rule::MissingWait, "global_load_dword v2", First + Second);
  EXPECT_EQ(V.Register, "v2");
  expectQuiet(First + "s_waitcnt vmcnt(0)\n" + Second);
}

TEST_F(Waits, LoadsShowNothingBefore) {
  // The old value is what a program gets that does not wait.
  Data.as<uint32_t>()[0] = 7;
  violations(R"(
    v_mov_b32 v1, 0
    v_mov_b32 v4, 1
    s_mov_b32 s6, 2
    s_nop 4
    global_load_dword v4, v1, s[0:1]
    s_load_dword s6, s[0:1], 0x0
    v_mov_b32 v8, v4
    v_mov_b32 v9, s6
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mov_b32 v10, v4
    v_mov_b32 v11, s6
    global_store_dwordx4 v1, v[8:11], s[0:1] offset:16
    s_endpgm)");
  EXPECT_EQ(Seen.size(), 2u);
  const uint32_t *Result = Data.as<uint32_t>() + 4;
  EXPECT_EQ(Result[0], 1u);
  EXPECT_EQ(Result[1], 2u);
  EXPECT_EQ(Result[2], 7u);
  EXPECT_EQ(Result[3], 7u);
}

/// By seed, which decides when each load arrives.
class RandomLoads : public StrictMachine,
                    public ::testing::WithParamInterface<int> {
protected:
  RandomLoads()
      : StrictMachine("loads=random,seed=" + std::to_string(GetParam())) {}
};

TEST_P(RandomLoads, OfOneRegisterArriveInOrder) {
  Data.as<uint32_t>()[0] = 5;
  Data.as<uint32_t>()[1] = 9;
  std::string Late;
  for (unsigned N = 0; N != 40; ++N)
    Late += "v_mov_b32 v5, 0\n";
  expectQuiet("v_mov_b32 v1, 0\nv_mov_b32 v4, 1\n"
              "global_load_dword v4, v1, s[0:1]\n"
              "global_load_dword v4, v1, s[0:1] offset:4\n" +
              Late +
              "s_waitcnt vmcnt(0)\n"
              "global_store_dword v1, v4, s[0:1] offset:16\n"
              "s_endpgm");
  EXPECT_EQ(Data.as<uint32_t>()[4], 9u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLoads, ::testing::Range(1, 9));

class EarlyLoads : public StrictMachine {
protected:
  EarlyLoads() : StrictMachine("loads=earliest") {}
};

TEST_F(EarlyLoads, ShowAtOnceAndMustBeWaitedForAllTheSame) {
  Data.as<uint32_t>()[0] = 7;
  expectOne(Rule::MissingWait, "v_mov_b32", R"(
    v_mov_b32 v1, 0
    global_load_dword v4, v1, s[0:1]
    v_mov_b32 v5, v4
    global_store_dword v1, v5, s[0:1] offset:16
    s_endpgm)");
  EXPECT_EQ(Data.as<uint32_t>()[4], 7u);
}

class WaitsGfx942 : public StrictMachine {
protected:
  WaitsGfx942() : StrictMachine("loads=latest", "gfx942") {}
};

TEST_F(WaitsGfx942, ForLoadsToLds) {
  Request.GroupSegmentSize = 1024;
  const std::string Load = R"(
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0x100
    s_mov_b32 m0, 0x100
    s_nop 0
    global_load_lds_dword v1, s[0:1]
)";
  const std::string Lds = "ds_read2_b32 v[4:5], v2 offset0:64 offset1:63\n";
  auto V = expectOne(Rule::MissingWait, "ds_read2_b32", Load + Lds + R"(
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_endpgm)");
  EXPECT_EQ(V.Register, "LDS byte 508");
  EXPECT_NE(V.Detail.find("read"), std::string::npos);
  EXPECT_EQ(V.OtherPC, V.PC - 8);
  expectOne(Rule::MissingWait, "ds_write_b8", Load + R"(
    ds_write_b8 v2, v1 offset:3
    s_endpgm)");
  expectQuiet(Load + "s_waitcnt vmcnt(0)\n" + Lds + "s_endpgm");
  // Bytes on both sides of what is loaded.
  expectQuiet(Load + R"(
    v_mov_b32 v3, 0
    ds_read_b32 v4, v3 offset:252
    ds_read_b128 v[4:7], v3 offset:512
    s_endpgm)");
}

class WaitsGfx1030 : public StrictMachine {
protected:
  WaitsGfx1030() : StrictMachine("loads=random,seed=5", "gfx1030", 32) {}
};

TEST_F(WaitsGfx1030, BothHalvesOfARegisterArrive) {
  Request.WorkgroupSize = Request.GridSize = {32, 1, 1};
  Data.as<uint32_t>()[0] = 0x00050007;
  expectQuiet(R"(
    v_mov_b32 v1, 0
    v_mov_b32 v4, 1
    global_load_short_d16 v4, v1, s[0:1]
    global_load_short_d16_hi v4, v1, s[0:1] offset:2
    s_waitcnt vmcnt(0)
    global_store_dword v1, v4, s[0:1] offset:16
    s_endpgm)");
  EXPECT_EQ(Data.as<uint32_t>()[4], 0x00050007u);
}

TEST_F(WaitsGfx1030, CountStoresApart) {
  Request.WorkgroupSize = Request.GridSize = {32, 1, 1};
  expectOne(Rule::MissingWait, "v_mov_b32", R"(
    v_lshlrev_b32 v1, 2, v0
    global_load_dword v4, v1, s[0:1]
    global_store_dword v1, v0, s[0:1] offset:256
    s_waitcnt vmcnt(1)
    v_mov_b32 v5, v4
    s_waitcnt vmcnt(0)
    v_mov_b32 v5, v4
    s_endpgm)");
}

TEST_F(WaitsGfx1030, CountGenericLoadsInOrder) {
  Request.WorkgroupSize = Request.GridSize = {32, 1, 1};
  auto V = expectOne(Rule::MissingWait, "v_mov_b32_e32 v6, v5", R"(
    v_mov_b32 v2, s0
    v_mov_b32 v3, s1
    flat_load_dword v4, v[2:3]
    flat_load_dword v5, v[2:3]
    s_waitcnt vmcnt(1) lgkmcnt(1)
    v_mov_b32 v6, v4
    v_mov_b32 v6, v5
    s_endpgm)");
  EXPECT_EQ(V.Register, "v5");
}

class WaitsGfx1100 : public StrictMachine {
protected:
  WaitsGfx1100() : StrictMachine("loads=latest", "gfx1100", 32) {
    Request.WorkgroupSize = Request.GridSize = {32, 1, 1};
    Data.as<uint32_t>()[0] = 0x00050007;
  }
};

/// Clang 21 writes the other half at once, and reads it.
TEST_F(WaitsGfx1100, AreNotNeededForTheOtherHalf) {
  expectQuiet(R"(
    v_mov_b32 v1, 0
    v_mov_b32 v2, 0x00090008
    v_mov_b32 v4, 0x00010001
    v_mov_b32 v5, 0x00010001
    global_load_d16_b16 v4, v1, s[0:1]
    global_load_d16_hi_b16 v5, v1, s[0:1]
    v_mov_b16 v4.h, v2.l
    v_mov_b16 v5.l, v2.h
    v_mov_b16 v2.l, v4.h
    v_mov_b16 v2.h, v5.l
    s_waitcnt vmcnt(0)
    global_store_b32 v1, v4, s[0:1] offset:16
    global_store_b32 v1, v5, s[0:1] offset:20
    global_store_b32 v1, v2, s[0:1] offset:24
    s_endpgm)");
  EXPECT_EQ(Data.as<uint32_t>()[4], 0x00080007u);
  EXPECT_EQ(Data.as<uint32_t>()[5], 0x00070009u);
  EXPECT_EQ(Data.as<uint32_t>()[6], 0x00090008u);
}

TEST_F(WaitsGfx1100, AreNeededForTheSameHalfAndForBoth) {
  for (const char *Access :
       {"v_mov_b16 v4.l, v2.l", "v_mov_b16 v2.h, v4.l", "v_mov_b32 v4, v2",
        "v_mov_b32 v2, v4", "v_cvt_f32_f16 v2, v4.l",
        "global_store_b16 v1, v4, s[0:1] offset:16"}) {
    auto V = expectOne(Rule::MissingWait, std::string(Access).substr(0, 8),
                       std::string(R"(
    v_mov_b32 v1, 0
    v_mov_b32 v2, 0
    v_mov_b32 v4, 0
    global_load_d16_b16 v4, v1, s[0:1]
)") + Access + "\ns_endpgm");
    EXPECT_EQ(V.Register, "v4") << Access;
  }
}

class WaitsGfx1201 : public StrictMachine {
protected:
  WaitsGfx1201() : StrictMachine("loads=latest", "gfx1201", 32) {}
};

TEST_F(WaitsGfx1201, HaveACounterForEachKind) {
  Request.WorkgroupSize = Request.GridSize = {32, 1, 1};
  Request.GroupSegmentSize = 1024;
  std::string Loads = R"(
    v_lshlrev_b32 v1, 2, v0
    ds_load_b32 v2, v1
    s_load_b32 s6, s[0:1], 0x0
    global_load_b32 v4, v1, s[0:1]
)";
  expectQuiet(Loads + R"(
    s_wait_dscnt 0x0
    v_mov_b32 v5, v2
    s_wait_kmcnt 0x0
    v_mov_b32 v5, s6
    s_wait_loadcnt 0x0
    v_mov_b32 v5, v4
    s_endpgm)");
  expectQuiet(Loads + R"(
    s_wait_loadcnt_dscnt 0x0
    v_add_nc_u32 v5, v2, v4
    s_endpgm)");
  auto V = expectOne(Rule::MissingWait, "v_mov_b32", Loads + R"(
    s_wait_dscnt 0x0
    s_wait_loadcnt 0x0
    v_mov_b32 v5, s6
    s_endpgm)");
  EXPECT_EQ(V.Register, "s6");
}

} // namespace
} // namespace luthier::test
