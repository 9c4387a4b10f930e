// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about matrix operations with numbers from the formats' definitions, and
// the moves between vector and accumulation registers.
#include "../Assembler.h"
#include "MatrixReference.h"
#include "WaveStepper.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace luthier::test {

namespace {

constexpr unsigned NumLanes = WaveStepper::NumLanes;

class Machine {
public:
  explicit Machine(const std::string &Processor, unsigned WaveSize = 64)
      : Processor(Processor), WaveSize(WaveSize), Stepper(Processor, WaveSize) {
    Stepper.wave().setS64(emulator::sreg::Exec, ~uint64_t(0));
  }
  void fill(unsigned Reg, uint32_t Value) {
    for (unsigned L = 0; L != NumLanes; ++L)
      Stepper.vgpr(Reg)[L] = Value;
  }
  void run(const std::string &Line) {
    std::vector<uint8_t> Code = assemble(Line, Processor, WaveSize);
    ASSERT_FALSE(Code.empty()) << Line;
    Stepper.load(Code);
    auto Fault = Stepper.step();
    EXPECT_FALSE(Fault) << *Fault;
  }
  float lane(unsigned Reg, unsigned Lane) {
    return std::bit_cast<float>(Stepper.vgpr(Reg)[Lane]);
  }

  const std::string Processor;
  const unsigned WaveSize;
  WaveStepper Stepper;
};

/// The product of \p Code and one.
float eightBitValue(const std::string &Processor, const std::string &Format,
                    uint8_t Code) {
  Machine M(Processor);
  for (unsigned R : {0, 1, 2, 3})
    M.fill(R, 0);
  // Row 0 of A, and column 0 of B, have something at K = 0.
  M.Stepper.vgpr(0)[0] = Code;
  bool IsUnsignedZero = Processor == "gfx942";
  M.Stepper.vgpr(2)[0] = IsUnsignedZero ? 0x40 : 0x38;
  M.run("v_mfma_f32_16x16x32_" + Format + "_fp8 v[4:7], v[0:1], v[2:3], 0");
  return M.lane(4, 0);
}

TEST(MatrixDetail, EightBitFloatsAreTheTargets) {
  EXPECT_EQ(eightBitValue("gfx950", "fp8", 0x38), 1.0f);
  EXPECT_EQ(eightBitValue("gfx950", "fp8", 0x7e), 448.0f);
  EXPECT_TRUE(std::isnan(eightBitValue("gfx950", "fp8", 0x7f)));
  EXPECT_EQ(eightBitValue("gfx950", "fp8", 0x80), 0.0f);
  EXPECT_EQ(eightBitValue("gfx950", "fp8", 0x01), 0x1p-9f);
  EXPECT_EQ(eightBitValue("gfx950", "bf8", 0x7b), 57344.0f);
  EXPECT_TRUE(std::isinf(eightBitValue("gfx950", "bf8", 0x7c)));
  EXPECT_EQ(eightBitValue("gfx950", "bf8", 0x01), 0x1p-16f);

  EXPECT_EQ(eightBitValue("gfx942", "fp8", 0x40), 1.0f);
  EXPECT_EQ(eightBitValue("gfx942", "fp8", 0x7f), 240.0f);
  EXPECT_TRUE(std::isnan(eightBitValue("gfx942", "fp8", 0x80)));
  EXPECT_EQ(eightBitValue("gfx942", "fp8", 0x01), 0x1p-10f);
  EXPECT_EQ(eightBitValue("gfx942", "bf8", 0x7f), 57344.0f);
  EXPECT_EQ(eightBitValue("gfx942", "bf8", 0x7c), 32768.0f);
  EXPECT_EQ(eightBitValue("gfx942", "bf8", 0x01), 0x1p-17f);
}

TEST(MatrixDetail, NarrowestFloatsReachTheirLimits) {
  struct {
    unsigned Format, Registers;
    uint32_t Code;
    float Value;
  } const Rows[] = {{2, 6, 0x1f, 7.5f},  {2, 6, 0x01, 0.125f},
                    {3, 6, 0x1f, 28.0f}, {3, 6, 0x01, 0.0625f},
                    {4, 4, 0x7, 6.0f},   {4, 4, 0x1, 0.5f},
                    {4, 4, 0xf, -6.0f},  {2, 6, 0x3f, -7.5f}};
  for (auto &Row : Rows) {
    Machine M("gfx950");
    for (unsigned R = 0; R != 32; ++R)
      M.fill(R, 0);
    M.Stepper.vgpr(0)[0] = Row.Code;
    M.Stepper.vgpr(8)[0] = 0x38;
    M.run("v_mfma_f32_16x16x128_f8f6f4 v[16:19], v[0:" +
          std::to_string(Row.Registers - 1) +
          "], v[8:15], 0 cbsz:" + std::to_string(Row.Format));
    EXPECT_EQ(M.lane(16, 0), Row.Value) << Row.Format;
  }
}

/// The sum of 16 products of \p A with one and \p C.
float sumOfHalves(const std::string &Processor, uint16_t A, float C) {
  Machine M(Processor);
  for (unsigned R : {0, 1})
    M.fill(R, A * 0x10001u);
  for (unsigned R : {2, 3})
    M.fill(R, 0x3c003c00);
  for (unsigned R : {4, 5, 6, 7})
    M.fill(R, std::bit_cast<uint32_t>(C));
  std::string Name = Processor == "gfx942" ? "v_mfma_f32_16x16x16_f16"
                                           : "v_mfma_f32_16x16x16f16";
  M.run(Name + " a[0:3], v[0:1], v[2:3], 0");
  M.run(Name + " v[4:7], v[0:1], v[2:3], v[4:7]");
  return M.lane(4, 5);
}

TEST(MatrixDetail, OneTargetHasNoDenormalHalves) {
  EXPECT_EQ(sumOfHalves("gfx942", 0x0001, 0), 0x1p-20f);
  EXPECT_EQ(sumOfHalves("gfx942", 0x0000, 0x1p-140f), 0x1p-140f);
  EXPECT_EQ(sumOfHalves("gfx90a", 0x0001, 0), 0.0f);
  EXPECT_EQ(sumOfHalves("gfx90a", 0x0000, 0x1p-140f), 0.0f);
  EXPECT_EQ(sumOfHalves("gfx90a", 0x0400, 0), 0x1p-10f);
}

TEST(MatrixDetail, ModeKeepsHalvesFromOverflowing) {
  for (bool Keeps : {false, true}) {
    Machine M("gfx1201", 32);
    M.Stepper.wave().setMode(Keeps ? emulator::mode::Fp16Overflow : 0);
    for (unsigned R = 0; R != 8; ++R)
      M.fill(R, R < 4 ? 0x5c005c00 : 0xdc005c00); // 256, -256
    M.fill(8, 0);
    M.run("v_wmma_f16_16x16x16_f16 v[12:15], v[0:3], v[4:7], 0 neg_lo:[0,1,0] "
          "neg_hi:[0,1,0]");
    // Half the products are negative: nothing is left of them.
    EXPECT_EQ(M.Stepper.vgpr(12)[0], 0u);
    for (unsigned R = 4; R != 8; ++R)
      M.fill(R, 0x5c005c00);
    M.run("v_wmma_f16_16x16x16_f16 v[12:15], v[0:3], v[4:7], 0");
    EXPECT_EQ(M.Stepper.vgpr(12)[0], Keeps ? 0x7bff7bffu : 0x7c007c00u);
    M.fill(0, 0x7c007c00);
    M.run("v_wmma_f16_16x16x16_f16 v[12:15], v[0:3], v[4:7], 0");
    EXPECT_EQ(M.Stepper.vgpr(12)[0], 0x7c007c00u) << "an infinite source";
  }
}

TEST(MatrixDetail, FormatsThatDoNotExistAreRefused) {
  Machine M("gfx950");
  std::vector<uint8_t> Code = assemble(
      "v_mfma_f32_16x16x128_f8f6f4 v[16:19], v[0:7], v[8:15], 0", "gfx950");
  ASSERT_EQ(Code.size() % 8, 0u);
  Code[1] |= 5; // cbsz
  M.Stepper.load(Code);
  EXPECT_TRUE(M.Stepper.step());
}

class AccumulationMoves : public ::testing::TestWithParam<const char *> {};

TEST_P(AccumulationMoves, CopyActiveLanes) {
  constexpr unsigned Seed = 7;
  std::mt19937_64 Random(Seed);
  Machine M(GetParam());
  emulator::Wave &W = M.Stepper.wave();
  constexpr unsigned Accum = emulator::NumArchVgprs;
  struct Move {
    std::string Line;
    unsigned From, To;
    bool IsConstant = false;
    uint32_t Constant = 0;
  };
  std::vector<Move> Moves = {
      {"v_accvgpr_read_b32 v3, a200", Accum + 200, 3},
      {"v_accvgpr_write_b32 a255, v7", 7, Accum + 255},
      {"v_accvgpr_write_b32 a9, 1.0", 0, Accum + 9, true, 0x3f800000},
      {"v_accvgpr_write_b32 a9, -16", 0, Accum + 9, true, uint32_t(-16)}};
  if (M.Processor != "gfx908")
    Moves.push_back({"v_accvgpr_mov_b32 a4, a250", Accum + 250, Accum + 4});
  for (const Move &Each : Moves)
    for (int Repeat = 0; Repeat != 8; ++Repeat) {
      for (unsigned R = 0; R != emulator::NumVectorRegs; ++R)
        for (unsigned L = 0; L != NumLanes; ++L)
          M.Stepper.vgpr(R)[L] = uint32_t(Random());
      std::vector<uint32_t> Expected(
          M.Stepper.vgpr(0),
          M.Stepper.vgpr(emulator::NumVectorRegs - 1) + NumLanes);
      uint64_t Exec = Repeat ? Random() : 0;
      W.setS64(emulator::sreg::Exec, Exec);
      for (unsigned L = 0; L != NumLanes; ++L)
        if (Exec >> L & 1)
          Expected[Each.To * NumLanes + L] =
              Each.IsConstant ? Each.Constant
                              : Expected[Each.From * NumLanes + L];
      M.run(Each.Line);
      EXPECT_EQ(std::memcmp(Expected.data(), M.Stepper.vgpr(0),
                            Expected.size() * sizeof(uint32_t)),
                0)
          << Each.Line << ", seed " << Seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, AccumulationMoves,
                         ::testing::Values("gfx908", "gfx90a", "gfx942",
                                           "gfx950"),
                         [](const ::testing::TestParamInfo<const char *> &I) {
                           return std::string(I.param);
                         });

} // namespace
} // namespace luthier::test
