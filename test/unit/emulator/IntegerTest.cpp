// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer operations of vector lanes against host arithmetic.
#include "LaneTest.h"
#include <algorithm>
#include <functional>

namespace luthier::test {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

const std::vector<u64> Values = {0,
                                 1,
                                 2,
                                 31,
                                 32,
                                 0xff,
                                 0x7fff,
                                 0x8000,
                                 0xffff,
                                 0x7fffff,
                                 0x800000,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x123456789abcdef0,
                                 0x8000000000000000,
                                 0xffffffffffffffff,
                                 0x13579bdf2468ace0,
                                 0x00ff00ff00ff00ff};

struct Case {
  const char *Assembly;
  std::function<u64(u64, u64, u64)> Expected;
  bool IsWide = false;
};

void PrintTo(const Case &C, std::ostream *OS) { *OS << C.Assembly; }

class IntegerTest : public LaneTest,
                    public ::testing::WithParamInterface<Case> {};

TEST_P(IntegerTest, MatchesHost) {
  Inputs In = combinations(Values);
  Results Out = evaluate(GetParam().Assembly, In);
  u64 Mask = GetParam().IsWide ? ~u64(0) : 0xffffffff;
  for (unsigned L = 0; L != 64; ++L)
    EXPECT_EQ(Out[L].D & Mask,
              GetParam().Expected(In[L].A, In[L].B, In[L].C) & Mask)
        << std::hex << In[L].A << " " << In[L].B << " " << In[L].C;
}

i32 s24(u64 A) { return i32(u32(A) << 8) >> 8; }
u32 sat32(i64 V) { return u32(i32(std::clamp<i64>(V, INT32_MIN, INT32_MAX))); }
u32 med(i32 A, i32 B, i32 C) {
  i32 V[] = {A, B, C};
  std::sort(V, V + 3);
  return u32(V[1]);
}

const Case Cases[] = {
    {"v_add_u32 v8, v2, v4", [](u64 A, u64 B, u64) { return A + B; }},
    {"v_sub_u32 v8, v2, v4", [](u64 A, u64 B, u64) { return A - B; }},
    {"v_subrev_u32 v8, v2, v4", [](u64 A, u64 B, u64) { return B - A; }},
    {"v_add_u32_e64 v8, v2, v4 clamp",
     [](u64 A, u64 B, u64) {
       return std::min<u64>(u64(u32(A)) + u32(B), 0xffffffff);
     }},
    {"v_sub_u32_e64 v8, v2, v4 clamp",
     [](u64 A, u64 B, u64) { return u32(A) < u32(B) ? 0 : A - B; }},
    {"v_add_i32 v8, v2, v4 clamp",
     [](u64 A, u64 B, u64) { return sat32(i64(i32(A)) + i32(B)); }},
    {"v_sub_i32 v8, v2, v4 clamp",
     [](u64 A, u64 B, u64) { return sat32(i64(i32(A)) - i32(B)); }},
    {"v_add3_u32 v8, v2, v4, v6",
     [](u64 A, u64 B, u64 C) { return A + B + C; }},
    {"v_lshl_add_u32 v8, v2, v4, v6",
     [](u64 A, u64 B, u64 C) { return (u32(A) << (B & 31)) + C; }},
    {"v_mul_lo_u32 v8, v2, v4", [](u64 A, u64 B, u64) { return A * B; }},
    {"v_mul_hi_u32 v8, v2, v4",
     [](u64 A, u64 B, u64) { return u64(u32(A)) * u32(B) >> 32; }},
    {"v_mul_hi_i32 v8, v2, v4",
     [](u64 A, u64 B, u64) { return u64(i64(i32(A)) * i32(B)) >> 32; }},
    {"v_mul_i32_i24 v8, v2, v4",
     [](u64 A, u64 B, u64) { return u64(i64(s24(A)) * s24(B)); }},
    {"v_mul_hi_i32_i24 v8, v2, v4",
     [](u64 A, u64 B, u64) { return u64(i64(s24(A)) * s24(B)) >> 32; }},
    {"v_mad_u32_u24 v8, v2, v4, v6",
     [](u64 A, u64 B, u64 C) {
       return (A & 0xffffff) * (B & 0xffffff) + u32(C);
     }},
    {"v_mad_u64_u32 v[8:9], vcc, v2, v4, v[6:7]",
     [](u64 A, u64 B, u64 C) { return u64(u32(A)) * u32(B) + C; }, true},
    {"v_mad_i64_i32 v[8:9], vcc, v2, v4, v[6:7]",
     [](u64 A, u64 B, u64 C) { return u64(i64(i32(A)) * i32(B)) + C; }, true},
    {"v_min_i32 v8, v2, v4",
     [](u64 A, u64 B, u64) { return u32(std::min(i32(A), i32(B))); }},
    {"v_max_u32 v8, v2, v4",
     [](u64 A, u64 B, u64) { return std::max(u32(A), u32(B)); }},
    {"v_med3_i32 v8, v2, v4, v6",
     [](u64 A, u64 B, u64 C) { return med(i32(A), i32(B), i32(C)); }},
    {"v_bfe_u32 v8, v2, v4, v6",
     [](u64 A, u64 B, u64 C) {
       return (u32(A) >> (B & 31)) & ((u64(1) << (C & 31)) - 1);
     }},
    {"v_bfe_i32 v8, v2, 4, 8",
     [](u64 A, u64, u64) { return u32(int8_t(A >> 4)); }},
    {"v_bfe_i32 v8, v2, 28, 8",
     [](u64 A, u64, u64) { return u32(i32(A) >> 28); }},
    {"v_bfi_b32 v8, v2, v4, v6",
     [](u64 A, u64 B, u64 C) { return (A & B) | (~A & C); }},
    {"v_alignbit_b32 v8, v2, v4, v6",
     [](u64 A, u64 B, u64 C) { return (A << 32 | u32(B)) >> (C & 31); }},
    {"v_alignbyte_b32 v8, v2, v4, 3",
     [](u64 A, u64 B, u64) { return (A << 32 | u32(B)) >> 24; }},
    {"s_mov_b32 s20, 0x0c0d0104\n v_perm_b32 v8, v2, v4, s20",
     [](u64 A, u64 B, u64) {
       return 0x00ff0000 | (B >> 8 & 0xff) << 8 | (A & 0xff);
     }},
    {"v_lshlrev_b64 v[8:9], v2, v[4:5]",
     [](u64 A, u64 B, u64) { return B << (A & 63); }, true},
    {"v_ashrrev_i64 v[8:9], v2, v[4:5]",
     [](u64 A, u64 B, u64) { return u64(i64(B) >> (A & 63)); }, true},
    // The result replaces its source.
    {"v_mov_b32 v8, v4\n v_mov_b32 v9, v5\n v_lshlrev_b64 v[8:9], 4, v[8:9]",
     [](u64, u64 B, u64) { return B << 4; }, true},
    {"v_ffbh_u32 v8, v2",
     [](u64 A, u64, u64) {
       return u32(A) ? std::countl_zero(u32(A)) : ~u64(0);
     }},
    {"v_ffbl_b32 v8, v2",
     [](u64 A, u64, u64) {
       return u32(A) ? std::countr_zero(u32(A)) : ~u64(0);
     }},
    {"v_bcnt_u32_b32 v8, v2, v4",
     [](u64 A, u64 B, u64) { return std::popcount(u32(A)) + B; }},
    {"v_sad_u8 v8, v2, v4, v6",
     [](u64 A, u64 B, u64 C) {
       for (int N = 0; N != 32; N += 8)
         C += u64(std::abs(int(A >> N & 255) - int(B >> N & 255)));
       return C;
     }},
    {"v_add_u16 v8, v2, v4",
     [](u64 A, u64 B, u64) { return (A + B) & 0xffff; }},
    {"v_lshlrev_b16 v8, v2, v4",
     [](u64 A, u64 B, u64) { return B << (A & 15) & 0xffff; }},
    // These keep the upper half of the destination.
    {"v_mad_u16 v8, v2, v4, v6",
     [](u64 A, u64 B, u64 C) { return ((A * B + C) & 0xffff) | 0xcafe0000; }},
    {"v_add_i16 v8, v2, v4 clamp",
     [](u64 A, u64 B, u64) {
       int Sum = std::clamp(int16_t(A) + int16_t(B), -32768, 32767);
       return u64(uint16_t(Sum)) | 0xcafe0000;
     }},
    // Scalars and constants as sources.
    {"v_add_u32 v8, 0x12345678, v2",
     [](u64 A, u64, u64) { return A + 0x12345678; }},
    {"s_mov_b32 s20, 77\n v_sub_u32 v8, s20, v2",
     [](u64 A, u64, u64) { return 77 - A; }},
    {"v_mov_b32 v8, -16", [](u64, u64, u64) { return u64(-16); }},
    {"v_mov_b32 v8, 0.5", [](u64, u64, u64) { return bits(0.5f); }},
    {"v_lshl_or_b32 v8, v2, 4, 15",
     [](u64 A, u64, u64) { return A << 4 | 15; }},
    // Sub-dword addressing.
    {"v_add_u32_sdwa v8, v2, v4 dst_sel:DWORD dst_unused:UNUSED_PAD "
     "src0_sel:BYTE_1 src1_sel:WORD_1",
     [](u64 A, u64 B, u64) { return (A >> 8 & 0xff) + (B >> 16 & 0xffff); }},
    {"v_add_u32_sdwa v8, sext(v2), v4 dst_sel:BYTE_2 "
     "dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:DWORD",
     [](u64 A, u64 B, u64) {
       u32 Sum = u32(int16_t(A)) + u32(B);
       return 0xca00f00d | (Sum & 0xff) << 16;
     }},
    {"v_mov_b32_sdwa v8, v2 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT "
     "src0_sel:BYTE_0",
     [](u64 A, u64, u64) { return u32(i32(int8_t(A)) * 256); }},
    {"v_pk_add_u16 v8, v2, v4",
     [](u64 A, u64 B, u64) {
       return ((A + B) & 0xffff) | ((A >> 16) + (B >> 16)) << 16;
     }},
    {"v_pk_mul_lo_u16 v8, v2, v4 op_sel:[1,0] op_sel_hi:[0,1]",
     [](u64 A, u64 B, u64) {
       return ((A >> 16) * B & 0xffff) | (A * (B >> 16)) << 16;
     }},
    {"v_pk_sub_i16 v8, v2, v4 clamp",
     [](u64 A, u64 B, u64) {
       auto Sub = [](u64 X, u64 Y) {
         return u64(
             uint16_t(std::clamp(int16_t(X) - int16_t(Y), -32768, 32767)));
       };
       return Sub(A, B) | Sub(A >> 16, B >> 16) << 16;
     }},
    {"v_dot4_i32_i8 v8, v2, v4, v6",
     [](u64 A, u64 B, u64 C) {
       for (int N = 0; N != 32; N += 8)
         C += u64(int8_t(A >> N) * int8_t(B >> N));
       return C;
     }},
};

INSTANTIATE_TEST_SUITE_P(Integer, IntegerTest, ::testing::ValuesIn(Cases));

TEST_F(LaneTest, CarryBitsGoToTheNamedPair) {
  Inputs In = combinations(Values);
  evaluate("v_add_co_u32 v8, vcc, v2, v4", In);
  u64 Expected = 0;
  for (unsigned L = 0; L != 64; ++L)
    Expected |= u64((u64(u32(In[L].A)) + u32(In[L].B)) >> 32) << L;
  EXPECT_EQ(Vcc, Expected);
}

TEST_F(LaneTest, CarryChainMakesA64BitSubtraction) {
  Inputs In = combinations(Values);
  Results Out = evaluate(R"(
    v_sub_co_u32 v8, s[20:21], v2, v4
    v_subb_co_u32 v9, vcc, v3, v5, s[20:21]
  )",
                         In);
  for (unsigned L = 0; L != 64; ++L) {
    EXPECT_EQ(Out[L].D, In[L].A - In[L].B);
    EXPECT_EQ(Vcc >> L & 1, In[L].A < In[L].B);
  }
}

TEST_F(LaneTest, ComparisonsWriteZeroForInactiveLanes) {
  Inputs In = combinations(Values);
  evaluate(R"(
    s_mov_b64 vcc, -1
    s_mov_b64 exec, 0xff
    v_cmp_lt_i64 vcc, v[2:3], v[4:5]
  )",
           In);
  for (unsigned L = 0; L != 64; ++L)
    EXPECT_EQ(Vcc >> L & 1, L < 8 && i64(In[L].A) < i64(In[L].B));
}

TEST_F(LaneTest, CmpxNarrowsExec) {
  Inputs In = combinations(Values);
  evaluate("v_cmpx_gt_u32 vcc, v2, v4", In);
  for (unsigned L = 0; L != 64; ++L)
    EXPECT_EQ(Exec >> L & 1, u32(In[L].A) > u32(In[L].B));
  EXPECT_EQ(Vcc, Exec);
}

TEST_F(LaneTest, SelectTakesTheSecondSourceWhereTheMaskIsSet) {
  Inputs In = combinations(Values);
  Results Out = evaluate(R"(
    s_mov_b32 s20, 0xf0f0f0f0
    s_mov_b32 s21, 0x12345678
    v_cndmask_b32 v8, v2, v4, s[20:21]
  )",
                         In);
  for (unsigned L = 0; L != 64; ++L)
    EXPECT_EQ(Out[L].low(),
              u32(0x12345678f0f0f0f0 >> L & 1 ? In[L].B : In[L].A));
}

TEST_F(LaneTest, InactiveLanesKeepTheirRegisters) {
  Inputs In = combinations(Values);
  Results Out = evaluate(R"(
    s_mov_b32 exec_lo, 0x0000ffff
    s_mov_b32 exec_hi, 0xffff0000
    v_lshlrev_b64 v[8:9], 1, v[2:3]
  )",
                         In);
  for (unsigned L = 0; L != 64; ++L)
    EXPECT_EQ(Out[L].D, L < 16 || L >= 48 ? In[L].A << 1 : 0xdeadbeefcafef00d);
}

TEST_F(LaneTest, SwapExchangesRegisters) {
  Inputs In = combinations(Values);
  Results Out =
      evaluate("v_swap_b32 v2, v4\n v_mov_b32 v8, v2\n v_mov_b32 v9, v4", In);
  for (unsigned L = 0; L != 64; ++L)
    EXPECT_EQ(Out[L].D, (In[L].B & 0xffffffff) | In[L].A << 32);
}

} // namespace
} // namespace luthier::test
