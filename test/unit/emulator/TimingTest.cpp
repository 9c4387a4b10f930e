// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timing model: that what should cost more does, that waits wait, and that
// equal runs take equal time. Figures themselves are the tables' business.
#include "Machine.h"
#include "emulator/core/Target.h"

using namespace luthier;
using namespace luthier::test;
using namespace luthier::emulator;

namespace {

class TimingTest : public Machine {
protected:
  TimingTest() : Machine() {}
  explicit TimingTest(const std::string &Processor)
      : Machine(on(Processor), Processor == "gfx90a" ? 64 : 32) {}

  /// Cycles of one dispatch of \p Source.
  uint64_t cyclesOf(const std::string &Source, unsigned Waves = 1) {
    load(Source + "\ns_endpgm\n");
    Request.WorkgroupSize = {WaveSize, 1, 1};
    Request.GridSize = {WaveSize * Waves, 1, 1};
    Counts = {};
    runOk();
    return Counts.Cycles;
  }
};

const std::string Load = "global_load_dword v2, v1, s[0:1]\n";
const std::string Zero = "v_mov_b32 v1, 0\n";
const std::string WaitAll = "s_waitcnt vmcnt(0)\n";

TEST_F(TimingTest, DependentLoadsCostMoreThanIndependentOnes) {
  const uint64_t Dependent =
      cyclesOf(Zero + Load + WaitAll + Load + WaitAll + Load + WaitAll);
  const uint64_t Independent = cyclesOf(Zero + Load + Load + Load + WaitAll);
  const uint64_t One = cyclesOf(Zero + Load + WaitAll);
  EXPECT_GT(Independent, One);
  EXPECT_LT(Independent, 2 * One);
  EXPECT_GT(Dependent, 5 * One / 2);
}

TEST_F(TimingTest, AWaitPassesWhenEnoughOperationsAreDone) {
  const uint64_t Never = cyclesOf(Zero + Load + Load);
  const uint64_t First = cyclesOf(Zero + Load + Load + "s_waitcnt vmcnt(1)\n");
  const uint64_t Both = cyclesOf(Zero + Load + Load + WaitAll);
  const uint64_t Others =
      cyclesOf(Zero + Load + Load + "s_waitcnt lgkmcnt(0)\n");
  EXPECT_LT(Never, First);
  EXPECT_LT(First, Both);
  EXPECT_LT(Others, First);
}

TEST_F(TimingTest, ScalarLoadsAndLdsRaiseTheSameCounter) {
  Request.GroupSegmentSize = 1024;
  const std::string Wait = "s_waitcnt lgkmcnt(0)\n";
  const uint64_t Scalar = cyclesOf("s_load_dword s6, s[0:1], 0\n" + Wait);
  const uint64_t Lds = cyclesOf(Zero + "ds_read_b32 v2, v1\n" + Wait);
  EXPECT_GT(Scalar, Lds);
  EXPECT_GT(Lds, cyclesOf(Zero + "ds_read_b32 v2, v1\n"));
}

TEST_F(TimingTest, OperationsOnOneCounterFinishInOrder) {
  Request.GroupSegmentSize = 1024;
  const std::string Scalar = "s_load_dword s6, s[0:1], 0\n";
  const std::string Lds = "ds_read_b32 v2, v1\n";
  const std::string First = "s_waitcnt lgkmcnt(1)\n";
  const std::string Both = "s_waitcnt lgkmcnt(0)\n";
  const uint64_t Slow = cyclesOf(Zero + Scalar + Lds + First);
  EXPECT_LT(cyclesOf(Zero + Lds + Scalar + First), Slow);
  // The quick one is not done before the slow one that was issued first.
  EXPECT_GE(cyclesOf(Zero + Scalar + Lds + Both), Slow);
}

TEST_F(TimingTest, NopsAndSleepsTakeWhatTheyAskFor) {
  EXPECT_EQ(cyclesOf("s_nop 15"), cyclesOf("s_nop 0") + 15);
  EXPECT_EQ(cyclesOf("s_sleep 3"), cyclesOf("s_sleep 1") + 2 * 64);
}

TEST_F(TimingTest, FewerLanesMoveFewerBytes) {
  const std::string Loads = Load + Load + Load + Load + WaitAll;
  EXPECT_LT(cyclesOf("s_mov_b64 exec, 1\n" + Zero + Loads),
            cyclesOf("s_mov_b64 exec, -1\n" + Zero + Loads));
}

TEST_F(TimingTest, TranscendentalsTakeLongerThanAdditions) {
  EXPECT_GT(cyclesOf("v_exp_f32 v1, v0\nv_exp_f32 v2, v0\n"),
            cyclesOf("v_add_f32 v1, v0, v0\nv_add_f32 v2, v0, v0\n"));
}

TEST_F(TimingTest, OtherWavesHideLatency) {
  const std::string Source = Zero + Load + WaitAll;
  const uint64_t One = cyclesOf(Source), Many = cyclesOf(Source, 16);
  EXPECT_LT(Many, 4 * One);
  EXPECT_GE(Many, One);
}

TEST_F(TimingTest, FewerWavesPerSimdHideLess) {
  const std::string Source = Zero + Load + WaitAll;
  const uint64_t Usual = cyclesOf(Source, 256);
  // Twice the registers, half the waves.
  Request.ComputePgmRsrc1 = (Request.ComputePgmRsrc1 & ~63u) | 31;
  EXPECT_GT(cyclesOf(Source, 256), 3 * Usual / 2);
}

TEST_F(TimingTest, ManyWavesOfArithmeticShareTheSimds) {
  std::string Additions;
  for (unsigned I = 0; I < 64; ++I)
    Additions += "v_add_f32 v1, v0, v0\n";
  constexpr unsigned Waves = 64;
  const uint64_t Alone = cyclesOf(Additions);
  const uint64_t Many = cyclesOf(Additions, Waves);
  const uint64_t Simds = findTarget("gfx90a")->SimdsPerUnit;
  EXPECT_GT(Many, (Waves / Simds - 1) * Alone);
  EXPECT_LT(Many, (Waves / Simds + 1) * Alone);
}

TEST_F(TimingTest, ManyWavesOfLoadsShareOnePath) {
  constexpr unsigned Waves = 256, BytesOfALane = 16, BytesInACycle = 64;
  const uint64_t Many =
      cyclesOf(Zero + "global_load_dwordx4 v[4:7], v1, s[0:1]\n", Waves);
  const uint64_t Moving = Waves * WaveSize * BytesOfALane / BytesInACycle;
  EXPECT_GE(Many, Moving);
  EXPECT_LT(Many, 3 * Moving / 2);
  EXPECT_GT(Many, 3 * cyclesOf(Zero + Load, Waves));
}

TEST_F(TimingTest, ADispatchLastsAsLongAsItsSlowestWave) {
  load(R"(
    v_readfirstlane_b32 s8, v0
    s_cmp_eq_u32 s8, 0
    s_cbranch_scc0 end
    s_sleep 100
  end:
    s_endpgm
  )");
  Request.WorkgroupSize = {256, 1, 1};
  Request.GridSize = {256, 1, 1};
  runOk();
  const uint64_t Sleep = 64 * 100;
  EXPECT_GT(Counts.Cycles, Sleep);
  EXPECT_LT(Counts.Cycles, 2 * Sleep);
}

/// Whatever ran before: no cache is modelled, and no host time gets in.
TEST_F(TimingTest, EqualRunsTakeEqualTime) {
  const std::string Source = Zero + Load + WaitAll + "s_sleep 3\n";
  const uint64_t First = cyclesOf(Source, 9);
  EXPECT_NE(cyclesOf(Zero + Load + Load + WaitAll, 100), First);
  EXPECT_EQ(cyclesOf(Source, 9), First);
  std::string Error;
  Device = ShaderArray::create(gfx90a(), Space, Error);
  ASSERT_TRUE(Device) << Error;
  EXPECT_EQ(cyclesOf(Source, 9), First);
}

TEST_F(TimingTest, WavesLeaveABarrierTogether) {
  // The second wave is slow; the first reads the clock behind the barrier.
  load(R"(
    s_memtime s[6:7]
    v_readfirstlane_b32 s8, v0
    s_cmp_eq_u32 s8, 0
    s_cbranch_scc1 meet
    s_sleep 100
  meet:
    s_barrier
    s_endpgm
  )");
  Request.WorkgroupSize = {128, 1, 1};
  Request.GridSize = {128, 1, 1};
  runOk();
  const uint64_t Sleep = 64 * 101;
  EXPECT_GT(Counts.Cycles, Sleep);
  EXPECT_LT(Counts.Cycles, 2 * Sleep);
}

TEST_F(TimingTest, ClocksGrowThroughADispatchAndBeyond) {
  const std::string Source = R"(
    s_memtime s[6:7]
    s_memrealtime s[8:9]
    s_sleep 100
    s_memtime s[10:11]
    s_memrealtime s[12:13]
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, s6
    v_mov_b32 v3, s7
    v_mov_b32 v4, s10
    v_mov_b32 v5, s11
    v_mov_b32 v6, s8
    v_mov_b32 v7, s9
    v_mov_b32 v8, s12
    v_mov_b32 v9, s13
    v_mov_b32 v10, 0
    s_mov_b64 exec, 1
    global_store_dwordx4 v10, v[2:5], s[0:1]
    global_store_dwordx4 v10, v[6:9], s[0:1] offset:16
  )";
  uint64_t LastClock = 0, LastRealTime = 0;
  for (int Dispatch = 0; Dispatch != 3; ++Dispatch) {
    cyclesOf(Source);
    const uint64_t *Read = Data.as<uint64_t>();
    EXPECT_GT(Read[0], LastClock);
    EXPECT_GT(Read[1], Read[0] + 6400);
    EXPECT_GE(Read[2], LastRealTime);
    EXPECT_GE(Read[3], Read[2] + 6400 / 17);
    LastClock = Read[1], LastRealTime = Read[3];
  }
}

class TimingTest10 : public TimingTest {
protected:
  TimingTest10() : TimingTest("gfx1030") {}
};

TEST_F(TimingTest10, StoresHaveACounterOfTheirOwn) {
  const std::string Store = Zero + "global_store_dword v1, v1, s[0:1]\n";
  const uint64_t Never = cyclesOf(Store + "s_nop 0\n");
  EXPECT_LE(cyclesOf(Store + WaitAll), Never);
  EXPECT_GT(cyclesOf(Store + "s_waitcnt_vscnt null, 0x0\n"), 10 * Never);
}

class TimingTest12 : public TimingTest {
protected:
  TimingTest12() : TimingTest("gfx1201") {}
};

TEST_F(TimingTest12, SplitCountersAreWaitedForOneByOne) {
  const std::string Both = Zero + "global_load_b32 v2, v1, s[0:1]\n"
                                  "s_load_b32 s6, s[0:1], 0\n";
  const uint64_t None = cyclesOf(Both + "s_wait_dscnt 0\n");
  const uint64_t Scalar = cyclesOf(Both + "s_wait_kmcnt 0\n");
  const uint64_t Vector = cyclesOf(Both + "s_wait_loadcnt 0\n");
  EXPECT_LT(None, Scalar);
  EXPECT_LT(Scalar, Vector);
  EXPECT_EQ(Vector, cyclesOf(Both + "s_wait_loadcnt_dscnt 0\n"));
  EXPECT_LT(cyclesOf(Both + "s_wait_storecnt 0\n"), Scalar);
}

} // namespace
