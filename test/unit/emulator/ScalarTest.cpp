// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar operations and control flow. Each test leaves its results in s[20:27].
#include "Machine.h"
#include <array>

namespace luthier::test {
namespace {

class ScalarTest : public Machine {
protected:
  std::array<uint32_t, 8> evaluate(const std::string &Instructions) {
    std::string Source =
        Instructions + "\n s_mov_b64 exec, 1\n v_mov_b32 v10, 0\n";
    for (int N = 0; N != 8; ++N)
      Source += "v_mov_b32 v1, s" + std::to_string(20 + N) +
                "\n global_store_dword v10, v1, s[0:1] offset:" +
                std::to_string(4 * N) + "\n";
    load(Source + "s_endpgm\n");
    runOk();
    std::array<uint32_t, 8> Result;
    std::copy(Data.as<uint32_t>(), Data.as<uint32_t>() + 8, Result.begin());
    return Result;
  }
};

TEST_F(ScalarTest, CarryRunsThroughScc) {
  auto R = evaluate(R"(
    s_mov_b32 s20, 0xffffffff
    s_mov_b32 s21, 5
    s_add_u32 s20, s20, 1
    s_addc_u32 s21, s21, 0
    s_sub_u32 s22, 0, 1
    s_subb_u32 s23, 7, 0
    s_cselect_b32 s24, 1, 2
    s_add_i32 s25, 0x7fffffff, 1
    s_cselect_b32 s25, 1, 2
  )");
  EXPECT_EQ(R[0], 0u);
  EXPECT_EQ(R[1], 6u);
  EXPECT_EQ(R[2], 0xffffffffu);
  EXPECT_EQ(R[3], 6u);
  EXPECT_EQ(R[4], 2u);
  EXPECT_EQ(R[5], 1u);
}

TEST_F(ScalarTest, BitOperations) {
  auto R = evaluate(R"(
    s_movk_i32 s30, 0xf80
    s_bfe_i32 s20, s30, 0x00050007
    s_mov_b32 s30, 0xabcdef12
    s_bfe_u32 s21, s30, 0x00080004
    s_bfm_b32 s22, 5, 3
    s_flbit_i32 s23, 0xffff0000
    s_ff1_i32_b64 s24, 0
    s_brev_b32 s25, 0x80000001
    s_bcnt1_i32_b32 s26, 0xf0f1
    s_wqm_b32 s27, 0x00100002
  )");
  EXPECT_EQ(R[0], 0xffffffffu);
  EXPECT_EQ(R[1], 0xf1u);
  EXPECT_EQ(R[2], 0xf8u);
  EXPECT_EQ(R[3], 16u);
  EXPECT_EQ(R[4], 0xffffffffu);
  EXPECT_EQ(R[5], 0x80000001u);
  EXPECT_EQ(R[6], 9u);
  EXPECT_EQ(R[7], 0x00f0000fu);
}

TEST_F(ScalarTest, WideOperations) {
  auto R = evaluate(R"(
    s_mov_b32 s30, 0x89abcdef
    s_mov_b32 s31, 0x81234567
    s_lshr_b64 s[20:21], s[30:31], 36
    s_ashr_i64 s[22:23], s[30:31], 8
    s_andn2_b64 s[24:25], -1, s[30:31]
    s_mov_b64 s[26:27], 0x80000000
  )");
  EXPECT_EQ(R[0], 0x08123456u);
  EXPECT_EQ(R[1], 0u);
  EXPECT_EQ(R[2], 0x6789abcdu);
  EXPECT_EQ(R[3], 0xff812345u);
  EXPECT_EQ(R[4], ~0x89abcdefu);
  EXPECT_EQ(R[5], ~0x81234567u);
  // A literal of bits is extended with zeroes.
  EXPECT_EQ(R[6], 0x80000000u);
  EXPECT_EQ(R[7], 0u);
}

TEST_F(ScalarTest, MultiplyHigh) {
  auto R = evaluate(R"(
    s_mul_i32 s20, 0x12345678, 0x12345678
    s_mul_hi_u32 s21, 0xffffffff, 0xffffffff
    s_mul_hi_i32 s22, -2, 3
    s_movk_i32 s23, -5
    s_mulk_i32 s23, 7
    s_addk_i32 s23, -1
    s_absdiff_i32 s24, 3, 10
    s_lshl2_add_u32 s25, 0x40000001, 3
    s_cselect_b32 s26, 1, 0
  )");
  EXPECT_EQ(R[0], 0x12345678u * 0x12345678u);
  EXPECT_EQ(R[1], 0xfffffffeu);
  EXPECT_EQ(R[2], 0xffffffffu);
  EXPECT_EQ(R[3], uint32_t(-36));
  EXPECT_EQ(R[4], 7u);
  EXPECT_EQ(R[5], 7u);
  EXPECT_EQ(R[6], 1u);
}

TEST_F(ScalarTest, CallsReturn) {
  auto R = evaluate(R"(
    s_mov_b32 s20, 0
    s_getpc_b64 s[30:31]
  base:
    s_add_u32 s30, s30, callee-base
    s_addc_u32 s31, s31, 0
    s_swappc_b64 s[32:33], s[30:31]
    s_call_b64 s[32:33], callee
    s_branch done
  callee:
    s_add_u32 s20, s20, 21
    s_setpc_b64 s[32:33]
  done:
  )");
  EXPECT_EQ(R[0], 42u);
}

TEST_F(ScalarTest, LoopsAndConditions) {
  auto R = evaluate(R"(
    s_mov_b32 s20, 0
    s_mov_b32 s21, 10
  loop:
    s_add_u32 s20, s20, s21
    s_sub_u32 s21, s21, 1
    s_cmp_lg_u32 s21, 0
    s_cbranch_scc1 loop
    s_mov_b64 vcc, 0
    s_mov_b32 s22, 1
    s_cbranch_vccnz bad
    s_cbranch_vccz good
  bad:
    s_mov_b32 s22, 2
  good:
    s_mov_b64 exec, 0
    s_cbranch_execnz bad
    s_cmpk_eq_i32 s20, 0x37
    s_cselect_b32 s23, 1, 0
    s_cmp_lt_i32 -1, 0
    s_cselect_b32 s24, 1, 0
    s_bitcmp1_b32 s20, 0
    s_cselect_b32 s25, 1, 0
  )");
  EXPECT_EQ(R[0], 55u);
  EXPECT_EQ(R[2], 1u);
  EXPECT_EQ(R[3], 1u);
  EXPECT_EQ(R[4], 1u);
  EXPECT_EQ(R[5], 1u);
}

TEST_F(ScalarTest, SaveExecUpdatesExecAndScc) {
  auto R = evaluate(R"(
    s_mov_b64 exec, 0xff
    s_mov_b64 s[30:31], 0x0f
    s_and_saveexec_b64 s[20:21], s[30:31]
    s_cselect_b32 s22, 1, 0
    s_mov_b32 s23, exec_lo
    s_andn2_saveexec_b64 s[30:31], s[30:31]
    s_cselect_b32 s24, 1, 0
    s_or_saveexec_b64 s[30:31], 0x30
    s_mov_b32 s25, exec_lo
  )");
  EXPECT_EQ(R[0], 0xffu);
  EXPECT_EQ(R[2], 1u);
  EXPECT_EQ(R[3], 0x0fu);
  EXPECT_EQ(R[4], 0u);
  EXPECT_EQ(R[5], 0x30u);
}

TEST_F(ScalarTest, ModeIsReadAndWrittenByField) {
  auto R = evaluate(R"(
    s_getreg_b32 s20, hwreg(HW_REG_MODE)
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x5
    s_getreg_b32 s21, hwreg(HW_REG_MODE, 0, 8)
    s_mov_b32 s22, 3
    s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s22
    s_getreg_b32 s23, hwreg(HW_REG_MODE, 4, 4)
    s_mov_b64 s[24:25], src_shared_base
    s_mov_b64 s[26:27], src_private_base
  )");
  EXPECT_EQ(R[0], 0x3f0u);
  EXPECT_EQ(R[1], 0xf5u);
  EXPECT_EQ(R[3], 0xfu);
  EXPECT_EQ(R[5], emulator::LdsApertureBase >> 32);
  EXPECT_EQ(R[7], emulator::ScratchApertureBase >> 32);
}

TEST_F(ScalarTest, RelativeMoves) {
  auto R = evaluate(R"(
    s_mov_b32 s30, 11
    s_mov_b32 s31, 12
    s_mov_b32 s32, 13
    s_mov_b32 m0, 2
    s_movrels_b32 s20, s30
    s_movreld_b32 s19, s31
  )");
  EXPECT_EQ(R[0], 13u);
  EXPECT_EQ(R[1], 12u);
}

TEST_F(ScalarTest, LoadsFromMemoryAndBuffers) {
  auto *Words = Data.as<uint32_t>();
  for (uint32_t N = 0; N != 64; ++N)
    Words[256 + N] = N + 1;
  auto R = evaluate(R"(
    s_mov_b32 s30, 0x404
    s_load_dwordx2 s[20:21], s[0:1], s30
    s_load_dword s22, s[0:1], 0x40c
    s_and_b32 s41, s1, 0xffff
    s_mov_b32 s40, s0
    s_mov_b32 s42, 0x408
    s_mov_b32 s43, 0
    s_buffer_load_dwordx4 s[24:27], s[40:43], 0x400
    s_waitcnt lgkmcnt(0)
  )");
  EXPECT_EQ(R[0], 2u);
  EXPECT_EQ(R[1], 3u);
  EXPECT_EQ(R[2], 4u);
  EXPECT_EQ(R[4], 1u);
  EXPECT_EQ(R[5], 2u);
  EXPECT_EQ(R[6], 0u); // beyond the buffer
}

TEST_F(ScalarTest, ClocksAdvance) {
  auto R = evaluate(R"(
    s_memtime s[20:21]
    s_waitcnt lgkmcnt(0)
    s_nop 0
    s_memtime s[22:23]
    s_waitcnt lgkmcnt(0)
  )");
  EXPECT_LT(R[0] | uint64_t(R[1]) << 32, R[2] | uint64_t(R[3]) << 32);
}

} // namespace
} // namespace luthier::test
