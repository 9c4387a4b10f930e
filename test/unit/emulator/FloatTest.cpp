// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point operations of vector lanes: rounding, special values,
// modifiers and modes.
#include "LaneTest.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace luthier::test {
namespace {

constexpr float Inf = std::numeric_limits<float>::infinity();
constexpr float Nan = std::numeric_limits<float>::quiet_NaN();
constexpr float Tiny = std::numeric_limits<float>::denorm_min();

const std::vector<uint64_t> Singles = {
    bits(0.0f),     bits(-0.0f),       bits(1.0f),     bits(-1.0f),
    bits(0.5f),     bits(1.5f),        bits(2.5f),     bits(-2.5f),
    bits(1e-20f),   bits(3.0e38f),     bits(-3.0e38f), bits(Inf),
    bits(-Inf),     bits(Nan),         bits(Tiny),     bits(-1e-40f),
    bits(1.1e-38f), bits(16777217.0f), bits(0.1f),     bits(-123.456f),
    bits(1e10f),    bits(-7e9f),       bits(255.5f)};

const std::vector<uint64_t> Doubles = {
    bits(0.0),          bits(-0.0),         bits(1.0),    bits(-1.0),
    bits(0.1),          bits(2.5),          bits(-2.5),   bits(1e-310),
    bits(-4e-320),      bits(1e308),        bits(-1e308), bits(double(Inf)),
    bits(-double(Inf)), bits(double(Nan)),  bits(3.0),    bits(1e-200),
    bits(4294967296.5), bits(-2147483649.0)};

struct Case {
  const char *Assembly;
  std::function<uint64_t(uint64_t, uint64_t, uint64_t)> Expected;
  enum { Single, Double } Type = Single;
};
void PrintTo(const Case &C, std::ostream *OS) { *OS << C.Assembly; }

class FloatTest : public LaneTest,
                  public ::testing::WithParamInterface<Case> {};

TEST_P(FloatTest, MatchesHost) {
  bool IsDouble = GetParam().Type == Case::Double;
  Inputs In = combinations(IsDouble ? Doubles : Singles);
  Results Out = evaluate(GetParam().Assembly, In);
  for (unsigned L = 0; L != 64; ++L) {
    uint64_t Want = GetParam().Expected(In[L].A, In[L].B, In[L].C);
    if (IsDouble) {
      // Which NaN it is, hardware manuals leave open.
      if (std::isnan(asF64(Want)) && std::isnan(Out[L].f64()))
        continue;
      EXPECT_EQ(Out[L].D, Want)
          << asF64(In[L].A) << " " << asF64(In[L].B) << " " << asF64(In[L].C);
      continue;
    }
    if (std::isnan(asF32(Want)) && std::isnan(Out[L].f32()))
      continue;
    EXPECT_EQ(Out[L].low(), uint32_t(Want))
        << asF32(In[L].A) << " " << asF32(In[L].B) << " " << asF32(In[L].C);
  }
}

template <auto F> uint64_t one(uint64_t A, uint64_t, uint64_t) {
  return bits(F(asF32(A)));
}
template <auto F> uint64_t two(uint64_t A, uint64_t B, uint64_t) {
  return bits(F(asF32(A), asF32(B)));
}
template <auto F> uint64_t three(uint64_t A, uint64_t B, uint64_t C) {
  return bits(F(asF32(A), asF32(B), asF32(C)));
}
template <auto F> uint64_t two64(uint64_t A, uint64_t B, uint64_t) {
  return bits(F(asF64(A), asF64(B)));
}

float smaller(float A, float B) {
  if (std::isnan(A) || std::isnan(B))
    return std::isnan(A) ? B : A;
  if (A == B)
    return std::signbit(A) ? A : B;
  return A < B ? A : B;
}
/// Without denormals.
float flushed(float A) {
  return std::fabs(A) < 0x1p-126f ? std::copysign(0.0f, A) : A;
}
float clampUnit(float A) {
  return std::isnan(A) ? 0 : A < 0 ? 0 : A > 1 ? 1 : A;
}
uint64_t toI32(double A) {
  if (std::isnan(A))
    return 0;
  return uint32_t(int32_t(std::clamp(std::trunc(A), -0x1p31, 0x1p31 - 1)));
}
uint64_t toU32(double A) {
  if (std::isnan(A))
    return 0;
  return uint32_t(std::clamp(std::trunc(A), 0.0, 0x1p32 - 1));
}

const Case Cases[] = {
    {"v_add_f32 v8, v2, v4", two<[](float A, float B) { return A + B; }>},
    {"v_sub_f32 v8, v2, v4", two<[](float A, float B) { return A - B; }>},
    {"v_mul_f32 v8, v2, v4", two<[](float A, float B) { return A * B; }>},
    {"v_fma_f32 v8, v2, v4, v6",
     three<[](float A, float B, float C) { return std::fma(A, B, C); }>},
    {"v_fma_f32 v8, -v2, |v4|, -|v6|", three<[](float A, float B, float C) {
       return std::fma(-A, std::fabs(B), -std::fabs(C));
     }>},
    // Output modifiers need a MODE without denormals and IEEE behaviour.
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n"
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 0\n"
     "v_mul_f32 v8, v2, v4 mul:4",
     two<[](float A, float B) {
       float Product = flushed(flushed(flushed(A) * flushed(B)) * 4);
       return Product == 0 ? 0 : Product;
     }>},
    {"v_mul_f32 v8, v2, v4 mul:4", two<[](float A, float B) { return A * B; }>},
    {"v_add_f32 v8, v2, v4 clamp",
     two<[](float A, float B) { return clampUnit(A + B); }>},
    {"v_min_f32 v8, v2, v4", two<smaller>},
    {"v_max_f32 v8, v2, v4",
     two<[](float A, float B) { return -smaller(-A, -B); }>},
    {"v_rndne_f32 v8, v2", one<[](float A) { return std::nearbyint(A); }>},
    {"v_floor_f32 v8, v2", one<[](float A) { return std::floor(A); }>},
    {"v_ceil_f32 v8, -v2", one<[](float A) { return std::ceil(-A); }>},
    {"v_trunc_f32 v8, v2", one<[](float A) { return std::trunc(A); }>},
    {"v_sqrt_f32 v8, |v2|",
     one<[](float A) { return std::sqrt(std::fabs(A)); }>},
    {"v_ldexp_f32 v8, v2, -3", one<[](float A) { return std::ldexp(A, -3); }>},
    {"v_cvt_i32_f32 v8, v2",
     [](uint64_t A, uint64_t, uint64_t) { return toI32(asF32(A)); }},
    {"v_cvt_u32_f32 v8, v2",
     [](uint64_t A, uint64_t, uint64_t) { return toU32(asF32(A)); }},
    {"v_cvt_f32_i32 v8, v2",
     [](uint64_t A, uint64_t, uint64_t) { return bits(float(int32_t(A))); }},
    {"v_cvt_f32_u32 v8, v2",
     [](uint64_t A, uint64_t, uint64_t) { return bits(float(uint32_t(A))); }},
    {"v_cvt_f32_ubyte2 v8, v2",
     [](uint64_t A, uint64_t, uint64_t) { return bits(float(A >> 16 & 255)); }},
    {"v_frexp_exp_i32_f32 v8, v2",
     [](uint64_t A, uint64_t, uint64_t) {
       int E = 0;
       if (std::isfinite(asF32(A)))
         std::frexp(asF32(A), &E);
       return uint64_t(E);
     }},
    {"v_pk_mul_f32 v[8:9], v[2:3], v[4:5]\n v_mov_b32 v8, v8",
     two<[](float A, float B) { return A * B; }>},
    {"v_mov_b32 v3, v4\n v_mov_b32 v5, v2\n"
     "v_pk_fma_f32 v[8:9], v[2:3], v[4:5], v[6:7] op_sel:[1,0,0]",
     [](uint64_t, uint64_t B, uint64_t C) {
       return bits(std::fma(asF32(B), asF32(B), asF32(C)));
     }},

    {"v_add_f64 v[8:9], v[2:3], v[4:5]",
     two64<[](double A, double B) { return A + B; }>, Case::Double},
    {"v_mul_f64 v[8:9], -v[2:3], |v[4:5]|",
     two64<[](double A, double B) { return -A * std::fabs(B); }>, Case::Double},
    {"v_fma_f64 v[8:9], v[2:3], v[4:5], 1.0",
     two64<[](double A, double B) { return std::fma(A, B, 1.0); }>,
     Case::Double},
    {"v_cvt_i32_f64 v8, v[2:3]\n v_mov_b32 v9, 0",
     [](uint64_t A, uint64_t, uint64_t) { return toI32(asF64(A)); },
     Case::Double},
    {"v_cvt_u32_f64 v8, v[2:3]\n v_mov_b32 v9, 0",
     [](uint64_t A, uint64_t, uint64_t) { return toU32(asF64(A)); },
     Case::Double},
    {"v_cvt_f32_f64 v8, v[2:3]\n v_cvt_f64_f32 v[8:9], v8",
     two64<[](double A, double) { return double(float(A)); }>, Case::Double},
    {"v_ldexp_f64 v[8:9], v[2:3], 7",
     two64<[](double A, double) { return std::ldexp(A, 7); }>, Case::Double},
    // A literal of a double is its upper half.
    {"v_cvt_f32_f64 v8, 0x40080000\n v_mov_b32 v9, 0",
     [](uint64_t, uint64_t, uint64_t) { return bits(3.0f); }, Case::Double},
};

INSTANTIATE_TEST_SUITE_P(Float, FloatTest, ::testing::ValuesIn(Cases));

/// The sequence compilers emit for a correctly rounded quotient.
TEST_F(LaneTest, DivisionIsCorrectlyRounded) {
  Inputs In = combinations(Singles);
  Results Out = evaluate(R"(
    v_div_scale_f32 v11, s[20:21], v4, v4, v2
    v_rcp_f32 v12, v11
    v_div_scale_f32 v13, vcc, v2, v4, v2
    v_fma_f32 v14, -v11, v12, 1.0
    v_fma_f32 v12, v14, v12, v12
    v_mul_f32 v14, v13, v12
    v_fma_f32 v15, -v11, v14, v13
    v_fma_f32 v14, v15, v12, v14
    v_fma_f32 v11, -v11, v14, v13
    v_div_fmas_f32 v11, v11, v12, v14
    v_div_fixup_f32 v8, v11, v4, v2
  )",
                         In);
  for (unsigned L = 0; L != 64; ++L) {
    float Want = asF32(In[L].A) / asF32(In[L].B);
    if (std::isnan(Want))
      EXPECT_TRUE(std::isnan(Out[L].f32()));
    else
      EXPECT_EQ(Out[L].f32(), Want)
          << asF32(In[L].A) << " / " << asF32(In[L].B);
  }
}

TEST_F(LaneTest, ModeFlushesDenormals) {
  Inputs In = combinations({bits(1.5e-38f)});
  const char *Halve = "v_mul_f32 v8, 0.5, v2\n v_mul_f32 v9, 2.0, v8\n";
  Results Kept = evaluate(Halve, In);
  EXPECT_EQ(Kept[0].D >> 32, bits(1.5e-38f));
  Results Flushed = evaluate(
      std::string("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n") + Halve,
      In);
  EXPECT_EQ(Flushed[0].D, 0u);
}

TEST_F(LaneTest, ModeRounds) {
  Inputs In = combinations({bits(1.0f)});
  auto Add = [&](int Mode) {
    return evaluate("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), " +
                        std::to_string(Mode) +
                        "\n v_mov_b32 v4, 0x30000000\n"
                        " v_add_f32 v8, v2, v4\n v_sub_f32 v9, v2, v4",
                    In)[0]
        .D;
  };
  uint64_t One = bits(1.0f), Above = One + 1, Below = One - 1;
  EXPECT_EQ(Add(0), One | One << 32);   // nearest even
  EXPECT_EQ(Add(1), Above | One << 32); // up
  EXPECT_EQ(Add(2), One | Below << 32); // down
  EXPECT_EQ(Add(3), One | Below << 32); // toward zero
}

TEST_F(LaneTest, ClassTellsAllKindsApart) {
  Inputs In = combinations({0x7f800001, 0x7fc00000, bits(-Inf), bits(-1.0f),
                            bits(-Tiny), bits(-0.0f), bits(0.0f), bits(Tiny),
                            bits(1.0f), bits(Inf)});
  for (unsigned Kind = 0; Kind != 10; ++Kind) {
    evaluate("v_mov_b32 v4, " + std::to_string(1 << Kind) +
                 "\n v_cmp_class_f32 vcc, v2, v4",
             In);
    for (unsigned L = 0; L != 64; ++L)
      EXPECT_EQ(Vcc >> L & 1, L % 10 == Kind);
  }
}

TEST_F(LaneTest, UnorderedComparisons) {
  Inputs In = combinations(Singles);
  evaluate("v_cmp_nlt_f32 vcc, v2, v4", In);
  for (unsigned L = 0; L != 64; ++L)
    EXPECT_EQ(Vcc >> L & 1, !(asF32(In[L].A) < asF32(In[L].B)));
}

TEST_F(LaneTest, TranscendentalsAreClose) {
  Inputs In;
  for (unsigned L = 0; L != 64; ++L)
    In[L].A = bits(0.07f * float(L) + 0.01f);
  auto Check = [&](const char *Name, double (*Reference)(double)) {
    Results Out = evaluate(std::string(Name) + " v8, v2", In);
    for (unsigned L = 0; L != 64; ++L) {
      double Want = Reference(asF32(In[L].A));
      EXPECT_NEAR(Out[L].f32(), Want, std::fabs(Want) * 1e-6 + 1e-7) << Name;
    }
  };
  Check("v_rcp_f32", [](double X) { return 1 / X; });
  Check("v_rsq_f32", [](double X) { return 1 / std::sqrt(X); });
  Check("v_exp_f32", [](double X) { return std::exp2(X); });
  Check("v_log_f32", [](double X) { return std::log2(X); });
  Check("v_sin_f32", [](double X) { return std::sin(2 * M_PI * X); });
  Check("v_cos_f32", [](double X) { return std::cos(2 * M_PI * X); });
}

} // namespace
} // namespace luthier::test
