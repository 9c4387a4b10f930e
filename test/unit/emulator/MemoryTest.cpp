// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics of every segment.
#include "Machine.h"
#include <bit>
#include <cstring>

namespace luthier::test {
namespace {

using emulator::ExecutionFault;

class MemoryTest : public Machine {
protected:
  MemoryTest() {
    // Private segment buffer (4), kernel arguments (2), flat scratch (2), ids.
    Request.KernelCodeProperties = 1 << 0 | 1 << 3 | 1 << 5;
    Request.ComputePgmRsrc2 = 1 | 8 << 1;
    Request.GroupSegmentSize = 4096;
    Request.PrivateSegmentSize = 64;
    Request.ScratchBase = Scratch.address();
    Request.ScratchBytesPerWave = 64 * 64;
    Request.ScratchWaves = 16;
    uint64_t Base = Scratch.address();
    // Swizzled, with lane numbers added: 4-byte elements, 64 lanes apart.
    Request.ScratchResource = {uint32_t(Base), uint32_t(Base >> 32) | 1u << 31,
                               1 << 20, 3u << 21 | 1u << 23};
  }
  /// Arguments are in s[4:5]; moves them where other tests have them, and sets
  /// up flat scratch.
  const std::string Prologue = R"(
    s_add_u32 flat_scratch_lo, s6, s8
    s_addc_u32 flat_scratch_hi, s7, 0
    s_add_u32 s0, s0, s8
    s_addc_u32 s1, s1, 0
    v_lshlrev_b32 v1, 2, v0
    v_lshlrev_b32 v2, 4, v0
  )";
  uint32_t *words() { return Data.as<uint32_t>(); }
  DeviceMemory Scratch{Space, 1 << 20};
};

TEST_F(MemoryTest, GlobalWidthsAndOffsets) {
  auto *Bytes = Data.as<uint8_t>();
  for (unsigned N = 0; N != 4096; ++N)
    Bytes[N] = uint8_t(N * 7 + 3);
  load(Prologue + R"(
    s_add_u32 s10, s4, 64
    s_addc_u32 s11, s5, 0
    global_load_dwordx4 v[4:7], v2, s[10:11] offset:-64
    global_load_ubyte v8, v0, s[4:5] offset:5
    global_load_sbyte v9, v0, s[4:5] offset:6
    global_load_ushort v10, v1, s[4:5] offset:1
    global_load_sshort v11, v1, s[4:5] offset:2
    v_mov_b32 v13, s5
    v_add_co_u32 v12, vcc, s4, v2
    v_addc_co_u32 v13, vcc, 0, v13, vcc
    global_load_dwordx3 v[14:16], v[12:13], off offset:4
    s_waitcnt vmcnt(0)
    s_movk_i32 s12, 0x2000
    s_add_u32 s4, s4, s12
    s_addc_u32 s5, s5, 0
    v_lshlrev_b32 v3, 6, v0
    global_store_dwordx4 v3, v[4:7], s[4:5]
    global_store_dwordx4 v3, v[8:11], s[4:5] offset:16
    global_store_dwordx3 v3, v[14:16], s[4:5] offset:32
    global_store_byte v3, v4, s[4:5] offset:44
    global_store_short v3, v4, s[4:5] offset:46
    global_store_byte_d16_hi v3, v4, s[4:5] offset:45
    s_endpgm
  )");
  runOk();
  for (unsigned L = 0; L != 64; ++L) {
    const uint8_t *Out = Bytes + 0x2000 + 64 * L;
    auto Word = [&](unsigned At) {
      uint32_t V;
      std::memcpy(&V, Out + At, 4);
      return V;
    };
    EXPECT_EQ(std::memcmp(Out, Bytes + 16 * L, 16), 0);
    EXPECT_EQ(Word(16), Bytes[L + 5]);
    EXPECT_EQ(Word(20), uint32_t(int8_t(Bytes[L + 6])));
    EXPECT_EQ(Word(24), uint32_t(Bytes[4 * L + 1] | Bytes[4 * L + 2] << 8));
    EXPECT_EQ(Word(28),
              uint32_t(int16_t(Bytes[4 * L + 2] | Bytes[4 * L + 3] << 8)));
    EXPECT_EQ(std::memcmp(Out + 32, Bytes + 16 * L + 4, 12), 0);
    EXPECT_EQ(Out[44], Bytes[16 * L]);
    EXPECT_EQ(Out[45], Bytes[16 * L + 2]);
    EXPECT_EQ(std::memcmp(Out + 46, Bytes + 16 * L, 2), 0);
  }
}

TEST_F(MemoryTest, UnmappedAccessFaultsWithItsAddress) {
  load(R"(
    v_mov_b32 v2, 0x1000
    v_mov_b32 v3, 0
    global_load_dword v4, v[2:3], off offset:8
    s_endpgm
  )");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, ExecutionFault::Kind::MemoryViolation);
  EXPECT_EQ(Fault->Address, 0x1008u);
  EXPECT_EQ(Fault->PC, Code.address() + 12);
  EXPECT_NE(Fault->Message.find("global_load_dword"), std::string::npos);
  EXPECT_EQ(Counts.WaveInstructions, 3u);
}

TEST_F(MemoryTest, LdsWidthsAndPairs) {
  load(Prologue + R"(
    v_mov_b32 v3, 0x11223344
    v_add_u32 v4, v3, v0
    ds_write2st64_b32 v1, v3, v4 offset1:2
    ds_write_b8 v0, v0 offset:1024
    ds_write_b16_d16_hi v1, v3 offset:2048
    s_waitcnt lgkmcnt(0)
    ds_read2st64_b32 v[6:7], v1 offset1:2
    ds_read_u8 v8, v0 offset:1024
    ds_read_i16 v9, v1 offset:2048
    ds_read_b64 v[10:11], v1
    s_waitcnt lgkmcnt(0)
    v_lshlrev_b32 v3, 5, v0
    global_store_dwordx4 v3, v[6:9], s[4:5]
    global_store_dwordx2 v3, v[10:11], s[4:5] offset:16
    s_endpgm
  )");
  runOk();
  for (unsigned L = 0; L != 63; ++L) {
    const uint32_t *Out = words() + 8 * L;
    EXPECT_EQ(Out[0], 0x11223344u);
    EXPECT_EQ(Out[1], 0x11223344u + L);
    EXPECT_EQ(Out[2], L);
    EXPECT_EQ(Out[3], 0x1122u);
    EXPECT_EQ(Out[4], 0x11223344u);
    EXPECT_EQ(Out[5], 0x11223344u);
  }
}

TEST_F(MemoryTest, LdsAtomicsReturnTheOldValue) {
  load(Prologue + R"(
    v_mov_b32 v10, 0
    v_mov_b32 v4, 2
    ds_write_b32 v10, v10
    ds_add_rtn_u32 v6, v10, v4
    ds_max_u32 v10, v0
    ds_cmpst_rtn_b32 v8, v10, v1, v0
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v7, v10
    v_lshlrev_b32 v3, 3, v0
    global_store_dwordx2 v3, v[6:7], s[4:5]
    s_endpgm
  )");
  runOk();
  for (unsigned L = 0; L != 64; ++L) {
    EXPECT_EQ(words()[2 * L], 2 * L);
    // Where 4 * lane equals what is there (128, for lane 32), it becomes the
    // lane's number.
    EXPECT_EQ(words()[2 * L + 1], 32u);
  }
}

TEST_F(MemoryTest, LdsBeyondTheAllocationFaults) {
  Request.GroupSegmentSize = 128;
  load("v_mov_b32 v1, 0x80\n ds_read_b32 v2, v1\n s_endpgm");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, ExecutionFault::Kind::MemoryViolation);
  EXPECT_EQ(Fault->Address, emulator::LdsApertureBase + 0x80);
}

/// As programs meet it outside strict mode.
class ForgivingTest : public Machine {
protected:
  ForgivingTest() : Machine(options()) { Request.GroupSegmentSize = 128; }
  static emulator::ShaderArray::Options options() {
    emulator::ShaderArray::Options Opts = gfx90a();
    Opts.ForgivesLds = true;
    return Opts;
  }
  uint32_t *words() { return Data.as<uint32_t>(); }
};

TEST_F(ForgivingTest, LdsIsAllocatedInBlocks) {
  load(R"(
    v_mov_b32 v1, 0x1fc
    v_mov_b32 v2, 42
    ds_write_b32 v1, v2
    ds_read_b32 v3, v1
    v_mov_b32 v1, 0
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v3, s[0:1]
    s_endpgm
  )");
  runOk();
  EXPECT_EQ(words()[0], 42u);
}

TEST_F(ForgivingTest, LdsReadsZeroAndWritesNothingBehindItsBlocks) {
  load(R"(
    v_mov_b32 v1, 0x200
    v_mov_b32 v2, 42
    v_mov_b32 v3, 43
    v_mov_b32 v4, 44
    ds_write_b32 v1, v2
    ds_read_b32 v3, v1
    ds_add_rtn_u32 v4, v1, v2
    v_mov_b32 v1, 0
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v3, s[0:1]
    global_store_dword v1, v4, s[0:1] offset:4
    s_endpgm
  )");
  words()[0] = words()[1] = 1;
  runOk();
  EXPECT_EQ(words()[0], 0u);
  EXPECT_EQ(words()[1], 0u);
}

TEST_F(MemoryTest, MisalignedAtomicFaults) {
  load("v_mov_b32 v1, 2\n ds_add_u32 v1, v0\n s_endpgm");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, ExecutionFault::Kind::Misaligned);
}

TEST_F(MemoryTest, FlatReachesEverySegment) {
  load(Prologue + R"(
    s_mov_b64 s[10:11], src_shared_base
    s_mov_b64 s[12:13], src_private_base
    v_mov_b32 v5, s11
    v_mov_b32 v4, v1
    v_mov_b32 v6, 0xabc
    v_add_u32 v6, v6, v0
    flat_store_dword v[4:5], v6
    v_mov_b32 v9, s13
    v_mov_b32 v8, 8
    flat_store_dwordx2 v[8:9], v[6:7] offset:4
    s_waitcnt vmcnt(0) lgkmcnt(0)
    ds_read_b32 v10, v1
    s_mov_b32 s14, 4
    scratch_load_dword v11, off, s14 offset:8
    s_nop 0
    v_mov_b32 v12, 12
    scratch_load_dword v12, v12, off
    buffer_load_dword v13, off, s[0:3], 0 offset:12
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_dwordx4 v2, v[10:13], s[4:5]
    s_endpgm
  )");
  runOk();
  for (unsigned N = 0; N != 4 * 64; ++N)
    EXPECT_EQ(words()[N], 0xabc + N / 4) << N % 4;
}

TEST_F(MemoryTest, ScratchBeyondTheWorkItemFaults) {
  load(Prologue +
       "v_mov_b32 v3, 64\n scratch_load_dword v4, v3, off\n s_endpgm");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, ExecutionFault::Kind::MemoryViolation);
  EXPECT_EQ(Fault->Address, emulator::ScratchApertureBase + 64);
}

TEST_F(MemoryTest, WavesHaveTheirOwnScratch) {
  Request.WorkgroupSize = {256, 1, 1};
  Request.GridSize = {1024, 1, 1};
  load(Prologue + R"(
    s_lshl_b32 s10, s8, 4
    v_add_u32 v3, s10, v0
    buffer_store_dword v3, off, s[0:3], 0 offset:16
    s_barrier
    buffer_load_dword v4, off, s[0:3], 0 offset:16
    s_waitcnt vmcnt(0)
    v_cmp_ne_u32 vcc, v3, v4
    s_cbranch_vccz equal
    s_trap 2
  equal:
    s_endpgm
  )");
  runOk();
}

TEST_F(MemoryTest, BufferRangeChecks) {
  for (unsigned N = 0; N != 64; ++N)
    words()[N] = N + 1;
  load(Prologue + R"(
    s_mov_b32 s12, s4
    s_and_b32 s13, s5, 0xffff
    s_movk_i32 s14, 40
    s_mov_b32 s15, 0
    buffer_load_dword v4, v1, s[12:15], 0 offen
    s_movk_i32 s14, 0x1000
    s_waitcnt vmcnt(0)
    buffer_store_dword v4, v1, s[12:15], 0 offen offset:256
    s_or_b32 s13, s13, 0x80000
    s_mov_b32 s14, 20
    v_mov_b32 v6, v0
    v_mov_b32 v7, 4
    buffer_load_dword v5, v[6:7], s[12:15], 0 idxen offen
    s_movk_i32 s16, 0x200
    s_mov_b32 s14, 64
    s_waitcnt vmcnt(0)
    global_store_dword v1, v5, s[4:5] offset:512
    s_endpgm
  )");
  runOk();
  for (unsigned L = 0; L != 64; ++L) {
    EXPECT_EQ(words()[64 + L], L < 10 ? L + 1 : 0);
    // Records of 8 bytes: the second dword of each, 20 records.
    EXPECT_EQ(words()[128 + L], L < 20 ? 2 * L + 2 : 0);
  }
}

TEST_F(MemoryTest, GlobalAtomics) {
  words()[1] = 100;
  std::memset(words() + 2, 0, 24);
  load(Prologue + R"(
    v_mov_b32 v10, 0
    v_mov_b32 v4, 1.0
    v_mov_b32 v6, 0
    v_mov_b32 v7, 0x3ff00000
    global_atomic_add v5, v10, v0, s[4:5] glc
    global_atomic_umin v10, v0, s[4:5] offset:4
    global_atomic_add_f32 v10, v4, s[4:5] offset:8
    global_atomic_or_x2 v10, v[0:1], s[4:5] offset:16
    global_atomic_add_f64 v10, v[6:7], s[4:5] offset:24
    s_waitcnt vmcnt(0)
    global_store_dword v1, v5, s[4:5] offset:256
    s_endpgm
  )");
  runOk();
  EXPECT_EQ(words()[0], 63u * 64 / 2);
  EXPECT_EQ(words()[1], 0u);
  EXPECT_EQ(std::bit_cast<float>(words()[2]), 64.0f);
  EXPECT_EQ(words()[4], 63u);
  EXPECT_EQ(words()[5], 252u);
  EXPECT_EQ(Data.as<double>()[3], 64.0);
  for (unsigned L = 0; L != 64; ++L)
    EXPECT_EQ(words()[64 + L], L * (L - 1) / 2);
}

TEST_F(MemoryTest, CompareSwapTakesNewThenExpected) {
  words()[0] = 5;
  load(Prologue + R"(
    v_mov_b32 v10, 0
    v_mov_b32 v4, 77
    v_mov_b32 v5, 5
    global_atomic_cmpswap v6, v10, v[4:5], s[4:5] glc
    s_waitcnt vmcnt(0)
    global_store_dword v1, v6, s[4:5] offset:256
    s_endpgm
  )");
  runOk();
  EXPECT_EQ(words()[0], 77u);
  EXPECT_EQ(words()[64], 5u);
  EXPECT_EQ(words()[65], 77u);
}

TEST_F(MemoryTest, LoadsReachAccumulationRegisters) {
  for (unsigned N = 0; N != 64; ++N)
    words()[N] = N * 5;
  load(Prologue + R"(
    global_load_dword a2, v1, s[4:5]
    s_waitcnt vmcnt(0)
    global_store_dword v1, a2, s[4:5] offset:256
    ds_write_b32 v1, a2
    ds_read_b32 a3, v1
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, a3, s[4:5] offset:512
    s_endpgm
  )");
  runOk();
  for (unsigned N = 0; N != 64; ++N) {
    EXPECT_EQ(words()[64 + N], N * 5);
    EXPECT_EQ(words()[128 + N], N * 5);
  }
}

TEST_F(MemoryTest, TypedLoadsConvert) {
  words()[0] = 0x80ff407f;
  load(Prologue + R"(
    s_mov_b32 s12, s4
    s_and_b32 s13, s5, 0xffff
    s_movk_i32 s14, 4
    s_mov_b32 s15, 0
    tbuffer_load_format_xyzw v[4:7], off, s[12:15], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM]
    tbuffer_load_format_xy v[8:9], off, s[12:15], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SINT]
    s_waitcnt vmcnt(0)
    global_store_dwordx4 v2, v[4:7], s[4:5] offset:1024
    global_store_dwordx2 v2, v[8:9], s[4:5] offset:2048
    s_endpgm
  )");
  runOk();
  const float *Out = Data.as<float>() + 256;
  EXPECT_FLOAT_EQ(Out[0], 127 / 255.0f);
  EXPECT_FLOAT_EQ(Out[1], 64 / 255.0f);
  EXPECT_FLOAT_EQ(Out[2], 1.0f);
  EXPECT_FLOAT_EQ(Out[3], 128 / 255.0f);
  EXPECT_EQ(words()[512], 0x407fu);
  EXPECT_EQ(words()[513], 0xffff80ffu);
}

} // namespace
} // namespace luthier::test
