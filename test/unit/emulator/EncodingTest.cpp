// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What encodings of generations 10 to 12 add: two operations in one, DPP8,
// halves of registers as operands, moves relative to M0.
#include "Machine.h"
#include "ops/PairReference.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <string_view>

namespace luthier::test {
namespace {

struct Device {
  const char *Processor;
  unsigned WaveSize;
};

std::string nameOf(const ::testing::TestParamInfo<Device> &Info) {
  return std::string(Info.param.Processor) + "_wave" +
         std::to_string(Info.param.WaveSize);
}

/// Gives each lane random v1 to v8 and the lane's number in v0, runs a few
/// instructions, and returns v10 to v17.
class EncodingTest : public Machine,
                     public ::testing::WithParamInterface<Device> {
protected:
  static constexpr unsigned NumIn = 8, NumOut = 8, Seed = 7;
  using Rows = std::array<std::array<uint32_t, 64>, NumOut>;

  EncodingTest() : Machine(on(GetParam().Processor), GetParam().WaveSize) {
    Request.WorkgroupSize = Request.GridSize = {WaveSize, 1, 1};
    std::mt19937 Random(Seed);
    for (auto &Row : In)
      for (uint32_t &Word : Row)
        Word = Random();
  }
  bool is12() const { return Processor == "gfx1201"; }

  Rows evaluate(const std::string &Instructions) {
    std::copy_n(In[0].data(), NumIn * 64, Data.as<uint32_t>());
    bool New = Processor != "gfx1030";
    std::string Load = New ? "global_load_b32 v" : "global_load_dword v";
    std::string Store =
        New ? "global_store_b32 v40, v" : "global_store_dword v40, v";
    std::string Source = "v_and_b32 v0, 0x3ff, v0\n v_lshlrev_b32 v40, 2, v0\n";
    for (unsigned N = 0; N != NumIn; ++N)
      Source += Load + std::to_string(N + 1) +
                ", v40, s[0:1] offset:" + std::to_string(N * 256) + "\n";
    Source += is12() ? "s_wait_loadcnt 0\n" : "s_waitcnt vmcnt(0)\n";
    for (unsigned N = 0; N != NumOut; ++N)
      Source += "v_mov_b32 v" + std::to_string(10 + N) + ", 0x5a5a5a5a\n";
    Source += Instructions + (WaveSize == 32 ? "\n s_mov_b32 exec_lo, -1\n"
                                             : "\n s_mov_b64 exec, -1\n");
    // Offsets of generation 10 have twelve bits with the sign.
    Source += "v_add_nc_u32 v40, 0x800, v40\n";
    for (unsigned N = 0; N != NumOut; ++N)
      Source += Store + std::to_string(N + 10) +
                ", s[0:1] offset:" + std::to_string(N * 256) + "\n";
    load(Source + "s_endpgm\n");
    runOk();
    Rows Out;
    for (unsigned N = 0; N != NumOut; ++N)
      std::copy_n(Data.as<uint32_t>() + (NumIn + N) * 64, 64, Out[N].data());
    return Out;
  }
  uint32_t v(unsigned Reg, unsigned Lane) const { return In[Reg - 1][Lane]; }

  std::array<std::array<uint32_t, 64>, NumIn> In;
};

class Narrow : public EncodingTest {};
class Every : public EncodingTest {};
class Halves : public EncodingTest {};

std::string replaced(std::string Text, const std::string &From,
                     const std::string &To) {
  for (size_t At = 0; (At = Text.find(From, At)) != std::string::npos;
       At += To.size())
    Text.replace(At, From.size(), To);
  return Text;
}

TEST_P(Narrow, BothOperationsOfAPairReadBeforeEitherWrites) {
  auto Line = [](const PairPart &P, bool InPair, const char *Dst, const char *A,
                 const char *B) {
    std::string Operands = replaced(P.Operands, "K", "0x40490fdb");
    if (InPair)
      Operands = replaced(Operands, ", vcc_lo", "");
    Operands = replaced(replaced(Operands, "A", A), "B", B);
    return std::string(InPair ? P.Name : P.Alone) + " " + Dst + ", " + Operands;
  };
  const std::string Before = "s_mov_b32 vcc_lo, 0x3a5c0ff1\n";
  for (const PairPart &X : PairParts)
    for (const PairPart &Y : PairParts) {
      if (X.OnlySecond || !X.existsOn(Processor) || !Y.existsOn(Processor))
        continue;
      // The first part reads v1, which the second writes, and the other way
      // round with v4, except where that would be a bank conflict.
      bool Conflict = std::string_view(Y.Operands) == "A, K, B";
      const char *B = Conflict ? "v5" : "v4";
      Rows Paired = evaluate(Before + Line(X, true, "v4", "v1", "v2") +
                             " :: " + Line(Y, true, "v1", "v3", B) +
                             "\n v_mov_b32 v10, v4\n v_mov_b32 v11, v1\n");
      Rows Alone = evaluate(Before + "v_mov_b32 v10, v4\n v_mov_b32 v11, v1\n" +
                            Line(X, false, "v10", "v1", "v2") + "\n" +
                            Line(Y, false, "v11", "v3", B));
      ASSERT_EQ(Paired[0], Alone[0]) << X.Name << " " << Y.Name;
      ASSERT_EQ(Paired[1], Alone[1]) << X.Name << " " << Y.Name;
    }
}

float brain(uint32_t Bits) { return std::bit_cast<float>(Bits << 16); }
float half(uint32_t Bits) {
  return float(std::bit_cast<_Float16>(uint16_t(Bits)));
}

TEST_P(Narrow, DotProductsInPairsAccumulateFromTheLowHalfUp) {
  Rows R = evaluate("v_mov_b32 v10, v5\n v_mov_b32 v11, v6\n"
                    "v_dual_dot2acc_f32_f16 v10, v1, v2 :: "
                    "v_dual_dot2acc_f32_bf16 v11, v3, v4");
  auto Expect = [](uint32_t Result, float Sum, unsigned L) {
    if (Sum != Sum)
      EXPECT_TRUE(std::isnan(std::bit_cast<float>(Result))) << L;
    else
      EXPECT_EQ(Result, std::bit_cast<uint32_t>(Sum)) << L;
  };
  for (unsigned L = 0; L != WaveSize; ++L) {
    float Sum = std::bit_cast<float>(v(5, L));
    Sum += half(v(1, L)) * half(v(2, L));
    Sum += half(v(1, L) >> 16) * half(v(2, L) >> 16);
    Expect(R[0][L], Sum, L);
    Sum = std::bit_cast<float>(v(6, L));
    Sum += brain(v(3, L) & 0xffff) * brain(v(4, L) & 0xffff);
    Sum += brain(v(3, L) >> 16) * brain(v(4, L) >> 16);
    Expect(R[1][L], Sum, L);
  }
}

TEST_P(Narrow, PairsThatDependOneWayReadOldValues) {
  Rows R = evaluate(R"(
    v_dual_mov_b32 v10, v1 :: v_dual_mov_b32 v11, v2
    v_dual_mov_b32 v12, v3 :: v_dual_mov_b32 v13, v4
    v_dual_mov_b32 v12, v11 :: v_dual_mov_b32 v11, v10
    v_dual_mov_b32 v14, v13 :: v_dual_mov_b32 v15, v14
  )");
  for (unsigned L = 0; L != WaveSize; ++L) {
    EXPECT_EQ(R[2][L], v(2, L));
    EXPECT_EQ(R[1][L], v(1, L));
    EXPECT_EQ(R[4][L], v(4, L));
    EXPECT_EQ(R[5][L], 0x5a5a5a5au);
  }
}

TEST_P(Narrow, PairLeavesInactiveLanesAlone) {
  Rows R = evaluate("s_mov_b32 exec_lo, 0x0000ff0f\n"
                    "v_dual_mov_b32 v10, v1 :: v_dual_mov_b32 v11, v2");
  for (unsigned L = 0; L != WaveSize; ++L) {
    bool Active = 0xff0f >> L & 1;
    EXPECT_EQ(R[0][L], Active ? v(1, L) : 0x5a5a5a5au);
    EXPECT_EQ(R[1][L], Active ? v(2, L) : 0x5a5a5a5au);
  }
}

TEST_P(Every, Dpp8PermutesGroupsOfEightLanes) {
  static constexpr unsigned From[8] = {7, 6, 1, 0, 3, 2, 5, 4};
  Rows R = evaluate("v_mov_b32_dpp v10, v1 dpp8:[7,6,1,0,3,2,5,4]\n"
                    "v_add_nc_u32_dpp v11, v1, v2 dpp8:[7,6,1,0,3,2,5,4]");
  for (unsigned L = 0; L != WaveSize; ++L) {
    unsigned Source = L / 8 * 8 + From[L % 8];
    EXPECT_EQ(R[0][L], v(1, Source));
    EXPECT_EQ(R[1][L], v(1, Source) + v(2, L));
  }
}

TEST_P(Every, DppReadsInactiveLanesOnlyWhenAskedTo) {
  Rows R = evaluate("s_mov_b32 exec_lo, 0x55555555\n"
                    "v_mov_b32_dpp v10, v1 quad_perm:[1,0,3,2] row_mask:0xf "
                    "bank_mask:0xf\n"
                    "v_mov_b32_dpp v11, v1 quad_perm:[1,0,3,2] row_mask:0xf "
                    "bank_mask:0xf bound_ctrl:1\n"
                    "v_mov_b32_dpp v12, v1 quad_perm:[1,0,3,2] row_mask:0xf "
                    "bank_mask:0xf fi:1\n"
                    "v_mov_b32_dpp v13, v1 dpp8:[1,0,3,2,5,4,7,6]\n"
                    "v_mov_b32_dpp v14, v1 dpp8:[1,0,3,2,5,4,7,6] fi:1");
  for (unsigned L = 0; L != 32; ++L) {
    bool Active = L % 2 == 0;
    uint32_t Old = 0x5a5a5a5a;
    EXPECT_EQ(R[0][L], Old);
    EXPECT_EQ(R[1][L], Active ? 0 : Old);
    EXPECT_EQ(R[2][L], Active ? v(1, L ^ 1) : Old);
    EXPECT_EQ(R[3][L], Active ? 0 : Old);
    EXPECT_EQ(R[4][L], Active ? v(1, L ^ 1) : Old);
  }
}

TEST_P(Every, DppSharesAndExchangesWithinRows) {
  Rows R = evaluate("v_mov_b32_dpp v10, v1 row_share:5 row_mask:0xf "
                    "bank_mask:0xf\n"
                    "v_mov_b32_dpp v11, v1 row_xmask:9 row_mask:0xf "
                    "bank_mask:0xf\n"
                    "v_mov_b32_dpp v12, v1 row_share:5 row_mask:0x1 "
                    "bank_mask:0xf");
  for (unsigned L = 0; L != WaveSize; ++L) {
    EXPECT_EQ(R[0][L], v(1, L / 16 * 16 + 5));
    EXPECT_EQ(R[1][L], v(1, L ^ 9));
    EXPECT_EQ(R[2][L], L < 16 ? v(1, 5) : 0x5a5a5a5a);
  }
}

TEST_P(Every, ComparisonsToExecLeaveVccAlone) {
  bool Wide = WaveSize == 64;
  std::string Set =
      Wide ? "s_mov_b64 vcc, 0x1234\n" : "s_mov_b32 vcc_lo, 0x1234\n";
  Rows R = evaluate(Set + R"(
    v_cmpx_gt_u32 9, v0
    v_mov_b32 v10, 1
    v_mov_b32 v11, vcc_lo
  )");
  for (unsigned L = 0; L != WaveSize; ++L) {
    EXPECT_EQ(R[0][L], L < 9 ? 1 : 0x5a5a5a5a);
    EXPECT_EQ(R[1][L], L < 9 ? 0x1234 : 0x5a5a5a5a);
  }
}

TEST_P(Every, RelativeMovesAddM0ToRegisterNumbers) {
  Rows R = evaluate(R"(
    s_mov_b32 m0, 2
    v_movrels_b32 v10, v1
    v_movreld_b32 v9, v2
    v_movrelsd_b32 v10, v2
    s_mov_b32 m0, 0x40003
    v_movrelsd_2_b32 v9, v1
    s_mov_b32 m0, 0x10002
    v_mov_b32 v15, v7
    v_swaprel_b32 v14, v5
    v_mov_b32 v16, v7
  )");
  for (unsigned L = 0; L != WaveSize; ++L) {
    EXPECT_EQ(R[0][L], v(3, L));
    EXPECT_EQ(R[1][L], v(2, L));
    EXPECT_EQ(R[2][L], v(4, L));
    EXPECT_EQ(R[3][L], v(4, L));
    EXPECT_EQ(R[5][L], v(7, L)); // swapped with itself's copy
    EXPECT_EQ(R[6][L], v(7, L));
  }
}

TEST_P(Every, RelativeMoveBeyondTheAllocationIsRefused) {
  load("s_movk_i32 m0, 200\n v_movrels_b32 v10, v1\n s_endpgm");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, emulator::ExecutionFault::Kind::InvalidDispatch);
}

TEST_P(Halves, SixteenBitOperandsAreHalvesOfRegisters) {
  Rows R = evaluate(R"(
    v_mov_b16 v10.h, v1.l
    v_mov_b16 v11.l, v1.h
    v_add_nc_u16 v12.h, v1.h, v2.l
    v_add_nc_u16 v13.l, v1.l, v2.h
    v_add_f16 v14.h, 1.0, v14.l
    v_lshlrev_b16 v15.l, 4, v3.h
  )");
  for (unsigned L = 0; L != WaveSize; ++L) {
    uint32_t A = v(1, L), B = v(2, L), C = v(3, L), Old = 0x5a5a;
    EXPECT_EQ(R[0][L], A << 16 | Old);
    EXPECT_EQ(R[1][L], Old << 16 | A >> 16);
    EXPECT_EQ(R[2][L], ((A >> 16) + B) << 16 | Old);
    EXPECT_EQ(R[3][L], Old << 16 | ((A + (B >> 16)) & 0xffff));
    EXPECT_EQ(R[4][L] & 0xffff, Old);
    EXPECT_EQ(R[5][L], Old << 16 | (C >> 16 << 4 & 0xffff));
  }
}

constexpr Device NarrowDevices[] = {{"gfx1100", 32}, {"gfx1201", 32}};
constexpr Device EveryDevice[] = {{"gfx1030", 32}, {"gfx1030", 64},
                                  {"gfx1100", 32}, {"gfx1100", 64},
                                  {"gfx1201", 32}, {"gfx1201", 64}};
constexpr Device HalvesDevices[] = {
    {"gfx1100", 32}, {"gfx1100", 64}, {"gfx1201", 32}, {"gfx1201", 64}};
INSTANTIATE_TEST_SUITE_P(Targets, Narrow, ::testing::ValuesIn(NarrowDevices),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Targets, Every, ::testing::ValuesIn(EveryDevice),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Targets, Halves, ::testing::ValuesIn(HalvesDevices),
                         nameOf);

} // namespace
} // namespace luthier::test
