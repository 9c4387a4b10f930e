// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global wave sync, residency, deadlocks, and dispatches that are ended early.
#include "Machine.h"
#include "emulator/core/GlobalWaveSync.h"
#include <atomic>
#include <thread>

namespace luthier::test {
namespace {

using emulator::GlobalWaveSync;
using Kind = emulator::ExecutionFault::Kind;

TEST(GlobalWaveSyncTest, TheLastToArriveOpensTheBarrierAndSetsItsNextSize) {
  GlobalWaveSync Sync;
  Sync.init(3, 1);
  auto First = Sync.arrive(3, 2);
  EXPECT_FALSE(Sync.mayPass(First));
  auto Second = Sync.arrive(3, 2);
  EXPECT_TRUE(Sync.mayPass(First));
  EXPECT_TRUE(Sync.mayPass(Second));
  // Three are needed now.
  auto A = Sync.arrive(3, 0), B = Sync.arrive(3, 0);
  EXPECT_FALSE(Sync.mayPass(A));
  EXPECT_FALSE(Sync.mayPass(B));
  Sync.arrive(3, 0);
  EXPECT_TRUE(Sync.mayPass(A));
}

TEST(GlobalWaveSyncTest, ASemaphoreLetsAsManyPassAsWereReleased) {
  GlobalWaveSync Sync;
  auto A = Sync.acquire(0), B = Sync.acquire(0);
  EXPECT_FALSE(Sync.mayPass(A));
  Sync.release(0, 1);
  EXPECT_TRUE(Sync.mayPass(A));
  EXPECT_FALSE(Sync.mayPass(B));
  Sync.releaseAll(0);
  EXPECT_TRUE(Sync.mayPass(B));
  EXPECT_FALSE(Sync.mayPass(Sync.acquire(0)));
}

class GlobalSyncTest : public Machine {
protected:
  GlobalSyncTest(emulator::ShaderArray::Options Opts = gfx90a())
      : Machine(std::move(Opts)) {
    Request.Sync = &Sync;
  }
  uint32_t *words() { return Data.as<uint32_t>(); }

  /// Each workgroup adds 1, waits, and stores what all have added. s2 is the
  /// workgroup's number, s5 is \p Reload.
  void loadGridSum(unsigned Reload) {
    load("s_movk_i32 s5, " + std::to_string(Reload) + R"(
      v_mov_b32 v1, 0
      v_mov_b32 v2, 1
      v_mov_b32 v4, s5
      s_mov_b64 exec, 1
      global_atomic_add v1, v2, s[0:1]
      s_waitcnt vmcnt(0)
      s_mov_b32 m0, 0
      ds_gws_barrier v4 gds
      s_waitcnt lgkmcnt(0)
      global_load_dword v2, v1, s[0:1]
      s_lshl_b32 s6, s2, 2
      v_mov_b32 v3, s6
      s_waitcnt vmcnt(0)
      global_store_dword v3, v2, s[0:1] offset:64
      s_endpgm
    )");
  }

  GlobalWaveSync Sync;
};

TEST_F(GlobalSyncTest, ABarrierHoldsAllWorkgroupsOfAGrid) {
  // Far more than are usually resident at a time.
  constexpr unsigned Groups = 100;
  Request.GridSize = {64 * Groups, 1, 1};
  Sync.init(0, Groups - 1);
  loadGridSum(Groups - 1);
  runOk();
  for (unsigned G = 0; G != Groups; ++G)
    ASSERT_EQ(words()[16 + G], Groups) << G;
}

TEST_F(GlobalSyncTest, InitialisationOutlivesTheDispatch) {
  load(R"(
    v_mov_b32 v2, 2
    s_mov_b32 m0, 0
    ds_gws_init v2 gds
    s_waitcnt lgkmcnt(0)
    s_endpgm
  )");
  runOk();
  Request.GridSize = {64 * 3, 1, 1};
  loadGridSum(2);
  runOk();
  for (unsigned G = 0; G != 3; ++G)
    EXPECT_EQ(words()[16 + G], 3u);
}

TEST_F(GlobalSyncTest, WavesThatNobodyReleasesAreADeadlock) {
  Sync.init(0, 5);
  Request.GridSize = {64 * 2, 1, 1};
  loadGridSum(5);
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::Deadlock);
  EXPECT_NE(Fault->Message.find("2 waves"), std::string::npos)
      << Fault->Message;
  EXPECT_NE(Fault->Message.find("ds_gws_barrier"), std::string::npos)
      << Fault->Message;
}

TEST_F(GlobalSyncTest, AGridThatDoesNotFitIsADeadlockThatSaysSo) {
  // With 128 registers a SIMD holds four waves: 32 units' worth are too many.
  constexpr unsigned Groups = 8 * 16 + 1;
  Request.GridSize = {64 * Groups, 1, 1};
  Sync.init(0, Groups - 1);
  loadGridSum(Groups - 1);
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::Deadlock);
  EXPECT_NE(Fault->Message.find("1 workgroups have found no room"),
            std::string::npos)
      << Fault->Message;
}

TEST_F(GlobalSyncTest, AWaveAtABarrierAndOneAtGlobalSyncAreADeadlock) {
  // The first wave of two goes to the workgroup's barrier, which the second
  // never reaches.
  Request.WorkgroupSize = Request.GridSize = {128, 1, 1};
  Sync.init(0, 1);
  load(R"(
    v_readfirstlane_b32 s5, v0
    s_cmp_eq_u32 s5, 0
    s_cbranch_scc1 first
    v_mov_b32 v4, 1
    s_mov_b32 m0, 0
    ds_gws_barrier v4 gds
  first:
    s_barrier
    s_endpgm
  )");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::Deadlock);
  EXPECT_NE(Fault->Message.find("s_barrier"), std::string::npos);
  EXPECT_NE(Fault->Message.find("ds_gws_barrier"), std::string::npos);
}

TEST_F(GlobalSyncTest, AQueueWithoutResourcesRefusesToSync) {
  Request.Sync = nullptr;
  loadGridSum(0);
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::IllegalInstruction);
}

TEST_F(GlobalSyncTest, WorkgroupsMayWaitForLaterOnesThroughMemory) {
  // Each waits until the last of 30 has set the flag.
  Request.GridSize = {64 * 30, 1, 1};
  load(R"(
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    s_cmp_lg_u32 s2, 29
    s_cbranch_scc1 wait
    global_store_dword v1, v2, s[0:1]
  wait:
    global_load_dword v3, v1, s[0:1] glc
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s5, v3
    s_cmp_eq_u32 s5, 0
    s_cbranch_scc1 wait
    s_endpgm
  )");
  runOk();
}

TEST_F(GlobalSyncTest, ALoopWithoutEndEndsWhenItIsCancelled) {
  std::atomic<bool> Cancel{false};
  Request.Cancel = &Cancel;
  load("loop:\n s_branch loop");
  std::thread Canceller([&] { Cancel = true; });
  auto Fault = run();
  Canceller.join();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::Cancelled);
}

class ThreadedGlobalSyncTest : public GlobalSyncTest {
protected:
  ThreadedGlobalSyncTest() : GlobalSyncTest(threaded()) {}
  static emulator::ShaderArray::Options threaded() {
    auto Opts = gfx90a();
    Opts.Threads = 2;
    return Opts;
  }
};

TEST_F(ThreadedGlobalSyncTest, BarriersReachAcrossHostThreads) {
  constexpr unsigned Groups = 60;
  Request.GridSize = {64 * Groups, 1, 1};
  Sync.init(0, Groups - 1);
  loadGridSum(Groups - 1);
  for (unsigned Round = 1; Round != 20; ++Round) {
    runOk();
    for (unsigned G = 0; G != Groups; ++G)
      ASSERT_EQ(words()[16 + G], Groups * Round);
  }
}

TEST_F(ThreadedGlobalSyncTest, DeadlocksAreSeenAcrossHostThreads) {
  Request.GridSize = {64 * 9, 1, 1};
  loadGridSum(100);
  for (unsigned Round = 0; Round != 20; ++Round) {
    Sync.init(0, 100);
    auto Fault = run();
    ASSERT_TRUE(Fault);
    ASSERT_EQ(Fault->What, Kind::Deadlock);
    ASSERT_NE(Fault->Message.find("9 waves"), std::string::npos)
        << Fault->Message;
  }
}

} // namespace
} // namespace luthier::test
