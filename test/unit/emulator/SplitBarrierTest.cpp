// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers in two steps, by workgroups of several waves.
#include "Machine.h"

namespace luthier::test {
namespace {

class SplitBarrierTest : public Machine {
protected:
  SplitBarrierTest() : Machine(on("gfx1201"), 32) {
    Request.WorkgroupSize = {NumItems, 1, 1};
    Request.GridSize = {NumItems, 1, 1};
    Request.GroupSegmentSize = 4 * NumItems;
  }
  static constexpr uint32_t NumItems = 128;
  /// LDS address of the item in v1, result address in v2.
  static constexpr const char *Addresses = R"(
    v_and_b32 v0, 0x3ff, v0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, v1
  )";
};

TEST_F(SplitBarrierTest, AllSeeWhatWasWrittenBeforeTheSignal) {
  // Each item writes, then reads that of the next wave; twice, so that the
  // barrier is used again.
  load(std::string(Addresses) + R"(
    v_xor_b32 v3, 0x80, v1
    v_add_nc_u32 v4, 1, v0
    ds_store_b32 v1, v4
    s_wait_dscnt 0
    s_barrier_signal -1
    s_barrier_wait -1
    ds_load_b32 v5, v3
    s_wait_dscnt 0
    s_barrier_signal -1
    s_barrier_wait -1
    v_mul_u32_u24 v5, 3, v5
    ds_store_b32 v1, v5
    s_wait_dscnt 0
    s_barrier_signal -1
    s_barrier_wait -1
    ds_load_b32 v6, v3
    s_wait_dscnt 0
    global_store_b32 v2, v6, s[0:1]
    s_endpgm
  )");
  runOk();
  for (uint32_t N = 0; N != NumItems; ++N)
    EXPECT_EQ(Data.as<uint32_t>()[N], 3 * (N + 1));
}

TEST_F(SplitBarrierTest, OneWaveIsFirstToSignal) {
  load(std::string(Addresses) + R"(
    s_barrier_signal_isfirst -1
    s_cselect_b32 s4, 1, 0
    s_barrier_wait -1
    v_mov_b32 v3, s4
    global_store_b32 v2, v3, s[0:1]
    s_endpgm
  )");
  runOk();
  uint32_t First = 0;
  for (uint32_t N = 0; N != NumItems; ++N)
    First += Data.as<uint32_t>()[N];
  EXPECT_EQ(First, 32u);
}

TEST_F(SplitBarrierTest, WavesThatHaveEndedAreNotAwaited) {
  // Items from 64 on end before the barrier.
  load(std::string(Addresses) + R"(
    v_cmp_gt_u32 vcc_lo, 64, v0
    s_cbranch_vccz end
    s_barrier_signal -1
    s_barrier_wait -1
    v_mov_b32 v3, 1
    global_store_b32 v2, v3, s[0:1]
  end:
    s_endpgm
  )");
  runOk();
  for (uint32_t N = 0; N != NumItems; ++N)
    EXPECT_EQ(Data.as<uint32_t>()[N], uint32_t(N < 64));
}

TEST_F(SplitBarrierTest, AWaitWithoutSignalIsADeadlock) {
  load("s_barrier_wait -1\n s_endpgm");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, emulator::ExecutionFault::Kind::Deadlock);
  EXPECT_NE(Fault->Message.find("s_barrier_wait"), std::string::npos)
      << Fault->Message;
}

TEST_F(SplitBarrierTest, NamedBarriersAreRefusedByName) {
  load("s_barrier_signal 3\n s_endpgm");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, emulator::ExecutionFault::Kind::UnknownOperation);
  EXPECT_NE(Fault->Message.find("named barriers"), std::string::npos);
}

} // namespace
} // namespace luthier::test
