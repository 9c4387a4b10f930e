// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations in which lanes see each other: DPP, permutes, lane access.
#include "LaneTest.h"
#include <functional>

namespace luthier::test {
namespace {

struct Pattern {
  const char *Assembly;
  /// The lane read, or -1.
  std::function<int(int)> From;
};
void PrintTo(const Pattern &P, std::ostream *OS) { *OS << P.Assembly; }

class DppTest : public LaneTest, public ::testing::WithParamInterface<Pattern> {
protected:
  static Inputs numbered() {
    Inputs In;
    for (unsigned L = 0; L != 64; ++L)
      In[L] = {100 + L, 1000 * L, 0};
    return In;
  }
};

TEST_P(DppTest, ReadsTheNamedLane) {
  Inputs In = numbered();
  Results Kept =
      evaluate(std::string("v_mov_b32_dpp v8, v2 ") + GetParam().Assembly +
                   " row_mask:0xf bank_mask:0xf",
               In);
  Results Zeroed =
      evaluate(std::string("v_mov_b32_dpp v8, v2 ") + GetParam().Assembly +
                   " row_mask:0xf bank_mask:0xf bound_ctrl:0",
               In);
  for (int L = 0; L != 64; ++L) {
    int From = GetParam().From(L);
    EXPECT_EQ(Kept[L].low(), From < 0 ? 0xcafef00d : 100u + unsigned(From));
    EXPECT_EQ(Zeroed[L].low(), From < 0 ? 0 : 100u + unsigned(From));
  }
}

const Pattern Patterns[] = {
    {"quad_perm:[3,0,2,1]",
     [](int L) {
       const int Q[] = {3, 0, 2, 1};
       return (L & ~3) + Q[L & 3];
     }},
    {"row_shl:3", [](int L) { return L % 16 < 13 ? L + 3 : -1; }},
    {"row_shr:1", [](int L) { return L % 16 ? L - 1 : -1; }},
    {"row_ror:5", [](int L) { return L / 16 * 16 + (L + 11) % 16; }},
    {"wave_shl:1", [](int L) { return L < 63 ? L + 1 : -1; }},
    {"wave_rol:1", [](int L) { return (L + 1) % 64; }},
    {"wave_shr:1", [](int L) { return L - 1; }},
    {"wave_ror:1", [](int L) { return (L + 63) % 64; }},
    {"row_mirror", [](int L) { return L / 16 * 16 + 15 - L % 16; }},
    {"row_half_mirror", [](int L) { return L / 8 * 8 + 7 - L % 8; }},
    {"row_bcast:15", [](int L) { return L < 16 ? -1 : L / 16 * 16 - 1; }},
    {"row_bcast:31", [](int L) { return L < 32 ? -1 : 31; }},
    {"row_newbcast:6", [](int L) { return L / 16 * 16 + 6; }},
};
INSTANTIATE_TEST_SUITE_P(Patterns, DppTest, ::testing::ValuesIn(Patterns));

TEST_F(LaneTest, DppMasksLimitWhatIsWritten) {
  Inputs In = combinations({5});
  Results Out = evaluate(
      "v_add_u32_dpp v8, v2, v4 quad_perm:[0,1,2,3] row_mask:0xa bank_mask:0x3",
      In);
  for (unsigned L = 0; L != 64; ++L) {
    bool Written = (L / 16 == 1 || L / 16 == 3) && L % 16 < 8;
    EXPECT_EQ(Out[L].low(), Written ? 10 : 0xcafef00d);
  }
}

TEST_F(LaneTest, DppTreatsInactiveSourcesAsInvalid) {
  Inputs In = combinations({5});
  Results Out = evaluate(R"(
    s_mov_b64 exec, 0x55
    v_mov_b32_dpp v8, v2 row_shr:2 row_mask:0xf bank_mask:0xf
    v_mov_b32_dpp v9, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
  )",
                         In);
  EXPECT_EQ(Out[0].low(), 0xcafef00d); // out of range
  EXPECT_EQ(Out[2].low(), 5u);
  EXPECT_EQ(Out[2].D >> 32, 0u); // lane 1 is inactive
  EXPECT_EQ(Out[1].D, 0xdeadbeefcafef00d);
}

TEST_F(LaneTest, LaneAccessIgnoresExec) {
  Inputs In;
  for (unsigned L = 0; L != 64; ++L)
    In[L].A = L * 3;
  Results Out = evaluate(R"(
    s_mov_b64 exec, 0x10
    s_mov_b32 s20, 50
    v_readlane_b32 s21, v2, s20
    v_readfirstlane_b32 s22, v2
    v_writelane_b32 v8, s21, 7
    s_mov_b32 m0, 9
    v_writelane_b32 v8, s22, m0
    s_mov_b64 exec, 0
    v_readfirstlane_b32 s23, v2
    v_writelane_b32 v8, s23, 11
  )",
                         In);
  EXPECT_EQ(Out[7].low(), 150u);
  EXPECT_EQ(Out[9].low(), 12u);
  EXPECT_EQ(Out[11].low(), 0u);
  EXPECT_EQ(Out[8].low(), 0xcafef00d);
}

TEST_F(LaneTest, MaskedBitCountNumbersActiveLanes) {
  Results Out = evaluate(R"(
    s_mov_b32 s20, 0xf0f0f0f0
    s_mov_b32 s21, 0x00ff00ff
    v_mbcnt_lo_u32_b32 v8, s20, 0
    v_mbcnt_hi_u32_b32 v8, s21, v8
  )",
                         Inputs{});
  uint64_t Mask = 0x00ff00fff0f0f0f0;
  for (unsigned L = 0; L != 64; ++L)
    EXPECT_EQ(Out[L].low(),
              unsigned(std::popcount(Mask & ((uint64_t(1) << L) - 1))));
}

TEST_F(LaneTest, PermutesGoBackwardAndForward) {
  Inputs In;
  for (unsigned L = 0; L != 64; ++L)
    In[L] = {(63 - L) * 4, 500 + L, (L / 2) * 4};
  Results Out = evaluate(R"(
    ds_bpermute_b32 v8, v2, v4
    ds_permute_b32 v9, v6, v4
    s_waitcnt lgkmcnt(0)
  )",
                         In);
  for (unsigned L = 0; L != 64; ++L) {
    EXPECT_EQ(Out[L].low(), 500 + 63 - L);
    // The highest of the two senders wins; the upper lanes get nothing.
    EXPECT_EQ(Out[L].D >> 32, L < 32 ? 500 + 2 * L + 1 : 0);
  }
}

TEST_F(LaneTest, BackwardPermuteReadsZeroFromInactiveLanes) {
  Inputs In;
  for (unsigned L = 0; L != 64; ++L)
    In[L] = {(L ^ 1) * 4, 500 + L, 0};
  Results Out = evaluate(R"(
    s_mov_b64 exec, 0x1
    ds_bpermute_b32 v8, v2, v4
  )",
                         In);
  EXPECT_EQ(Out[0].low(), 0u);
}

TEST_F(LaneTest, SwizzlePatterns) {
  Inputs In;
  for (unsigned L = 0; L != 64; ++L)
    In[L].A = L;
  Results Out = evaluate(R"(
    ds_swizzle_b32 v8, v2 offset:swizzle(BITMASK_PERM, "00p1i")
    ds_swizzle_b32 v9, v2 offset:swizzle(QUAD_PERM, 2, 3, 0, 1)
  )",
                         In);
  for (unsigned L = 0; L != 64; ++L) {
    unsigned Want = (L & 32) | (L & 4) | 2 | ((L & 1) ^ 1);
    EXPECT_EQ(Out[L].low(), Want);
    EXPECT_EQ(Out[L].D >> 32, L ^ 2);
  }
}

TEST_F(LaneTest, IndexModeOffsetsTheNamedOperands) {
  Inputs In = combinations({7, 8, 9});
  Results Out = evaluate(R"(
    s_mov_b32 s20, 2
    s_set_gpr_idx_on s20, gpr_idx(SRC0)
    v_mov_b32 v8, v2
    s_set_gpr_idx_off
    s_set_gpr_idx_on s20, gpr_idx(DST)
    v_mov_b32 v7, v2
    s_set_gpr_idx_off
  )",
                         In);
  for (unsigned L = 0; L != 64; ++L) {
    EXPECT_EQ(Out[L].low(), uint32_t(In[L].B));
    EXPECT_EQ(Out[L].D >> 32, In[L].A & 0xffffffff);
  }
}

TEST_F(LaneTest, AccumulationRegistersAreSeparate) {
  Inputs In = combinations({7, 8, 9});
  Results Out = evaluate(R"(
    v_accvgpr_write_b32 a8, v2
    v_mov_b32 v8, 1
    v_accvgpr_mov_b32 a3, a8
    v_accvgpr_read_b32 v9, a3
  )",
                         In);
  for (unsigned L = 0; L != 64; ++L)
    EXPECT_EQ(Out[L].D, 1 | In[L].A << 32);
}

} // namespace
} // namespace luthier::test
