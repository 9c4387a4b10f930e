// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half precision: single roundings, selected halves, packed operations.
#include "LaneTest.h"
#include <algorithm>
#include <cmath>

namespace luthier::test {
namespace {

/// Rounds a value to the nearest half the slow and obvious way.
uint16_t toHalf(double Value) {
  if (std::isnan(Value))
    return 0x7e00;
  uint16_t Sign = std::signbit(Value) ? 0x8000 : 0;
  double Size = std::fabs(Value);
  if (Size == 0)
    return Sign;
  int Exponent = std::max(std::ilogb(Size), -14);
  double Units = std::nearbyint(std::ldexp(Size, 10 - Exponent));
  double Rounded = std::ldexp(Units, Exponent - 10);
  if (std::isinf(Size) || Rounded >= 65536)
    return Sign | 0x7c00;
  Exponent = std::max(std::ilogb(Rounded), -14);
  int Mantissa = int(std::ldexp(Rounded, 10 - Exponent));
  // A normal mantissa brings its leading bit into the exponent field.
  return uint16_t(Sign | (((Exponent + 14) << 10) + Mantissa));
}
double fromHalf(uint64_t Bits) {
  int Exponent = Bits >> 10 & 31;
  double Mantissa = Bits & 1023;
  double Size = Exponent == 0    ? std::ldexp(Mantissa, -24)
                : Exponent == 31 ? (Mantissa ? NAN : INFINITY)
                                 : std::ldexp(Mantissa + 1024, Exponent - 25);
  return Bits & 0x8000 ? -Size : Size;
}

class HalfTest : public LaneTest {
protected:
  /// Every lane gets other bits, in both halves.
  static Inputs spread() {
    Inputs In;
    uint64_t State = 12345;
    auto Next = [&] { return (State = State * 6364136223846793005 + 1) >> 20; };
    for (LaneInput &I : In)
      I = {Next(), Next(), Next()};
    return In;
  }
  static void expectHalf(uint64_t Got, double Want) {
    if (std::isnan(Want))
      EXPECT_TRUE(std::isnan(fromHalf(Got & 0xffff)));
    else
      EXPECT_EQ(Got & 0xffff, toHalf(Want)) << Want;
  }
};

TEST_F(HalfTest, ArithmeticRoundsOnceAndClearsTheUpperHalf) {
  Inputs In = spread();
  Results Sum = evaluate("v_add_f16 v8, v2, v4", In);
  Results Product = evaluate("v_mul_f16 v8, v2, -v4", In);
  for (unsigned L = 0; L != 64; ++L) {
    double A = fromHalf(In[L].A & 0xffff), B = fromHalf(In[L].B & 0xffff);
    expectHalf(Sum[L].D, A + B);
    expectHalf(Product[L].D, A * -B);
    EXPECT_EQ(Sum[L].low() >> 16, 0u);
  }
}

TEST_F(HalfTest, FusedKeepsTheUpperHalf) {
  Inputs In = spread();
  Results Out = evaluate("v_fma_f16 v8, v2, v4, v6", In);
  for (unsigned L = 0; L != 64; ++L) {
    expectHalf(Out[L].D,
               std::fma(fromHalf(In[L].A & 0xffff), fromHalf(In[L].B & 0xffff),
                        fromHalf(In[L].C & 0xffff)));
    EXPECT_EQ(Out[L].low() >> 16, 0xcafeu);
  }
}

TEST_F(HalfTest, OpSelChoosesHalves) {
  Inputs In = spread();
  Results Out = evaluate("v_fma_f16 v8, v2, v4, v6 op_sel:[1,0,1,1]", In);
  for (unsigned L = 0; L != 64; ++L) {
    expectHalf(Out[L].D >> 16, std::fma(fromHalf(In[L].A >> 16 & 0xffff),
                                        fromHalf(In[L].B & 0xffff),
                                        fromHalf(In[L].C >> 16 & 0xffff)));
    EXPECT_EQ(Out[L].half(), 0xf00du);
  }
}

TEST_F(HalfTest, PackedNegatesEachHalf) {
  Inputs In = spread();
  Results Out =
      evaluate("v_pk_fma_f16 v8, v2, v4, v6 neg_lo:[1,0,0] neg_hi:[0,0,1]", In);
  for (unsigned L = 0; L != 64; ++L) {
    auto Half = [](uint64_t V, bool High) {
      return fromHalf(V >> (High ? 16 : 0) & 0xffff);
    };
    expectHalf(Out[L].D, std::fma(-Half(In[L].A, false), Half(In[L].B, false),
                                  Half(In[L].C, false)));
    expectHalf(Out[L].D >> 16,
               std::fma(Half(In[L].A, true), Half(In[L].B, true),
                        -Half(In[L].C, true)));
  }
}

TEST_F(HalfTest, MixTakesFloatsAndHalves) {
  Inputs In = spread();
  for (LaneInput &I : In)
    I.B = bits(1.25f);
  Results Out = evaluate(
      "v_fma_mix_f32 v8, v2, v4, 1.0 op_sel:[1,0,0] op_sel_hi:[1,0,0]", In);
  for (unsigned L = 0; L != 64; ++L) {
    float Want = std::fma(float(fromHalf(In[L].A >> 16 & 0xffff)), 1.25f, 1.0f);
    if (!std::isnan(Want)) {
      EXPECT_EQ(Out[L].f32(), Want);
    }
  }
}

TEST_F(HalfTest, DotProductsNegateAndSelect) {
  Inputs In;
  for (unsigned L = 0; L != 64; ++L) // small integers, exact in any order
    In[L] = {uint64_t(toHalf(L)) | uint64_t(toHalf(3)) << 16,
             uint64_t(toHalf(2)) | uint64_t(toHalf(-5)) << 16,
             bits(float(L) + 100)};
  Results Plain = evaluate("v_dot2_f32_f16 v8, v2, v4, v6", In);
  Results Changed = evaluate("v_dot2_f32_f16 v8, v2, v4, v6 op_sel:[1,0,0] "
                             "op_sel_hi:[0,1,1] neg_lo:[1,0,0]",
                             In);
  for (unsigned L = 0; L != 64; ++L) {
    EXPECT_EQ(Plain[L].f32(), float(L) * 2 - 15 + float(L) + 100);
    EXPECT_EQ(Changed[L].f32(), -3 * 2 + float(L) * -5 + float(L) + 100);
  }
}

TEST_F(HalfTest, Conversions) {
  Inputs In = spread();
  Results ToHalf = evaluate("v_cvt_f16_f32 v8, v2", In);
  Results TowardZero = evaluate("v_cvt_pkrtz_f16_f32 v8, v2, 1.0", In);
  Results ToFloat = evaluate("v_cvt_f32_f16_sdwa v8, v2 dst_sel:DWORD "
                             "dst_unused:UNUSED_PAD src0_sel:WORD_1",
                             In);
  for (unsigned L = 0; L != 64; ++L) {
    float A = asF32(In[L].A);
    expectHalf(ToHalf[L].D, A);
    double Cut = fromHalf(TowardZero[L].half());
    if (!std::isnan(A)) {
      EXPECT_LE(std::fabs(Cut), std::fabs(A));
    }
    EXPECT_EQ(TowardZero[L].low() >> 16, 0x3c00u);
    double Want = fromHalf(In[L].A >> 16 & 0xffff);
    if (!std::isnan(Want)) {
      EXPECT_EQ(ToFloat[L].f32(), Want);
    }
  }
}

} // namespace
} // namespace luthier::test
