// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which compute units run workgroups, and what waves see of it.
#include "emulator/exec/UnitPlaces.h"
#include "Machine.h"
#include <algorithm>
#include <set>

namespace luthier::test {
namespace {

using emulator::UnitPlaces;

bool operator==(UnitPlaces::Place A, std::pair<size_t, unsigned> B) {
  return A.Unit == B.first && A.Number == B.second;
}

TEST(UnitPlacesTest, FullUnitsAreLeftOut) {
  UnitPlaces Places(/*NumUnits=*/3, /*PerUnit=*/2);
  EXPECT_TRUE(Places.take(0) == std::pair(0, 0));
  EXPECT_TRUE(Places.take(1) == std::pair(1, 0));
  EXPECT_TRUE(Places.take(3) == std::pair(0, 1));
  EXPECT_TRUE(Places.take(6) == std::pair(1, 1));
  EXPECT_TRUE(Places.take(9) == std::pair(2, 0));
  Places.leave({0, 0});
  EXPECT_TRUE(Places.take(12) == std::pair(0, 0));
  EXPECT_TRUE(Places.take(2) == std::pair(2, 1));
}

/// What the registers that name places say.
struct Seen {
  unsigned Engine, Unit, Simd, Slot;
  auto operator<=>(const Seen &) const = default;
};

/// Its kernels write the register for each wave.
class PlacesTest : public Machine {
protected:
  explicit PlacesTest(const std::string &Processor = "gfx90a",
                      unsigned WaveSize = 64)
      : Machine(on(Processor), WaveSize) {}

  virtual std::string source() const {
    return R"(
      s_getreg_b32 s5, hwreg(HW_REG_HW_ID)
      v_lshlrev_b32 v2, 2, v0
      s_lshl_b32 s2, s2, 12
      v_add_u32 v2, s2, v2
      v_mov_b32 v1, s5
      global_store_dword v2, v1, s[0:1]
      s_endpgm
    )";
  }
  virtual Seen read(uint32_t Bits) const {
    return {Bits >> 13 & 3, Bits >> 8 & 15, Bits >> 4 & 3, Bits & 15};
  }

  /// By workgroup, of its wave \p Wave.
  std::vector<Seen> places(unsigned NumGroups, unsigned NumWaves = 1) {
    Request.WorkgroupSize = {WaveSize * NumWaves, 1, 1};
    Request.GridSize = {WaveSize * NumWaves * NumGroups, 1, 1};
    load(source());
    runOk();
    std::vector<Seen> All;
    for (unsigned Group = 0; Group != NumGroups; ++Group)
      for (unsigned Wave = 0; Wave != NumWaves; ++Wave)
        All.push_back(
            read(Data.as<uint32_t>()[Group * 1024 + Wave * WaveSize]));
    return All;
  }
};

TEST_F(PlacesTest, WorkgroupsAreSpreadOverAllUnits) {
  const auto All = places(16);
  for (unsigned Group = 0; Group != 16; ++Group)
    EXPECT_EQ(All[Group], (Seen{Group % 2, Group / 2 % 4, 0, 0})) << Group;
}

TEST_F(PlacesTest, WavesAreSpreadOverTheSimds) {
  const auto All = places(1, 8);
  for (unsigned Wave = 0; Wave != 8; ++Wave)
    EXPECT_EQ(All[Wave], (Seen{0, 0, Wave % 4, Wave / 4})) << Wave;
}

TEST_F(PlacesTest, MasksLeaveUnitsOut) {
  Request.UnitMask = {0b100110};
  const Seen Enabled[] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {1, 2, 0, 0}};
  const auto All = places(9);
  for (unsigned Group = 0; Group != 9; ++Group)
    EXPECT_EQ(All[Group], Enabled[Group % 3]) << Group;
}

TEST_F(PlacesTest, BitsBehindTheUnitsSayNothing) {
  Request.UnitMask = {0xffffff01, ~0u};
  for (const Seen &S : places(9))
    EXPECT_EQ(S, (Seen{0, 0, 0, 0}));
}

TEST_F(PlacesTest, MasksWithoutAnyUnitAreFaults) {
  Request.UnitMask = {0xff00};
  load("s_endpgm");
  const auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, emulator::ExecutionFault::Kind::InvalidDispatch);
  EXPECT_NE(Fault->Message.find("mask leaves no compute unit"),
            std::string::npos)
      << Fault->Message;
}

/// A mask leaves fewer workgroups at a time.
TEST_F(PlacesTest, MasksLimitHowManyWorkgroupsAreThereAtATime) {
  Request.UnitMask = {0b11};
  Request.GroupSegmentSize = 64 * 1024;
  Request.GridSize = {64 * 3, 1, 1};
  // Each waits for all three.
  load(R"(
    s_mov_b64 exec, 1
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    global_atomic_add v1, v2, s[0:1]
  wait:
    s_sleep 1
    global_load_dword v3, v1, s[0:1] glc
    s_waitcnt vmcnt(0)
    v_cmp_ne_u32 vcc, 3, v3
    s_cbranch_vccnz wait
    s_endpgm
  )");
  auto Opts = gfx90a();
  Opts.InstructionLimit = 100'000;
  std::string Error;
  Device = emulator::ShaderArray::create(Opts, Space, Error);
  const auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, emulator::ExecutionFault::Kind::NoProgress);
  EXPECT_EQ(Data.as<uint32_t>()[0], 2u);
}

/// All of them are there before any writes where it is.
class TogetherTest : public PlacesTest,
                     public ::testing::WithParamInterface<unsigned> {
protected:
  static constexpr unsigned NumGroups = 16;
  std::string source() const override {
    return R"(
      v_mov_b32 v1, 0
      v_mov_b32 v2, 1
      s_mov_b64 s[6:7], exec
      s_mov_b64 exec, 1
      global_atomic_add v1, v2, s[0:1] offset:4
    wait:
      s_sleep 1
      global_load_dword v3, v1, s[0:1] offset:4 glc
      s_waitcnt vmcnt(0)
      v_cmp_ne_u32 vcc, 16, v3
      s_cbranch_vccnz wait
      s_mov_b64 exec, s[6:7]
      s_getreg_b32 s5, hwreg(HW_REG_HW_ID)
      s_lshl_b32 s2, s2, 12
      v_mov_b32 v2, s2
      v_mov_b32 v1, s5
      v_cmp_eq_u32 vcc, 0, v0
      s_and_b64 exec, exec, vcc
      global_store_dword v2, v1, s[0:1]
      s_endpgm
    )";
  }
};

TEST_P(TogetherTest, NoTwoWavesHaveOnePlace) {
  auto Opts = gfx90a();
  Opts.Threads = GetParam();
  std::string Error;
  Device = emulator::ShaderArray::create(Opts, Space, Error);
  // Room for two in each of eight units.
  Request.GroupSegmentSize = 32 * 1024;
  const auto All = places(NumGroups);
  EXPECT_EQ(std::set(All.begin(), All.end()).size(), NumGroups);
  for (const Seen &S : All)
    EXPECT_LT(S.Simd, 2u);
}

INSTANTIATE_TEST_SUITE_P(Threads, TogetherTest, ::testing::Values(1u, 2u));

/// Units come in pairs there, and some kernels use both at once.
class PairsTest : public PlacesTest {
protected:
  explicit PairsTest(const std::string &Processor = "gfx1030")
      : PlacesTest(Processor, 32) {}

  std::string source() const override {
    return R"(
      s_getreg_b32 s5, hwreg(23)
      v_lshlrev_b32 v2, 2, v0
      s_lshl_b32 s2, s2, 12
      v_add_nc_u32 v2, s2, v2
      v_mov_b32 v1, s5
      global_store_dword v2, v1, s[0:1]
      s_endpgm
    )";
  }
  Seen read(uint32_t Bits) const override {
    return {Bits >> 18 & 7, Bits >> 10 & 15, Bits >> 8 & 3, Bits & 31};
  }
  void useWholePairs() { Request.ComputePgmRsrc1 |= 1 << 29; }
};

TEST_F(PairsTest, SingleUnitsAreHalvesOfPairs) {
  const auto All = places(16);
  for (unsigned Group = 0; Group != 16; ++Group)
    EXPECT_EQ(All[Group], (Seen{Group % 2, Group / 2 % 2, Group / 4 % 2, 0}))
        << Group;
}

TEST_F(PairsTest, WorkgroupsUseTheSimdsOfTheirHalf) {
  const auto All = places(1, 4);
  for (unsigned Wave = 0; Wave != 4; ++Wave)
    EXPECT_EQ(All[Wave], (Seen{0, 0, Wave % 2 * 2, Wave / 2})) << Wave;
}

TEST_F(PairsTest, WorkgroupsUseAllSimdsOfAPair) {
  useWholePairs();
  const auto All = places(5, 8);
  for (unsigned Wave = 0; Wave != 5 * 8; ++Wave) {
    const unsigned Group = Wave / 8;
    EXPECT_EQ(All[Wave],
              (Seen{Group % 2, Group / 2 % 2, Wave % 4, Wave % 8 / 4}))
        << Wave;
  }
}

TEST_F(PairsTest, MasksHaveTwoBitsForEach) {
  Request.UnitMask = {0b11000011};
  const auto Halves = places(8);
  for (unsigned Group = 0; Group != 8; ++Group)
    EXPECT_EQ(Halves[Group], (Seen{Group % 2, Group % 2, Group / 2 % 2, 0}))
        << Group;
  useWholePairs();
  const auto Pairs = places(4);
  for (unsigned Group = 0; Group != 4; ++Group)
    EXPECT_EQ(Pairs[Group], (Seen{Group % 2, Group % 2, 0, 0})) << Group;
}

class Generation12Test : public PairsTest {
protected:
  Generation12Test() : PairsTest("gfx1201") {}
  std::string source() const override {
    return R"(
      s_getreg_b32 s5, hwreg(23)
      v_lshlrev_b32 v2, 2, v0
      s_lshl_b32 s2, ttmp9, 12
      v_add_nc_u32 v2, s2, v2
      v_mov_b32 v1, s5
      global_store_b32 v2, v1, s[0:1]
      s_endpgm
    )";
  }
};

TEST_F(Generation12Test, MasksHaveTwoBitsForEach) {
  Request.UnitMask = {0b00001100};
  const auto All = places(4);
  for (unsigned Group = 0; Group != 4; ++Group)
    EXPECT_EQ(All[Group], (Seen{1, 0, Group % 2, 0})) << Group;
}

} // namespace
} // namespace luthier::test
