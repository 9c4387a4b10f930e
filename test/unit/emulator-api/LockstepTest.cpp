// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fixture.h"
#include <tuple>

namespace luthier::test {
namespace {

class LockstepApi : public ApiTest {
protected:
  ~LockstepApi() override {
    luthier_emu_execution_destroy(Instrumented);
    luthier_emu_device_destroy(Clone);
  }
  /// Five instructions, the third of which the other version has at its own
  /// place, behind \p Payload.
  luthier_emu_status compare(const std::string &Payload,
                             luthier_emu_difference *Difference = nullptr) {
    const uint64_t Data = allocate(256);
    const std::string Begin = "v_lshlrev_b32 v1, 2, v0\n v_mov_b32 v2, 3\n";
    const std::string End = "v_add_u32 v2, v2, v0\n"
                            "global_store_dword v1, v2, s[0:1]\n s_endpgm\n";
    auto Old = raw(Begin + End, Data),
         New = raw(Begin + Payload + "\n" + End, Data);
    EXPECT_EMU_OK(luthier_emu_clone(Device, &Clone));
    EXPECT_EMU_OK(luthier_emu_execution_create_raw(Device, &Old, &Execution));
    EXPECT_EMU_OK(luthier_emu_execution_create_raw(Clone, &New, &Instrumented));
    const uint64_t A = Old.entry_address, B = New.entry_address;
    const uint64_t Inserted = assemble(Payload).size();
    const luthier_emu_pc_pair Map[] = {{B, A},
                                       {B + 4, A + 4},
                                       {B + Inserted + 8, A + 8},
                                       {B + Inserted + 12, A + 12},
                                       {B + Inserted + 20, A + 20}};
    Options.map = Map;
    Options.map_count = 5;
    return luthier_emu_lockstep(Execution, Instrumented, &Options, Difference);
  }
  luthier_emu_device *Clone = nullptr;
  luthier_emu_execution *Instrumented = nullptr;
  luthier_emu_lockstep_options Options = sized<luthier_emu_lockstep_options>();
};

TEST_F(LockstepApi, PassesHarmlessPayload) {
  auto Outcome = sized<luthier_emu_difference>();
  EXPECT_EMU_OK(compare("s_mov_b32 s8, 1\n s_mov_b32 s9, 2", &Outcome));
  // In each wave five instructions are the original's.
  EXPECT_GT(Outcome.inserted, 0u);
  EXPECT_EQ(5 * Outcome.inserted, 2 * Outcome.compared);
}

TEST_F(LockstepApi, SaysWhereHarmWasDone) {
  auto Difference = sized<luthier_emu_difference>();
  EXPECT_EQ(compare("v_mov_b32 v2, 9", &Difference), LUTHIER_EMU_DIFFERENT);
  EXPECT_STREQ(Difference.kind, "register");
  EXPECT_STREQ(Difference.reg, "v2");
  EXPECT_EQ(Difference.lane, 0);
  EXPECT_EQ(Difference.original, 3u);
  EXPECT_EQ(Difference.instrumented, 9u);
  EXPECT_EQ(Difference.instrumented_pc, Difference.writer_pc + 4);
  EXPECT_EQ(error(), Difference.text);
  EXPECT_EQ(Difference.compared, 2u) << "the third one differs";
  EXPECT_EQ(Difference.inserted, 1u);
}

TEST_F(LockstepApi, AllowsWhatIsListed) {
  const luthier_emu_allowance Allowed = {0, UINT64_MAX, LUTHIER_EMU_VGPR, 2, 1};
  Options.allowances = &Allowed;
  Options.allowance_count = 1;
  auto Difference = sized<luthier_emu_difference>();
  EXPECT_EQ(compare("v_mov_b32 v2, 9", &Difference), LUTHIER_EMU_DIFFERENT);
  EXPECT_STREQ(Difference.kind, "memory") << "which is not";
}

TEST_F(LockstepApi, ClonesKeepMemoryOfTheirOwn) {
  constexpr uint64_t Address = 0x40000000000;
  std::vector<uint32_t> Host = {1, 2, 3};
  EXPECT_EMU_OK(luthier_emu_map(Device, Address, 12, Host.data()));
  const uint64_t Own = allocate(1 << 20);
  write<uint32_t>(Own + 5000, {7});
  load();
  EXPECT_EMU_OK(luthier_emu_clone(Device, &Clone));
  luthier_emu_code *Copy = nullptr;
  EXPECT_EMU_OK(luthier_emu_clone_code(Clone, Code, &Copy));
  Host[1] = 9;
  write<uint32_t>(Own + 5000, {8});
  uint32_t Word = 0;
  EXPECT_EMU_OK(luthier_emu_read(Clone, Address + 4, &Word, 4));
  EXPECT_EQ(Word, 2u);
  EXPECT_EMU_OK(luthier_emu_read(Clone, Own + 5000, &Word, 4));
  EXPECT_EQ(Word, 7u);
  uint64_t Here = 0, There = 0;
  EXPECT_EMU_OK(luthier_emu_symbol(Code, "variable", &Here, nullptr));
  EXPECT_EMU_OK(luthier_emu_symbol(Copy, "variable", &There, nullptr));
  EXPECT_EQ(Here, There);
  EXPECT_EMU_OK(luthier_emu_read(Clone, There, &Word, 4));
  EXPECT_EQ(Word, 42u);
  luthier_emu_unload(Copy);
}

/// By target and level of optimisation.
class CompiledLockstep
    : public ::testing::TestWithParam<std::tuple<const char *, const char *>> {
protected:
  /// The kernel against a second copy of itself.
  luthier_emu_status compare(uint64_t Seed, std::string &Text);
};

luthier_emu_status CompiledLockstep::compare(uint64_t Seed, std::string &Text) {
  const auto [Target, Level] = GetParam();
  std::ifstream File(std::string(COMPILED) + Target + "-" + Level + ".co",
                     std::ios::binary);
  const std::vector<char> Bytes{std::istreambuf_iterator<char>(File), {}};
  auto Options = sized<luthier_emu_device_options>();
  Options.target = Target;
  luthier_emu_device *A = nullptr, *B = nullptr;
  luthier_emu_code *Original = nullptr, *Copy = nullptr, *CopyOnB = nullptr;
  luthier_emu_execution *OldRun = nullptr, *NewRun = nullptr;
  luthier_emu_status Status = luthier_emu_device_create(&Options, &A);
  auto Then = [&](luthier_emu_status Next) {
    EXPECT_EQ(Next, LUTHIER_EMU_OK) << luthier_emu_error(A);
  };
  Then(Status);
  Then(luthier_emu_load(A, Bytes.data(), Bytes.size(), &Original));
  Then(luthier_emu_load(A, Bytes.data(), Bytes.size(), &Copy));
  uint64_t From = 0, To = 0, Size = 0, Data = 0;
  Then(luthier_emu_code_range(Original, &From, &Size));
  Then(luthier_emu_code_range(Copy, &To, nullptr));
  Then(luthier_emu_allocate(A, 4096, &Data));
  Then(luthier_emu_clone(A, &B));
  Then(luthier_emu_clone_code(B, Copy, &CopyOnB));
  std::vector<luthier_emu_pc_pair> Map;
  for (uint64_t N = 0; N < Size; N += 4)
    Map.push_back({To + N, From + N});
  struct {
    uint64_t Out;
    uint32_t Count;
  } Arguments{Data, 5};
  auto Launch = sized<luthier_emu_launch>();
  Launch.grid[0] = 250;
  Launch.workgroup[0] = 128;
  Launch.kernarg = &Arguments;
  Launch.kernarg_size = 12;
  Then(luthier_emu_execution_create(Original, "mix", &Launch, &OldRun));
  Then(luthier_emu_execution_create(CopyOnB, "mix", &Launch, &NewRun));
  auto How = sized<luthier_emu_lockstep_options>();
  How.map = Map.data();
  How.map_count = Map.size();
  How.seed = Seed;
  How.strict = "undefined,loads=earliest";
  Status = luthier_emu_lockstep(OldRun, NewRun, &How, nullptr);
  Text = luthier_emu_error(A);
  uint32_t First = 0;
  Then(luthier_emu_read(A, Data, &First, 4));
  EXPECT_NE(First, 0u) << "the kernel has stored nothing";
  luthier_emu_execution_destroy(OldRun);
  luthier_emu_execution_destroy(NewRun);
  luthier_emu_unload(CopyOnB);
  luthier_emu_unload(Copy);
  luthier_emu_unload(Original);
  luthier_emu_device_destroy(B);
  luthier_emu_device_destroy(A);
  return Status;
}

TEST_P(CompiledLockstep, FindsNothingBetweenEqualCopies) {
  for (uint64_t Seed = 0; Seed != 5; ++Seed) {
    std::string Text;
    EXPECT_EQ(compare(Seed, Text), LUTHIER_EMU_OK)
        << "seed " << Seed << ": " << Text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Target, CompiledLockstep,
    ::testing::Combine(::testing::Values("gfx90a", "gfx942", "gfx1030",
                                         "gfx1201"),
                       ::testing::Values("O0", "O2")),
    [](const auto &Info) {
      return std::string(std::get<0>(Info.param)) + std::get<1>(Info.param);
    });

} // namespace
} // namespace luthier::test
