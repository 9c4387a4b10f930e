// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What surrounds the instructions: launch state, counts, limits, barriers,
// scheduling, faults.
#include "Machine.h"
#include <algorithm>
#include <set>

namespace luthier::test {
namespace {

using emulator::ExecutionFault;
using Kind = ExecutionFault::Kind;

class DispatchTest : public Machine {
protected:
  uint32_t *words() { return Data.as<uint32_t>(); }
};

TEST_F(DispatchTest, CountsWavesAndLanes) {
  Request.GridSize = {100, 1, 1};
  load(R"(
    v_mov_b32 v1, 1           ; 64, 36
    s_nop 0                   ; 1
    s_waitcnt vmcnt(0)        ; 1
    v_readfirstlane_b32 s4, v1; 1
    v_writelane_b32 v1, s4, 0 ; 1
    s_mov_b64 exec, 7         ; 1
    v_add_u32 v1, v1, v1      ; 3
    ds_nop                    ; 3
    s_mov_b64 exec, 0         ; 1
    v_add_u32 v1, v1, v1      ; 0
    s_barrier                 ; 1
    s_endpgm                  ; 1
  )");
  runOk();
  EXPECT_EQ(Counts.WaveInstructions, 2u * 12);
  EXPECT_EQ(Counts.LaneInstructions, 64u + 36 + 2 * 14);
}

TEST_F(DispatchTest, ScalarRegistersComeInTheirFixedOrder) {
  Request.KernelCodeProperties = 0x7f;
  // 15 user registers, then ids, workgroup info.
  Request.ComputePgmRsrc2 = 15 << 1 | 7 << 7 | 1 << 10;
  Request.ScratchResource = {1, 2, 3, 4};
  Request.PacketAddress = 0x500000006;
  Request.QueueAddress = 0x700000008;
  Request.DispatchId = 0xb0000000c;
  Request.ScratchBase = 0xd0000000e;
  Request.PrivateSegmentSize = 15;
  Request.WorkgroupSize = {1, 1, 1};
  Request.GridSize = {1, 1, 1};
  std::string Source = "v_mov_b32 v1, 0\n";
  for (int N = 0; N != 19; ++N)
    Source +=
        "v_mov_b32 v2, s" + std::to_string(N) +
        "\n global_store_dword v1, v2, s[8:9] offset:" + std::to_string(4 * N) +
        "\n";
  load(Source + "s_endpgm");
  runOk();
  uint32_t Arg = uint32_t(Data.address()),
           ArgHigh = uint32_t(Data.address() >> 32);
  const uint32_t Want[] = {1,   2,   3,   4,   6,  5, 8, 7, Arg,       ArgHigh,
                           0xc, 0xb, 0xe, 0xd, 15, 0, 0, 0, 0x80000001};
  for (int N = 0; N != 19; ++N)
    EXPECT_EQ(words()[N], Want[N]) << "s" << N;
}

TEST_F(DispatchTest, WorkItemIdsArePackedAndGridsMayEndEarly) {
  Request.WorkgroupSize = {8, 4, 4};
  Request.GridSize = {20, 6, 5};
  // Counts visits to each work-item's global position.
  load(R"(
    v_and_b32 v1, 0x3ff, v0
    v_bfe_u32 v2, v0, 10, 10
    v_bfe_u32 v3, v0, 20, 10
    s_lshl_b32 s2, s2, 3
    s_lshl_b32 s3, s3, 2
    s_lshl_b32 s4, s4, 2
    v_add_u32 v1, s2, v1
    v_add_u32 v2, s3, v2
    v_add_u32 v3, s4, v3
    v_mul_u32_u24 v3, 6, v3
    v_add_u32 v2, v2, v3
    v_mul_u32_u24 v2, 20, v2
    v_add_lshl_u32 v1, v1, v2, 2
    v_mov_b32 v4, 1
    global_atomic_add v1, v4, s[0:1]
    s_endpgm
  )");
  runOk();
  for (unsigned N = 0; N != 20 * 6 * 5; ++N)
    EXPECT_EQ(words()[N], 1u) << N;
  EXPECT_EQ(words()[20 * 6 * 5], 0u);
}

/// A program that counts on zeroes, or on what another lane, wave or register
/// holds, shows it; and it does so again.
TEST_F(DispatchTest, RegistersStartWithGarbage) {
  Request.GridSize = {128, 1, 1};
  load(R"(
    s_lshl_b32 s2, s2, 10
    v_lshlrev_b32 v0, 2, v0
    v_add_u32 v0, s2, v0
    global_store_dword v0, v20, s[0:1]
    global_store_dword v0, v21, s[0:1] offset:256
    v_mov_b32 v1, s40
    global_store_dword v0, v1, s[0:1] offset:512
    s_endpgm
  )");
  runOk();
  const std::vector<uint32_t> First(words(), words() + 512);
  std::set<uint32_t> Vectors, Scalars;
  for (unsigned Group : {0u, 256u})
    for (unsigned N = 0; N != 192; ++N)
      (N < 128 ? Vectors : Scalars).insert(First[Group + N]);
  EXPECT_FALSE(Vectors.contains(0));
  EXPECT_FALSE(Scalars.contains(0));
  EXPECT_EQ(Vectors.size(), 2u * 128u);
  EXPECT_EQ(Scalars.size(), 2u);
  std::fill_n(words(), 512, 0u);
  runOk();
  EXPECT_EQ(std::vector<uint32_t>(words(), words() + 192),
            std::vector<uint32_t>(First.begin(), First.begin() + 192));
}

TEST_F(DispatchTest, BarriersOrderLds) {
  Request.WorkgroupSize = {1024, 1, 1};
  Request.GridSize = {4096, 1, 1};
  Request.GroupSegmentSize = 4096;
  // 56 registers, so that sixteen waves fit.
  Request.ComputePgmRsrc1 = (Request.ComputePgmRsrc1 & ~63u) | 6;
  Request.ComputePgmRsrc3 = 5;
  load(R"(
    v_lshlrev_b32 v1, 2, v0
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v2, 0xffc, v1
    ds_read_b32 v3, v2
    s_lshl_b32 s2, s2, 12
    v_add_u32 v1, s2, v1
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v3, s[0:1]
    s_endpgm
  )");
  runOk();
  for (unsigned N = 0; N != 4096; ++N)
    EXPECT_EQ(words()[N], 1023 - N % 1024);
}

TEST_F(DispatchTest, EndedWavesDoNotHoldABarrier) {
  Request.WorkgroupSize = {128, 1, 1};
  Request.GridSize = {128, 1, 1};
  load(R"(
    v_cmp_gt_u32 vcc, 64, v0
    s_cbranch_vccnz done
    s_barrier
  done:
    s_endpgm
  )");
  runOk();
  EXPECT_EQ(Counts.WaveInstructions, 3u + 4);
}

TEST_F(DispatchTest, WorkgroupsMayWaitForLaterOnes) {
  Request.WorkgroupSize = {64, 1, 1};
  Request.GridSize = {64 * 4, 1, 1};
  load(R"(
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    s_mov_b64 exec, 1
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc1 wait
    global_atomic_add v1, v2, s[0:1]
    s_endpgm
  wait:
    global_load_dword v3, v1, s[0:1] glc
    s_waitcnt vmcnt(0)
    v_cmp_ne_u32 vcc, 3, v3
    s_cbranch_vccnz wait
    s_endpgm
  )");
  runOk();
  EXPECT_EQ(words()[0], 3u);
}

TEST_F(DispatchTest, ReplacedCodeRunsAfterInvalidation) {
  const char *Store = R"(
    v_lshlrev_b32 v0, 2, v0
    global_store_dword v0, v1, s[0:1]
    s_endpgm
  )";
  for (uint32_t Value : {11u, 22u}) {
    load("v_mov_b32 v1, " + std::to_string(Value) + Store);
    runOk();
    EXPECT_EQ(words()[5], Value);
  }
}

TEST_F(DispatchTest, CodeMayCrossPages) {
  std::string Source = "v_mov_b32 v1, 0\n";
  for (int N = 0; N != 3000; ++N)
    Source += N % 2 ? "v_add_u32 v1, 1, v1\n" : "v_add3_u32 v1, v1, 1, 1\n";
  load(Source + "v_lshlrev_b32 v0, 2, v0\n"
                "global_store_dword v0, v1, s[0:1]\n s_endpgm");
  runOk();
  EXPECT_EQ(words()[63], 4500u);
  EXPECT_EQ(Counts.WaveInstructions, 3004u);
}

TEST_F(DispatchTest, RefusesWhatDoesNotFitAComputeUnit) {
  load("s_endpgm");
  auto Refused = [&] {
    auto Fault = run();
    return Fault && Fault->What == Kind::InvalidDispatch;
  };
  EXPECT_FALSE(Refused());
  Request.GroupSegmentSize = 64 * 1024 + 4;
  EXPECT_TRUE(Refused());
  Request.GroupSegmentSize = 0;
  Request.WorkgroupSize = {1024, 1, 1};
  EXPECT_FALSE(Refused()); // 128 registers: four waves to a SIMD
  Request.ComputePgmRsrc1 += 1;
  EXPECT_TRUE(Refused());
  Request.WorkgroupSize = {512, 4, 1};
  EXPECT_TRUE(Refused());
  Request.WorkgroupSize = {0, 1, 1};
  EXPECT_TRUE(Refused());
}

TEST_F(DispatchTest, RegistersBeyondTheAllocationFault) {
  for (const char *Instruction :
       {"v_mov_b32_e32 v64, 0", "v_accvgpr_read_b32 v0, a64",
        "s_mov_b32 s98, 0", "v_mov_b32_e32 v0, v100"}) {
    load(std::string(Instruction) + "\n s_endpgm");
    auto Fault = run();
    ASSERT_TRUE(Fault) << Instruction;
    EXPECT_EQ(Fault->What, Kind::InvalidDispatch);
    EXPECT_NE(Fault->Message.find(Instruction), std::string::npos)
        << Fault->Message;
  }
}

TEST_F(DispatchTest, UnknownOperationsAreNamed) {
  load("s_rfe_b64 s[0:1]\n s_endpgm");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::UnknownOperation);
  EXPECT_NE(Fault->Message.find("s_rfe"), std::string::npos);
  EXPECT_NE(Fault->Message.find("kernel"), std::string::npos);
  EXPECT_EQ(Fault->PC, Code.address());
}

TEST_F(DispatchTest, UndecodableCodeIsIllegal) {
  load("s_nop 0\n .long 0xffffffff\n s_endpgm");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::IllegalInstruction);
  EXPECT_EQ(Fault->PC, Code.address() + 4);
}

TEST_F(DispatchTest, TrapsEndTheDispatch) {
  load("s_trap 3\n s_trap 2\n s_endpgm");
  auto Fault = run();
  ASSERT_TRUE(Fault);
  EXPECT_EQ(Fault->What, Kind::Trap);
  EXPECT_EQ(Fault->PC, Code.address() + 4);
}

class InterruptTest : public Machine {
protected:
  InterruptTest() : Machine(withInterrupt()) {}
  emulator::ShaderArray::Options withInterrupt() {
    auto Opts = gfx90a();
    Opts.Interrupt = [this](uint32_t M0) { Seen.insert(M0); };
    return Opts;
  }
  std::set<uint32_t> Seen;
};

TEST_F(InterruptTest, MessagesCarryM0) {
  load("s_mov_b32 m0, 0x123\n s_sendmsg sendmsg(MSG_INTERRUPT)\n s_endpgm");
  runOk();
  EXPECT_EQ(Seen, std::set<uint32_t>{0x123});
}

/// Workgroups append their id to a list, which shows the order they ran in.
class OrderTest : public Machine {
protected:
  static emulator::ShaderArray::Options seeded(uint64_t Seed,
                                               unsigned Threads) {
    auto Opts = gfx90a();
    Opts.Seed = Seed;
    Opts.Threads = Threads;
    return Opts;
  }
  /// A dispatch gets more threads only when it takes a while.
  std::vector<uint32_t> order(uint64_t Seed, unsigned Threads = 1,
                              unsigned Loops = 0) {
    std::string Error;
    Device = emulator::ShaderArray::create(seeded(Seed, Threads), Space, Error);
    std::fill(Data.as<uint32_t>(), Data.as<uint32_t>() + 128, 0);
    Request.GridSize = {64 * 100, 1, 1};
    load("s_movk_i32 s3, " + std::to_string(Loops) + R"(
    again:
      s_sub_u32 s3, s3, 1
      s_cbranch_scc0 again
      s_mov_b64 exec, 1
      v_mov_b32 v1, 0
      v_mov_b32 v2, 1
      global_atomic_add v3, v1, v2, s[0:1] glc
      s_waitcnt vmcnt(0)
      v_lshlrev_b32 v3, 2, v3
      v_mov_b32 v4, s2
      global_store_dword v3, v4, s[0:1] offset:4
      s_endpgm
    )");
    runOk();
    auto *Words = Data.as<uint32_t>();
    EXPECT_EQ(Words[0], 100u);
    return {Words + 1, Words + 101};
  }
};

TEST_F(OrderTest, SeedsGiveRepeatableOrders) {
  auto Natural = order(0);
  for (uint32_t N = 0; N != 100; ++N)
    EXPECT_EQ(Natural[N], N);
  EXPECT_EQ(order(7), order(7));
  EXPECT_NE(order(7), order(8));
  auto Shuffled = order(9);
  EXPECT_NE(Shuffled, Natural);
  std::sort(Shuffled.begin(), Shuffled.end());
  EXPECT_EQ(Shuffled, Natural);
}

TEST_F(OrderTest, ThreadsShareTheWork) {
  for (unsigned Loops : {0, 1000}) {
    auto Parallel = order(0, 4, Loops);
    EXPECT_EQ(Counts.WaveInstructions, 100 * (12 + 2 * Loops));
    std::sort(Parallel.begin(), Parallel.end());
    for (uint32_t N = 0; N != 100; ++N)
      EXPECT_EQ(Parallel[N], N);
  }
}

/// Each thread has room for its share of what the device holds.
TEST_F(OrderTest, ThreadsStartForWorkgroupsThatOthersWaitFor) {
  std::string Error;
  auto Opts = seeded(0, 2);
  Opts.ComputeUnits = 4;
  Opts.WatchdogNanoseconds = 60'000'000'000;
  Device = emulator::ShaderArray::create(Opts, Space, Error);
  std::fill_n(Data.as<uint32_t>(), 4, 0);
  Request.GridSize = {64 * 4, 1, 1};
  Request.GroupSegmentSize = 64 * 1024;
  load(R"(
    s_mov_b64 exec, 1
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    global_atomic_add v1, v2, s[0:1]
  wait:
    s_sleep 1
    global_load_dword v3, v1, s[0:1] glc
    s_waitcnt vmcnt(0)
    v_cmp_ne_u32 vcc, 4, v3
    s_cbranch_vccnz wait
    s_endpgm
  )");
  runOk();
  EXPECT_EQ(Data.as<uint32_t>()[0], 4u);
}

/// As libraries' solvers do, which rely on workgroups starting in order.
class ChainTest : public OrderTest {
protected:
  /// Each of many workgroups waits for the one before, and there is room for
  /// few of them at a time.
  void runChain(emulator::ShaderArray::Options Opts) {
    constexpr unsigned NumGroups = 40;
    std::string Error;
    Opts.ComputeUnits = 4; // Each has room for one.
    Device = emulator::ShaderArray::create(Opts, Space, Error);
    std::fill_n(Data.as<uint32_t>(), NumGroups + 1, 0);
    Data.as<uint32_t>()[0] = 1;
    Request.GridSize = {64 * NumGroups, 1, 1};
    Request.GroupSegmentSize = 64 * 1024;
    load(R"(
      s_mov_b64 exec, 1
      s_lshl_b32 s2, s2, 2
      v_mov_b32 v1, s2
      v_mov_b32 v2, 1
    wait:
      s_sleep 1
      global_load_dword v3, v1, s[0:1] glc
      s_waitcnt vmcnt(0)
      v_cmp_eq_u32 vcc, 0, v3
      s_cbranch_vccnz wait
      global_store_dword v1, v2, s[0:1] offset:4
      s_endpgm
    )");
    runOk();
    EXPECT_EQ(std::count(Data.as<uint32_t>(),
                         Data.as<uint32_t>() + NumGroups + 1, 1u),
              NumGroups + 1);
  }
};

TEST_F(ChainTest, WorkgroupsMayWaitForThoseBeforeThemUnderAllSeeds) {
  for (uint64_t Seed = 0; Seed <= 20; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    auto Opts = seeded(Seed, 1);
    Opts.InstructionLimit = 1'000'000;
    runChain(Opts);
  }
}

TEST_F(ChainTest, WorkgroupsMayWaitForThoseOfOtherThreadsUnderAllSeeds) {
  for (unsigned Threads : {2, 4})
    for (uint64_t Seed = 0; Seed <= 5; ++Seed) {
      SCOPED_TRACE("seed " + std::to_string(Seed) + ", " +
                   std::to_string(Threads) + " threads");
      auto Opts = seeded(Seed, Threads);
      Opts.WatchdogNanoseconds = 60'000'000'000;
      runChain(Opts);
    }
}

TEST(ShaderArrayTest, RefusesUnknownProcessors) {
  emulator::AddressSpace Space;
  emulator::ShaderArray::Options Opts;
  Opts.Processor = "gfx1234";
  std::string Error;
  EXPECT_FALSE(emulator::ShaderArray::create(Opts, Space, Error));
  EXPECT_NE(Error.find("gfx1234"), std::string::npos);
}

} // namespace
} // namespace luthier::test
