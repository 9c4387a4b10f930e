// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix operations against a plain triple loop, with the register layouts
// written out for each shape.
#include "LaneTest.h"

namespace luthier::test {
namespace {

class MatrixTest : public LaneTest {
protected:
  /// Runs \p Operation with a's and b's first element of each lane from \p In;
  /// returns \p Count result registers of each lane.
  std::vector<std::array<uint32_t, 64>> multiply(const std::string &Operation,
                                                 unsigned Count,
                                                 const Inputs &In,
                                                 bool IsPair) {
    struct Layout {
      LaneInput In[64];
      uint32_t Out[32][64];
    };
    auto *L = Data.as<Layout>();
    std::copy(In.begin(), In.end(), L->In);
    std::string Source = R"(
      v_mul_u32_u24 v1, 24, v0
      global_load_dwordx4 v[2:5], v1, s[0:1]
      s_waitcnt vmcnt(0)
      v_lshlrev_b32 v1, 2, v0
      s_mov_b64 exec, 1
    )" + Operation + (IsPair ? ", v[2:3], v[4:5], 0\n" : ", v2, v4, 0\n") +
                         "s_mov_b64 exec, -1\n";
    for (unsigned N = 0; N != Count; ++N)
      Source +=
          "global_store_dword v1, a" + std::to_string(N) +
          ", s[0:1] offset:" + std::to_string(256 * (N % 8)) + "\n" +
          (N % 8 == 7 ? "s_add_u32 s0, s0, 2048\n s_addc_u32 s1, s1, 0\n" : "");
    // Results go behind the inputs.
    Source.insert(Source.find("v_lshlrev_b32 v1, 2"),
                  "s_add_u32 s0, s0, 1536\n s_addc_u32 s1, s1, 0\n");
    load(Source + "s_endpgm\n");
    runOk();
    std::vector<std::array<uint32_t, 64>> Result(Count);
    for (unsigned N = 0; N != Count; ++N)
      std::copy(L->Out[N], L->Out[N] + 64, Result[N].begin());
    return Result;
  }
  static float a(unsigned Block, unsigned Row, unsigned K) {
    return float(Block * 7 + Row * 3 + K * 11) - 20;
  }
  static float b(unsigned Block, unsigned K, unsigned Column) {
    return float(Block * 5 + Column * 2 + K * 13) - 30;
  }
  static float product(unsigned Block, unsigned Row, unsigned Column,
                       unsigned K) {
    float Sum = 0;
    for (unsigned N = 0; N != K; ++N)
      Sum += a(Block, Row, N) * b(Block, N, Column);
    return Sum;
  }
};

TEST_F(MatrixTest, TwoBlocksOf32) {
  Inputs In;
  for (unsigned L = 0; L != 64; ++L)
    In[L] = {bits(a(L / 32, L % 32, 0)), bits(b(L / 32, 0, L % 32)), 0};
  auto Out = multiply("v_mfma_f32_32x32x1f32 a[0:31]", 32, In, false);
  for (unsigned R = 0; R != 32; ++R)
    for (unsigned L = 0; L != 64; ++L) {
      unsigned Row = R % 16 / 4 * 8 + L / 32 * 4 + R % 4;
      EXPECT_EQ(asF32(Out[R][L]), product(R / 16, Row, L % 32, 1));
    }
}

TEST_F(MatrixTest, OneBlockOf16) {
  Inputs In;
  for (unsigned L = 0; L != 64; ++L)
    In[L] = {bits(a(0, L % 16, L / 16)), bits(b(0, L / 16, L % 16)), 0};
  auto Out = multiply("v_mfma_f32_16x16x4f32 a[0:3]", 4, In, false);
  for (unsigned R = 0; R != 4; ++R)
    for (unsigned L = 0; L != 64; ++L)
      EXPECT_EQ(asF32(Out[R][L]), product(0, L / 16 * 4 + R, L % 16, 4));
}

TEST_F(MatrixTest, SixteenBlocksOf4) {
  Inputs In;
  for (unsigned L = 0; L != 64; ++L)
    In[L] = {bits(a(L / 4, L % 4, 0)), bits(b(L / 4, 0, L % 4)), 0};
  auto Out = multiply("v_mfma_f32_4x4x1f32 a[0:3]", 4, In, false);
  for (unsigned R = 0; R != 4; ++R)
    for (unsigned L = 0; L != 64; ++L)
      EXPECT_EQ(asF32(Out[R][L]), product(L / 4, R, L % 4, 1));
}

TEST_F(MatrixTest, BytesInOneBlockOf32) {
  Inputs In;
  auto Pack = [](auto Element) {
    uint64_t Word = 0;
    for (unsigned N = 0; N != 4; ++N)
      Word |= uint64_t(uint8_t(int8_t(Element(N)))) << (8 * N);
    return Word;
  };
  auto Small = [](float V) { return int(V) % 50; };
  for (unsigned L = 0; L != 64; ++L)
    In[L] = {
        Pack([&](unsigned N) { return Small(a(0, L % 32, L / 32 * 4 + N)); }),
        Pack([&](unsigned N) { return Small(b(0, L / 32 * 4 + N, L % 32)); }),
        0};
  auto Out = multiply("v_mfma_i32_32x32x8i8 a[0:15]", 16, In, false);
  for (unsigned R = 0; R != 16; ++R)
    for (unsigned L = 0; L != 64; ++L) {
      unsigned Row = R / 4 * 8 + L / 32 * 4 + R % 4;
      int Want = 0;
      for (unsigned N = 0; N != 8; ++N)
        Want += Small(a(0, Row, N)) * Small(b(0, N, L % 32));
      EXPECT_EQ(int(Out[R][L]), Want);
    }
}

TEST_F(MatrixTest, DoublesInOneBlockOf16) {
  Inputs In;
  for (unsigned L = 0; L != 64; ++L)
    In[L] = {bits(double(a(0, L % 16, L / 16))),
             bits(double(b(0, L / 16, L % 16))), 0};
  auto Out = multiply("v_mfma_f64_16x16x4f64 a[0:7]", 8, In, true);
  for (unsigned R = 0; R != 4; ++R)
    for (unsigned L = 0; L != 64; ++L)
      EXPECT_EQ(asF64(Out[2 * R][L] | uint64_t(Out[2 * R + 1][L]) << 32),
                product(0, 4 * R + L / 16, L % 16, 4));
}

} // namespace
} // namespace luthier::test
