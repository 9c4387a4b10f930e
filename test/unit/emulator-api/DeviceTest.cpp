// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fixture.h"
#include "HeaderIsC.h"
#include <cstring>

namespace luthier::test {
namespace {

TEST(EmulatorHeader, WorksFromC) {
  std::vector<uint8_t> Code = assemble(R"(
    s_lshl_b32 s2, s2, 6
    v_add_u32 v0, s2, v0
    v_lshlrev_b32 v0, 2, v0
    global_load_dword v1, v0, s[0:1]
    s_waitcnt vmcnt(0)
    v_add_u32 v1, v1, v1
    global_store_dword v0, v1, s[0:1]
    s_endpgm)");
  std::vector<uint32_t> Data(150);
  for (uint32_t N = 0; N != Data.size(); ++N)
    Data[N] = N;
  ASSERT_EQ(
      double_in_c(Data.data(), uint32_t(Data.size()), Code.data(), Code.size()),
      LUTHIER_EMU_OK);
  for (uint32_t N = 0; N != Data.size(); ++N)
    EXPECT_EQ(Data[N], 2 * N);
}

TEST(EmulatorDevice, UnknownTargetsListTheKnownOnes) {
  auto Options = sized<luthier_emu_device_options>();
  Options.target = "gfx9000";
  luthier_emu_device *Device = nullptr;
  EXPECT_EQ(luthier_emu_device_create(&Options, &Device),
            LUTHIER_EMU_UNKNOWN_TARGET);
  EXPECT_EQ(Device, nullptr);
  const std::string Error = luthier_emu_error(nullptr);
  EXPECT_NE(Error.find("'gfx9000' is not emulated"), std::string::npos);
  for (uint32_t N = 0; luthier_emu_target(N); ++N)
    EXPECT_NE(Error.find(luthier_emu_target(N)), std::string::npos);
  Options.target = nullptr;
  EXPECT_EQ(luthier_emu_device_create(&Options, &Device),
            LUTHIER_EMU_INVALID_ARGUMENT);
}

TEST_F(ApiTest, MemoryIsMappedOnceAndTakenBack) {
  constexpr uint64_t Address = 0x40000000000;
  std::vector<uint32_t> Host(16, 5);
  EXPECT_EMU_OK(luthier_emu_map(Device, Address, 64, Host.data()));
  EXPECT_EQ(luthier_emu_map(Device, Address + 60, 64, Host.data()),
            LUTHIER_EMU_OVERLAP);
  EXPECT_EQ(read<uint32_t>(Address + 60, 1)[0], 5u);
  write<uint32_t>(Address, {9});
  EXPECT_EQ(Host[0], 9u);
  std::vector<uint32_t> More(17);
  EXPECT_EQ(luthier_emu_read(Device, Address, More.data(), 68),
            LUTHIER_EMU_UNMAPPED);
  EXPECT_EMU_OK(luthier_emu_unmap(Device, Address));
  EXPECT_EQ(luthier_emu_unmap(Device, Address), LUTHIER_EMU_NOT_FOUND);
  EXPECT_EQ(luthier_emu_read(Device, Address, More.data(), 4),
            LUTHIER_EMU_UNMAPPED);
}

TEST_F(ApiTest, AllocationsAreZeroApartAndRepeatable) {
  const uint64_t First = allocate(100), Second = allocate(100);
  EXPECT_EQ(First, LUTHIER_EMU_ALLOCATION_BASE);
  EXPECT_GT(Second, First + 100);
  EXPECT_EQ(read<uint8_t>(First, 100), std::vector<uint8_t>(100));
  uint8_t Byte;
  EXPECT_EQ(luthier_emu_read(Device, First + 100, &Byte, 1),
            LUTHIER_EMU_UNMAPPED);
  EXPECT_EMU_OK(luthier_emu_free(Device, First));
  EXPECT_EQ(luthier_emu_free(Device, First), LUTHIER_EMU_NOT_FOUND);
}

TEST_F(ApiTest, CountsWavesAndLanesOfEachInstruction) {
  auto Launch = raw(R"(
    v_cmp_gt_u32 vcc, 8, v0
    s_and_saveexec_b64 s[4:5], vcc
    v_mov_b32 v1, 0
    s_mov_b32 s6, 3
  loop:
    v_add_u32 v1, 1, v1
    s_sub_u32 s6, s6, 1
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 loop
    s_endpgm)",
                    0);
  Launch.grid[0] = 96;
  EXPECT_EMU_OK(luthier_emu_dispatch_raw(Device, &Launch, nullptr));
  std::vector<luthier_emu_count> Counts(32);
  size_t Count = 0;
  EXPECT_EMU_OK(luthier_emu_counts(Device, Counts.data(), 32, &Count));
  ASSERT_EQ(Count, 9u);
  EXPECT_EQ(Counts[0].pc, Launch.entry_address);
  EXPECT_EQ(Counts[0].waves, 2u);
  EXPECT_EQ(Counts[0].lanes, 96u);
  EXPECT_EQ(Counts[1].lanes, 2u) << "one for each scalar operation";
  EXPECT_EQ(Counts[4].waves, 6u);
  EXPECT_EQ(Counts[4].lanes, 3 * 2 * 8u);
  EXPECT_STREQ(luthier_emu_disassemble(Device, Counts[4].pc, 64),
               "v_add_u32_e32 v1, 1, v1");
  EXPECT_EMU_OK(luthier_emu_clear_counts(Device));
  EXPECT_EMU_OK(luthier_emu_counts(Device, nullptr, 0, &Count));
  EXPECT_EQ(Count, 0u);
}

TEST(EmulatorDevice, SeveralThreadsGiveTheSameResults) {
  const std::vector<char> Bytes = codeObject(5);
  std::vector<uint32_t> In(5000), Out[2];
  for (uint32_t N = 0; N != In.size(); ++N)
    In[N] = N * N;
  for (uint32_t Run = 0; Run != 2; ++Run) {
    Out[Run].resize(In.size());
    auto Options = sized<luthier_emu_device_options>();
    Options.target = "gfx90a";
    Options.threads = 1 + 3 * Run;
    luthier_emu_device *Device;
    ASSERT_EQ(luthier_emu_device_create(&Options, &Device), LUTHIER_EMU_OK);
    luthier_emu_code *Code;
    ASSERT_EQ(luthier_emu_load(Device, Bytes.data(), Bytes.size(), &Code),
              LUTHIER_EMU_OK);
    struct {
      uint32_t *Out, *In;
      uint32_t Value;
    } Arguments{Out[Run].data(), In.data(), 7};
    for (uint32_t *Host : {Arguments.Out, Arguments.In})
      EXPECT_EQ(luthier_emu_map(Device, reinterpret_cast<uint64_t>(Host),
                                In.size() * 4, Host),
                LUTHIER_EMU_OK);
    auto Launch = sized<luthier_emu_launch>();
    Launch.grid[0] = uint32_t(In.size());
    Launch.workgroup[0] = 64;
    Launch.kernarg = &Arguments;
    Launch.kernarg_size = 20;
    EXPECT_EQ(luthier_emu_dispatch(Code, "add", &Launch, nullptr),
              LUTHIER_EMU_OK)
        << luthier_emu_error(Device);
    luthier_emu_unload(Code);
    luthier_emu_device_destroy(Device);
  }
  EXPECT_EQ(Out[0], Out[1]);
  EXPECT_EQ(Out[0][4999], 4999u * 4999 + 7);
}

TEST(EmulatorDevice, StrictModeListsWhatItFound) {
  auto Options = sized<luthier_emu_device_options>();
  Options.target = "gfx90a";
  Options.strict = "often";
  luthier_emu_device *Device = nullptr;
  EXPECT_EQ(luthier_emu_device_create(&Options, &Device),
            LUTHIER_EMU_INVALID_ARGUMENT);
  Options.strict = "undefined";
  ASSERT_EQ(luthier_emu_device_create(&Options, &Device), LUTHIER_EMU_OK);
  const std::vector<uint8_t> Bytes = assemble(R"(
    s_cmp_eq_u32 s20, 0
    s_cbranch_scc1 end
    s_nop 0
  end:
    s_endpgm)");
  auto Launch = sized<luthier_emu_raw_launch>();
  Launch.vgprs = 4;
  Launch.sgprs = 32;
  EXPECT_EQ(luthier_emu_load_raw(Device, Bytes.data(), Bytes.size(),
                                 &Launch.entry_address),
            LUTHIER_EMU_OK);
  EXPECT_EQ(luthier_emu_dispatch_raw(Device, &Launch, nullptr),
            LUTHIER_EMU_VIOLATION);
  ASSERT_EQ(luthier_emu_violation_count(Device), 1u);
  auto Violation = sized<luthier_emu_violation>();
  ASSERT_EQ(luthier_emu_violation_at(Device, 0, &Violation), LUTHIER_EMU_OK);
  EXPECT_STREQ(Violation.rule, "uninitialised-branch");
  EXPECT_STREQ(Violation.kernel, "raw code");
  EXPECT_EQ(Violation.pc, Launch.entry_address + 4);
  EXPECT_EQ(Violation.wave, 0u);
  EXPECT_NE(std::string(Violation.text).find("uninitialised-branch"),
            std::string::npos)
      << Violation.text;
  luthier_emu_clear_violations(Device);
  EXPECT_EQ(luthier_emu_violation_count(Device), 0u);
  luthier_emu_device_destroy(Device);
}

TEST(EmulatorDevice, ViolationsThatStopNothingShowAtTheEndOfARun) {
  auto Options = sized<luthier_emu_device_options>();
  Options.target = "gfx90a";
  Options.strict = "undefined,continue";
  luthier_emu_device *Device = nullptr;
  ASSERT_EQ(luthier_emu_device_create(&Options, &Device), LUTHIER_EMU_OK);
  const std::vector<uint8_t> Bytes = assemble(R"(
    s_cmp_eq_u32 s20, 0
    s_cbranch_scc1 end
    s_nop 0
  end:
    s_endpgm)");
  auto Launch = sized<luthier_emu_raw_launch>();
  Launch.vgprs = 4;
  Launch.sgprs = 32;
  ASSERT_EQ(luthier_emu_load_raw(Device, Bytes.data(), Bytes.size(),
                                 &Launch.entry_address),
            LUTHIER_EMU_OK);
  luthier_emu_execution *Execution = nullptr;
  ASSERT_EQ(luthier_emu_execution_create_raw(Device, &Launch, &Execution),
            LUTHIER_EMU_OK);
  const uint64_t End = Launch.entry_address + Bytes.size() - 4;
  uint64_t Wave = 0;
  EXPECT_EQ(luthier_emu_run_until(Execution, &End, 1, &Wave), LUTHIER_EMU_OK);
  EXPECT_EQ(luthier_emu_violation_count(Device), 1u);
  // Whether the list was emptied meanwhile does not matter.
  luthier_emu_clear_violations(Device);
  EXPECT_EQ(luthier_emu_run_until(Execution, nullptr, 0, &Wave),
            LUTHIER_EMU_VIOLATION);
  luthier_emu_execution_destroy(Execution);
  luthier_emu_device_destroy(Device);
}

TEST(EmulatorDevice, LaunchWithoutItsSizeIsRefused) {
  auto Options = sized<luthier_emu_device_options>();
  Options.target = "gfx90a";
  luthier_emu_device *Device = nullptr;
  ASSERT_EQ(luthier_emu_device_create(&Options, &Device), LUTHIER_EMU_OK);
  luthier_emu_raw_launch Launch{};
  EXPECT_EQ(luthier_emu_dispatch_raw(Device, &Launch, nullptr),
            LUTHIER_EMU_INVALID_ARGUMENT);
  EXPECT_NE(std::string(luthier_emu_error(Device)).find("struct_size"),
            std::string::npos);
  luthier_emu_device_destroy(Device);
}

/// By target and wave size.
class Targets : public ::testing::TestWithParam<const char *> {};

TEST_P(Targets, RunRawCodeInBothWaveSizes) {
  const std::string Target = GetParam();
  const bool HasBoth = Target.starts_with("gfx1");
  for (unsigned WaveSize : {32u, 64u}) {
    auto Options = sized<luthier_emu_device_options>();
    Options.target = Target.c_str();
    luthier_emu_device *Device;
    ASSERT_EQ(luthier_emu_device_create(&Options, &Device), LUTHIER_EMU_OK);
    const std::vector<uint8_t> Bytes =
        assemble(R"(
      v_mov_b32 v1, 1
      v_mbcnt_lo_u32_b32 v2, -1, 0
      v_mbcnt_hi_u32_b32 v2, -1, v2
      s_endpgm)",
                 Target, HasBoth ? WaveSize : 64);
    auto Launch = sized<luthier_emu_raw_launch>();
    Launch.vgprs = 4;
    Launch.sgprs = 16;
    Launch.wave_size = WaveSize;
    Launch.grid[0] = Launch.workgroup[0] = WaveSize;
    EXPECT_EQ(luthier_emu_load_raw(Device, Bytes.data(), Bytes.size(),
                                   &Launch.entry_address),
              LUTHIER_EMU_OK);
    luthier_emu_execution *E = nullptr;
    luthier_emu_status Status =
        luthier_emu_execution_create_raw(Device, &Launch, &E);
    if (WaveSize == 32 && !HasBoth) {
      EXPECT_EQ(Status, LUTHIER_EMU_REFUSED);
    } else {
      ASSERT_EQ(Status, LUTHIER_EMU_OK) << luthier_emu_error(Device);
      EXPECT_EQ(luthier_emu_run(E, nullptr), LUTHIER_EMU_OK);
      uint32_t Last = 0;
      EXPECT_EQ(luthier_emu_read_vector(E, 0, LUTHIER_EMU_VGPR, 2, WaveSize - 1,
                                        1, &Last),
                LUTHIER_EMU_OK);
      EXPECT_EQ(Last, WaveSize - 1);
      EXPECT_EQ(luthier_emu_read_vector(E, 0, LUTHIER_EMU_VGPR, 2, WaveSize, 1,
                                        &Last),
                LUTHIER_EMU_INVALID_ARGUMENT);
    }
    luthier_emu_execution_destroy(E);
    luthier_emu_device_destroy(Device);
  }
}

std::vector<const char *> allTargets() {
  std::vector<const char *> Names;
  for (uint32_t N = 0; luthier_emu_target(N); ++N)
    Names.push_back(luthier_emu_target(N));
  return Names;
}
INSTANTIATE_TEST_SUITE_P(Every, Targets, ::testing::ValuesIn(allTargets()));

} // namespace
} // namespace luthier::test
