// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Watchdog.h"
#include "Machine.h"
#include <atomic>
#include <chrono>
#include <thread>

namespace luthier::test {
namespace {

using Kind = emulator::ExecutionFault::Kind;

class WatchdogTest : public Machine {
protected:
  WatchdogTest(emulator::ShaderArray::Options Opts = watched())
      : Machine(std::move(Opts)) {}
  static emulator::ShaderArray::Options watched() {
    auto Opts = gfx90a();
    Opts.WatchdogNanoseconds = 100'000'000;
    return Opts;
  }
};

TEST_F(WatchdogTest, ALoopThatWaitsForMemoryForeverIsEnded) {
  Request.GridSize = {128, 1, 1};
  load(R"(
    v_mov_b32 v1, 0
  loop:
    global_load_dword v2, v1, s[0:1]
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s5, v2
    s_cmp_eq_u32 s5, 0
    s_cbranch_scc1 loop
    s_endpgm
  )");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::NoProgress);
  EXPECT_NE(Fault->Message.find("runs in a loop"), std::string::npos)
      << Fault->Message;
  EXPECT_NE(Fault->Message.find("of workgroup 0,0,0"), std::string::npos)
      << Fault->Message;
}

TEST_F(WatchdogTest, SleepersAndThoseAtBarriersAreToldApart) {
  Request.WorkgroupSize = Request.GridSize = {128, 1, 1};
  load(R"(
    v_readfirstlane_b32 s5, v0
    s_cmp_eq_u32 s5, 0
    s_cbranch_scc0 barrier
  loop:
    s_sleep 1
    s_branch loop
  barrier:
    s_barrier
    s_endpgm
  )");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::NoProgress);
  EXPECT_NE(Fault->Message.find("s_sleep 1: sleeps in a loop"),
            std::string::npos)
      << Fault->Message;
  EXPECT_NE(Fault->Message.find("s_barrier: waits"), std::string::npos)
      << Fault->Message;
}

TEST_F(WatchdogTest, ALongComputationIsLeftAlone) {
  // About half a second, in a loop whose length divides a power of two.
  load(R"(
    s_mov_b32 s5, 0
  loop:
    s_add_u32 s5, s5, 1
    s_nop 0
    s_cmp_lg_u32 s5, 0x2000000
    s_cbranch_scc1 loop
    s_endpgm
  )");
  runOk();
}

TEST_F(WatchdogTest, ProgressElsewhereCounts) {
  // Another dispatch goes on for three times the patience.
  load(R"(
    v_mov_b32 v1, 0
  loop:
    global_load_dword v2, v1, s[0:1]
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s5, v2
    s_cmp_lg_u32 s5, 1
    s_cbranch_scc1 loop
    s_endpgm
  )");
  std::atomic<bool> Ended{false};
  std::thread Other([&] {
    using namespace std::chrono;
    const auto Start = steady_clock::now();
    while (steady_clock::now() - Start < milliseconds(300) && !Ended) {
      emulator::Watchdog::noteProgress();
      std::this_thread::sleep_for(milliseconds(1));
    }
    __atomic_store_n(Data.as<uint32_t>(), 1, __ATOMIC_RELEASE);
  });
  auto Fault = run();
  Ended = true;
  Other.join();
  EXPECT_FALSE(Fault) << Fault->Message;
}

class ReportingWatchdogTest : public WatchdogTest {
protected:
  static inline std::vector<std::string> Reports;
  static inline uint32_t *Flag = nullptr;
  ReportingWatchdogTest() : WatchdogTest(reporting()) {
    Reports.clear();
    Flag = Data.as<uint32_t>();
  }
  static emulator::ShaderArray::Options reporting() {
    auto Opts = watched();
    Opts.WatchdogOnlyReports = true;
    Opts.Report = [](const std::string &Message) {
      Reports.push_back(Message);
      *Flag = 1;
    };
    return Opts;
  }
};

TEST_F(ReportingWatchdogTest, AReportedDispatchGoesOn) {
  load(R"(
    v_mov_b32 v1, 0
  loop:
    global_load_dword v2, v1, s[0:1]
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s5, v2
    s_cmp_eq_u32 s5, 0
    s_cbranch_scc1 loop
    s_endpgm
  )");
  runOk();
  EXPECT_EQ(Reports.size(), 1u);
}

class LimitedTest : public Machine {
protected:
  LimitedTest() : Machine(limited()) {}
  static emulator::ShaderArray::Options limited() {
    auto Opts = gfx90a();
    Opts.InstructionLimit = 100'000;
    return Opts;
  }
};

TEST_F(LimitedTest, InstructionsMayBeLimited) {
  load("s_mov_b32 s5, 0\n loop: s_add_u32 s5, s5, 1\n s_branch loop");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::NoProgress);
  EXPECT_GE(Counts.WaveInstructions, 100'000u);
  EXPECT_LT(Counts.WaveInstructions, 110'000u);
}

} // namespace
} // namespace luthier::test
