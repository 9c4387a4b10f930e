// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fixture.h"

namespace luthier::test {
namespace {

class Step : public ApiTest {
protected:
  explicit Step(const char *Target = "gfx90a") : ApiTest(Target) {}
  void create(const luthier_emu_raw_launch &Launch) {
    Entry = Launch.entry_address;
    ASSERT_EQ(luthier_emu_execution_create_raw(Device, &Launch, &Execution),
              LUTHIER_EMU_OK)
        << error();
  }
  luthier_emu_wave_info info(uint64_t Wave) {
    auto Info = sized<luthier_emu_wave_info>();
    EXPECT_EMU_OK(luthier_emu_wave(Execution, Wave, &Info));
    return Info;
  }
  uint64_t step(uint64_t Wave, uint64_t Count) {
    uint64_t Executed = 0;
    EXPECT_EMU_OK(luthier_emu_step(Execution, Wave, Count, &Executed));
    return Executed;
  }
  uint64_t Entry = 0;
};

TEST_F(Step, OneInstructionAtATime) {
  create(raw(R"(
    s_mov_b32 s4, 7
    s_cmp_eq_u32 s4, 7
    v_mov_b32 v3, s4
    s_mov_b64 exec, 5
    s_mov_b32 m0, 9
    s_endpgm)",
             0x123456789abc));
  EXPECT_EQ(scalar(0, LUTHIER_EMU_SGPR, 0), 0x56789abcu);
  EXPECT_EQ(scalar(0, LUTHIER_EMU_SGPR, 1), 0x1234u);
  EXPECT_EQ(scalar(0, LUTHIER_EMU_EXEC), ~uint64_t(0));
  EXPECT_EQ(step(0, 1), 1u);
  EXPECT_EQ(scalar(0, LUTHIER_EMU_SGPR, 4), 7u);
  EXPECT_EQ(scalar(0, LUTHIER_EMU_PC), Entry + 4);
  EXPECT_EQ(step(0, 2), 2u);
  EXPECT_EQ(scalar(0, LUTHIER_EMU_SCC), 1u);
  uint32_t Lanes[64];
  EXPECT_EMU_OK(
      luthier_emu_read_vector(Execution, 0, LUTHIER_EMU_VGPR, 3, 0, 64, Lanes));
  EXPECT_EQ(Lanes[63], 7u);
  EXPECT_EQ(step(0, 1), 1u);
  EXPECT_EQ(scalar(0, LUTHIER_EMU_EXEC), 5u);
  EXPECT_EQ(info(0).state, LUTHIER_EMU_WAVE_READY);
  EXPECT_EQ(step(0, 100), 2u) << "to its end";
  EXPECT_EQ(scalar(0, LUTHIER_EMU_M0), 9u);
  EXPECT_EQ(info(0).state, LUTHIER_EMU_WAVE_ENDED);
  EXPECT_EQ(info(0).wave_instructions, 6u);
  EXPECT_EQ(step(0, 1), 0u);
}

TEST_F(Step, WavesMeetAtBarriers) {
  auto Launch = raw(R"(
    s_nop 0
    s_barrier
    s_endpgm)",
                    0);
  Launch.grid[0] = Launch.workgroup[0] = 128;
  create(Launch);
  EXPECT_EQ(step(0, 10), 2u);
  EXPECT_EQ(info(0).state, LUTHIER_EMU_WAVE_AT_BARRIER);
  EXPECT_EQ(step(0, 10), 0u);
  EXPECT_EQ(step(1, 2), 2u);
  EXPECT_EQ(info(0).state, LUTHIER_EMU_WAVE_READY);
  EXPECT_EQ(step(0, 10), 1u);
  EXPECT_EQ(info(0).state, LUTHIER_EMU_WAVE_ENDED);
}

class StepOnGfx12 : public Step {
protected:
  StepOnGfx12() : Step("gfx1201") {}
};

TEST_F(StepOnGfx12, WavesMeetAtSplitBarriers) {
  auto Launch = raw(R"(
    s_barrier_signal -1
    s_barrier_wait -1
    s_barrier_signal -1
    s_barrier_wait -1
    s_endpgm)",
                    0, "gfx1201", 32);
  Launch.grid[0] = Launch.workgroup[0] = 64;
  create(Launch);
  EXPECT_EQ(step(0, 10), 2u);
  EXPECT_EQ(info(0).state, LUTHIER_EMU_WAVE_AT_BARRIER);
  EXPECT_EQ(step(0, 10), 0u);
  EXPECT_EQ(step(1, 1), 1u) << "the signal is what counts";
  EXPECT_EQ(step(0, 10), 2u);
  EXPECT_EQ(info(0).state, LUTHIER_EMU_WAVE_AT_BARRIER);
  EXPECT_EQ(step(1, 10), 4u) << "it has passed the first already";
  EXPECT_EQ(info(1).state, LUTHIER_EMU_WAVE_ENDED);
  EXPECT_EQ(step(0, 10), 1u);
  EXPECT_EQ(info(0).state, LUTHIER_EMU_WAVE_ENDED);
}

TEST_F(StepOnGfx12, WavesThatWaitForNobodyAreADeadlock) {
  auto Launch = raw(R"(
    s_nop 0
    s_barrier_wait -1
    s_endpgm)",
                    0, "gfx1201", 32);
  EXPECT_EQ(luthier_emu_dispatch_raw(Device, &Launch, nullptr),
            LUTHIER_EMU_DEADLOCK);
  EXPECT_NE(error().find("all waves wait for one another"), std::string::npos)
      << error();
  create(Launch);
  uint64_t Wave = 0;
  EXPECT_EQ(luthier_emu_run_until(Execution, nullptr, 0, &Wave),
            LUTHIER_EMU_DEADLOCK);
  EXPECT_EQ(info(0).state, LUTHIER_EMU_WAVE_AT_BARRIER);
}

TEST_F(Step, ChangedStateIsWhatRunsOn) {
  const uint64_t Data = allocate(256);
  auto Launch = raw(R"(
    v_lshlrev_b32 v1, 2, v0
    s_nop 0
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    v_add_u32 v2, s8, v2
    global_store_dword v1, v2, s[0:1]
    s_endpgm)",
                    Data);
  Launch.lds_size = 256;
  create(Launch);
  EXPECT_EQ(step(0, 2), 2u);
  std::vector<uint32_t> Lds(64);
  for (uint32_t N = 0; N != 64; ++N)
    Lds[N] = 100 * N;
  EXPECT_EMU_OK(luthier_emu_write_lds(Execution, 0, 0, 256, Lds.data()));
  EXPECT_EQ(luthier_emu_write_lds(Execution, 0, 4, 256, Lds.data()),
            LUTHIER_EMU_INVALID_ARGUMENT);
  EXPECT_EMU_OK(luthier_emu_write_scalar(Execution, 0, LUTHIER_EMU_SGPR, 8, 5));
  EXPECT_EMU_OK(
      luthier_emu_write_scalar(Execution, 0, LUTHIER_EMU_EXEC, 0, 0xff));
  const uint32_t Address = 3 * 4;
  EXPECT_EMU_OK(luthier_emu_write_vector(Execution, 0, LUTHIER_EMU_VGPR, 1, 0,
                                         1, &Address));
  EXPECT_EMU_OK(luthier_emu_run(Execution, nullptr));
  const auto Out = read<uint32_t>(Data, 64);
  EXPECT_EQ(Out[0], 0u) << "lane 0 stored elsewhere";
  for (uint32_t N = 1; N != 8; ++N)
    EXPECT_EQ(Out[N], 100 * N + 5);
  EXPECT_EQ(Out[8], 0u) << "inactive";
  std::vector<uint32_t> Seen(64);
  EXPECT_EMU_OK(luthier_emu_read_lds(Execution, 0, 0, 256, Seen.data()));
  EXPECT_EQ(Seen, Lds);
}

TEST_F(Step, RunsUntilAnAddress) {
  auto Launch = raw(R"(
    s_mov_b32 s4, 3
  loop:
    s_sub_u32 s4, s4, 1
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 loop
    s_endpgm)",
                    0);
  Launch.grid[0] = 128;
  create(Launch);
  const uint64_t Loop = Entry + 4;
  for (uint64_t Left : {3, 2, 1}) {
    uint64_t Wave = 99;
    EXPECT_EMU_OK(luthier_emu_run_until(Execution, &Loop, 1, &Wave));
    EXPECT_EQ(Wave, 0u);
    EXPECT_EQ(scalar(0, LUTHIER_EMU_PC), Loop);
    EXPECT_EQ(scalar(0, LUTHIER_EMU_SGPR, 4), Left);
  }
  uint64_t Wave = 99;
  EXPECT_EMU_OK(luthier_emu_run_until(Execution, &Loop, 1, &Wave));
  EXPECT_EQ(Wave, 1u);
  for (unsigned N = 0; N != 3; ++N)
    EXPECT_EMU_OK(luthier_emu_run_until(Execution, &Loop, 1, &Wave));
  EXPECT_EQ(Wave, UINT64_MAX) << "all have ended";
}

TEST_F(Step, WorkgroupsStartWhenOthersMakeRoom) {
  auto Launch = raw("s_endpgm", 0);
  Launch.lds_size = 64 << 10;
  Launch.grid[0] = 64 * 10;
  create(Launch);
  EXPECT_EQ(luthier_emu_wave_count(Execution), 10u);
  EXPECT_EQ(info(7).state, LUTHIER_EMU_WAVE_READY);
  EXPECT_EQ(info(8).state, LUTHIER_EMU_WAVE_WAITING_FOR_ROOM);
  uint64_t Executed;
  EXPECT_EQ(luthier_emu_step(Execution, 8, 1, &Executed),
            LUTHIER_EMU_NOT_FOUND);
  EXPECT_EQ(error(), "wave 8 has not started");
  EXPECT_EQ(step(2, 1), 1u);
  EXPECT_EQ(info(8).state, LUTHIER_EMU_WAVE_READY);
  EXPECT_EQ(info(8).workgroup[0], 8u);
  EXPECT_EQ(info(2).state, LUTHIER_EMU_WAVE_FORGOTTEN);
  auto Stats = sized<luthier_emu_stats>();
  EXPECT_EMU_OK(luthier_emu_run(Execution, &Stats));
  EXPECT_EQ(Stats.wave_instructions, 10u);
}

TEST_F(Step, AFaultedWaveStaysWhereItIs) {
  create(raw(R"(
    s_mov_b64 s[4:5], 0
    s_load_dword s6, s[4:5], 0x10
    s_endpgm)",
             0));
  uint64_t Executed = 0;
  EXPECT_EQ(luthier_emu_step(Execution, 0, 10, &Executed), LUTHIER_EMU_FAULT);
  EXPECT_EQ(info(0).state, LUTHIER_EMU_WAVE_FAULTED);
  EXPECT_EQ(scalar(0, LUTHIER_EMU_PC), Entry + 4);
  EXPECT_NE(error().find("s_load_dword"), std::string::npos);
}

} // namespace
} // namespace luthier::test
