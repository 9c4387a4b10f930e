// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel finds when it starts, on every target and in both wave sizes.
#include "emulator/core/Target.h"
#include "Machine.h"
#include <bit>

namespace luthier::test {
namespace {

struct Device {
  const char *Processor;
  unsigned WaveSize;
};

void PrintTo(const Device &D, std::ostream *OS) {
  *OS << D.Processor << " wave" << D.WaveSize;
}

constexpr Device Devices[] = {
    {"gfx906", 64},  {"gfx908", 64},  {"gfx90a", 64},  {"gfx942", 64},
    {"gfx950", 64},  {"gfx1030", 32}, {"gfx1030", 64}, {"gfx1100", 32},
    {"gfx1100", 64}, {"gfx1201", 32}, {"gfx1201", 64},
};

class TargetTest : public Machine,
                   public ::testing::WithParamInterface<Device> {
protected:
  TargetTest() : Machine(on(GetParam().Processor), GetParam().WaveSize) {}

  const emulator::Target &target() const {
    return *emulator::findTarget(Processor);
  }
  /// Spelled as the generation has it.
  std::string waitForAll() const {
    return target().Generation == 12 ? "s_wait_kmcnt 0\n s_wait_loadcnt 0\n"
                                     : "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
  }
  /// Leaves the work-item ids in v20, v21, v22.
  std::string unpackIds() const {
    if (!target().PacksWorkItemIds)
      return "v_mov_b32 v20, v0\n v_mov_b32 v21, v1\n v_mov_b32 v22, v2\n";
    return R"(
      v_bfe_u32 v20, v0, 0, 10
      v_bfe_u32 v21, v0, 10, 10
      v_bfe_u32 v22, v0, 20, 10
    )";
  }
  /// Leaves the workgroup ids in s20, s21, s22.
  std::string workgroupIds() const {
    if (!target().WorkgroupIdsInTtmp)
      return "s_mov_b32 s20, s2\n s_mov_b32 s21, s3\n s_mov_b32 s22, s4\n";
    return R"(
      s_mov_b32 s20, ttmp9
      s_and_b32 s21, ttmp7, 0xffff
      s_lshr_b32 s22, ttmp7, 16
    )";
  }
  const char *store() const {
    return target().Generation >= 11 ? "global_store_b32"
                                     : "global_store_dword";
  }
};

TEST_P(TargetTest, EachWorkItemFindsItsIds) {
  constexpr unsigned X = 6, Y = 4, Z = 5, Items = X * Y * Z;
  Request.WorkgroupSize = {X, Y, Z};
  Request.GridSize = {2 * X, 3 * Y, 2 * Z};
  Request.ComputePgmRsrc2 |= 2 << 11; // all work-item ids
  auto *Out = Data.as<uint32_t>();
  // The place is the work-item's number; the value the sum of all ids.
  load(unpackIds() + workgroupIds() + R"(
    v_mul_u32_u24 v23, 24, v22
    v_mul_u32_u24 v24, 6, v21
    v_add3_u32 v23, v23, v24, v20
    s_mul_i32 s23, s22, 3
    s_add_i32 s23, s23, s21
    s_lshl_b32 s23, s23, 1
    s_add_i32 s23, s23, s20
    s_mul_i32 s24, s23, 120
    v_mov_b32 v25, s24
    v_add_lshl_u32 v23, v23, v25, 2
    v_lshlrev_b32 v21, 4, v21
    v_lshlrev_b32 v22, 8, v22
    v_or3_b32 v20, v20, v21, v22
    s_lshl_b32 s23, s23, 16
    v_or_b32 v20, s23, v20
  )" + std::string(store()) +
       R"( v23, v20, s[0:1]
    s_endpgm
  )");
  runOk();
  for (unsigned G = 0; G != 12; ++G)
    for (unsigned N = 0; N != Items; ++N) {
      unsigned Expected = N % X | N / X % Y << 4 | N / (X * Y) << 8 | G << 16;
      ASSERT_EQ(Out[G * Items + N], Expected) << G << " " << N;
    }
}

TEST_P(TargetTest, ComparisonsAndSelectsUseMasksOfTheWaveSize) {
  Request.WorkgroupSize = {64, 1, 1};
  auto *Out = Data.as<uint32_t>();
  bool Narrow = WaveSize == 32;
  std::string Pair = Narrow ? "s30" : "s[30:31]";
  // s31 and vcc_hi belong to nobody in waves of 32 lanes.
  load(R"(
    s_mov_b32 s31, 77
    v_lshlrev_b32 v2, 2, v0
    v_and_b32 v1, 1, v0
    v_cmp_eq_u32 )" +
       Pair + R"(, 1, v1
    v_cndmask_b32 v3, 5, 6, )" +
       Pair + "\n" + store() + R"( v2, v3, s[0:1]
    v_mov_b32 v4, s31
    )" +
       store() +
       R"( v2, v4, s[0:1] offset:256
    s_endpgm
  )");
  runOk();
  for (unsigned L = 0; L != 64; ++L) {
    EXPECT_EQ(Out[L], L % 2 ? 6u : 5u) << L;
    EXPECT_EQ(Out[64 + L], Narrow ? 77u : 0xaaaaaaaau) << L;
  }
}

TEST_P(TargetTest, LastWaveOfAnUnevenWorkgroupIsPartial) {
  Request.WorkgroupSize = {70, 1, 1};
  Request.GridSize = {140, 1, 1};
  auto *Out = Data.as<uint32_t>();
  std::fill_n(Out, 256, ~0u);
  std::string Mask = WaveSize == 32 ? "s_bcnt1_i32_b32 s30, exec_lo"
                                    : "s_bcnt1_i32_b64 s30, exec";
  load(workgroupIds() + Mask + R"(
    s_mul_i32 s20, s20, 70
    v_and_b32 v0, 0x3ff, v0
    v_mov_b32 v2, s20
    v_add_lshl_u32 v2, v0, v2, 2
    v_mov_b32 v3, s30
    )" +
       store() + R"( v2, v3, s[0:1]
    s_endpgm
  )");
  runOk();
  for (unsigned N = 0; N != 140; ++N) {
    unsigned Wave = N % 70 / WaveSize;
    EXPECT_EQ(Out[N], std::min(WaveSize, 70 - Wave * WaveSize)) << N;
  }
  EXPECT_EQ(Out[140], ~0u);
}

TEST_P(TargetTest, M0AndNullKeepTheirMeaning) {
  auto *Out = Data.as<uint32_t>();
  bool HasNull = target().has(emulator::ScalarOperand::Null);
  std::string Null = HasNull ? "null" : "s40";
  load("s_mov_b32 s40, 0\n s_mov_b32 m0, 0x1234\n s_mov_b32 s30, m0\n" +
       std::string(HasNull ? "s_mov_b32 null, s30\n" : "") +
       "s_add_u32 s31, s30, " + Null + R"(
    v_mov_b32 v1, s30
    v_mov_b32 v2, s31
    v_mov_b32 v3, m0
    v_mov_b32 v4, 0
    )" +
       store() + " v4, v1, s[0:1]\n" + store() + " v4, v2, s[0:1] offset:4\n" +
       store() +
       R"( v4, v3, s[0:1] offset:8
    s_endpgm
  )");
  runOk();
  EXPECT_EQ(Out[0], 0x1234u);
  EXPECT_EQ(Out[1], 0x1234u);
  EXPECT_EQ(Out[2], 0x1234u);
}

TEST_P(TargetTest, LiteralWithoutRoomIsAnIllegalInstruction) {
  // A buffer load's scalar offset, and on generation 9 a source of VOP3.
  for (uint32_t First : {0xe0500000u, 0xd1c10000u}) {
    if (First == 0xd1c10000u && target().Generation != 9)
      continue;
    uint32_t Code[] = {First, 0xff0000ff};
    load("s_endpgm");
    std::copy(Code, Code + 2, this->Code.as<uint32_t>());
    Device->invalidateCode(Request.EntryPC, Request.EntryPC + sizeof(Code));
    auto Fault = run();
    ASSERT_TRUE(Fault);
    EXPECT_EQ(Fault->What, emulator::ExecutionFault::Kind::IllegalInstruction);
  }
}

TEST_P(TargetTest, PreloadedArgumentsAreInUserRegistersAtTheSecondEntry) {
  auto *Words = Data.as<uint32_t>();
  for (uint32_t N = 0; N != 8; ++N)
    Words[N] = 100 + N;
  // Three words from the second one on, behind the pointer.
  Request.KernargPreload = 3 | 1 << 7;
  Request.ComputePgmRsrc2 = (Request.ComputePgmRsrc2 & ~(31u << 1)) | 5 << 1;
  auto Entry = [&](const char *S) {
    return std::string("v_mov_b32 v1, ") + S + "\n v_mov_b32 v2, 0\n" +
           store() + " v2, v1, s[0:1] offset:128\n s_endpgm\n";
  };
  load(Entry("7") +
       ".p2align 8\n s_add_u32 s2, s2, s3\n s_add_u32 s2, s2, "
       "s4\n" +
       Entry("s2"));
  runOk();
  EXPECT_EQ(Words[32], target().PreloadsKernargs ? 101u + 102u + 103u : 7u);
}

TEST_P(TargetTest, WorkgroupMayHaveAllLdsOfAUnitButNoMore) {
  load("s_endpgm");
  Request.GroupSegmentSize = target().LdsPerUnit;
  runOk();
  ++Request.GroupSegmentSize;
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, emulator::ExecutionFault::Kind::InvalidDispatch);
}

/// The most VGPRs (with AGPRs, where they share a file) that 1024 work-items
/// can have each, in units of eight: the file of a SIMD by the waves it gets.
TEST_P(TargetTest, WorkgroupMayHaveAllRegistersOfAUnitButNoMore) {
  bool IsGfx9 = target().Generation == 9;
  unsigned Most = target().HasUnifiedFile  ? 128
                  : IsGfx9                 ? 64
                  : Processor == "gfx1030" ? 64
                                           : 96;
  unsigned Granule = target().VgprGranule * 64 / WaveSize;
  load("s_endpgm");
  Request.WorkgroupSize = Request.GridSize = {1024, 1, 1};
  Request.ComputePgmRsrc1 =
      (Request.ComputePgmRsrc1 & ~63u) | (Most / Granule - 1);
  runOk();
  Request.ComputePgmRsrc1 += 8 / Granule;
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, emulator::ExecutionFault::Kind::InvalidDispatch);
  if (IsGfx9)
    return;
  // Twice the SIMDs in WGP mode.
  Request.ComputePgmRsrc1 |= 1u << 29;
  runOk();
}

TEST_P(TargetTest, ScratchBufferInterleavesAsManyLanesAsAWaveHas) {
  // The queue's own word has the other stride, whichever that is.
  constexpr uint32_t AddThreadId = 1 << 23;
  for (uint32_t Stride : {0, 2, 3}) {
    Request.ScratchResource = {0x1000, 0, 0x2000, AddThreadId | Stride << 21};
    Request.KernelCodeProperties |= 1;
    Request.ComputePgmRsrc2 = (Request.ComputePgmRsrc2 & ~(31u << 1)) | 6 << 1;
    load("v_mov_b32 v1, s3\n v_mov_b32 v2, 0\n" + std::string(store()) +
         " v2, v1, s[4:5]\n s_endpgm");
    runOk();
    EXPECT_EQ(Data.as<uint32_t>()[0], AddThreadId | (WaveSize == 32 ? 2u : 3u)
                                                        << 21);
  }
}

TEST_P(TargetTest, NarrowWavesOnlyWhereThereAreSome) {
  load("s_endpgm");
  Request.KernelCodeProperties |= 1 << 10;
  EXPECT_EQ(run().has_value(), !target().HasWave32);
}

TEST_P(TargetTest, ClampTurnsNaNIntoZero) {
  load("v_mov_b32 v1, 0x7fc00000\n v_add_f32_e64 v1, v1, v1 clamp\n"
       "v_mov_b32 v2, 0\n" +
       std::string(store()) + " v2, v1, s[0:1]\n s_endpgm");
  Data.as<uint32_t>()[0] = 1;
  runOk();
  EXPECT_EQ(Data.as<uint32_t>()[0], 0u);
}

INSTANTIATE_TEST_SUITE_P(Targets, TargetTest, ::testing::ValuesIn(Devices),
                         [](const auto &Info) {
                           return std::string(Info.param.Processor) + "_wave" +
                                  std::to_string(Info.param.WaveSize);
                         });

TEST(TargetRows, NamesAreFoundAndOthersAreNot) {
  for (const emulator::Target &T : emulator::targets())
    EXPECT_EQ(emulator::findTarget(T.Name), &T);
  EXPECT_EQ(emulator::findTarget("gfx803"), nullptr);
}

} // namespace
} // namespace luthier::test
