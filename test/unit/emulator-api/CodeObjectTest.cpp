// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fixture.h"

namespace luthier::test {
namespace {

/// By code object version.
class CodeObjects : public ApiTest,
                    public ::testing::WithParamInterface<unsigned> {
protected:
  CodeObjects() { load(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Version, CodeObjects, ::testing::Values(4u, 5u, 6u));

TEST_P(CodeObjects, RunAKernelWithItsArguments) {
  constexpr uint32_t Count = 200;
  std::vector<uint32_t> In(Count);
  for (uint32_t N = 0; N != Count; ++N)
    In[N] = 3 * N;
  struct {
    uint64_t Out, In;
    uint32_t Value;
  } Arguments{allocate(Count * 4), allocate(Count * 4), 7};
  write(Arguments.In, In);
  auto Launch = sized<luthier_emu_launch>();
  Launch.grid[0] = Count;
  Launch.workgroup[0] = 64;
  Launch.kernarg = &Arguments;
  Launch.kernarg_size = 20;
  auto Stats = sized<luthier_emu_stats>();
  EXPECT_EMU_OK(luthier_emu_dispatch(Code, "add", &Launch, &Stats));
  std::vector<uint32_t> Out = read<uint32_t>(Arguments.Out, Count);
  for (uint32_t N = 0; N != Count; ++N)
    ASSERT_EQ(Out[N], 3 * N + 7);
  EXPECT_EQ(Stats.wave_instructions, 4 * 18u);
}

TEST_P(CodeObjects, HaveHiddenArgumentsAndRelocatedPointers) {
  const uint64_t Out = allocate(32);
  auto Launch = sized<luthier_emu_launch>();
  Launch.grid[0] = 150;
  Launch.grid[1] = 3;
  Launch.workgroup[0] = 64;
  Launch.kernarg = &Out;
  Launch.kernarg_size = 8;
  Launch.dynamic_lds = 512;
  EXPECT_EMU_OK(luthier_emu_dispatch(Code, "hidden", &Launch, nullptr));
  const auto Words = read<uint32_t>(Out, 8);
  EXPECT_EQ(Words[0], 2u) << "complete workgroups";
  EXPECT_EQ(Words[1], 3u);
  EXPECT_EQ(Words[2], 1u);
  EXPECT_EQ(Words[3], 64u | 22u << 16) << "size and remainder";
  EXPECT_EQ(Words[4], 2u) << "axes";
  EXPECT_EQ(Words[5], 512u);
  const uint64_t Pointer = Words[6] | uint64_t(Words[7]) << 32;
  uint64_t Variable = 0, Size = 0;
  EXPECT_EMU_OK(luthier_emu_symbol(Code, "variable", &Variable, &Size));
  EXPECT_EQ(Pointer, Variable);
  EXPECT_EQ(Size, 4u);
  EXPECT_EQ(read<uint32_t>(Variable, 1)[0], 42u);
}

TEST_P(CodeObjects, GetScratchMemory) {
  const uint64_t Out = allocate(128 * 8);
  auto Launch = sized<luthier_emu_launch>();
  Launch.grid[0] = Launch.workgroup[0] = 64;
  Launch.kernarg = &Out;
  Launch.kernarg_size = 8;
  EXPECT_EMU_OK(luthier_emu_dispatch(Code, "scratch", &Launch, nullptr));
  const auto Words = read<uint32_t>(Out, 128);
  for (uint32_t N = 0; N != 64; ++N) {
    ASSERT_EQ(Words[2 * N], N);
    ASSERT_EQ(Words[2 * N + 1], N + 100);
  }
}

class CodeObject : public ApiTest {
protected:
  CodeObject() { load(); }
};

TEST_F(CodeObject, SaysWhatItsKernelsNeed) {
  EXPECT_STREQ(luthier_emu_kernel_name(Code, 0), "add");
  EXPECT_STREQ(luthier_emu_kernel_name(Code, 4), "scratch");
  EXPECT_EQ(luthier_emu_kernel_name(Code, 5), nullptr);
  auto Info = sized<luthier_emu_kernel_info>();
  EXPECT_EMU_OK(luthier_emu_kernel(Code, "add", &Info));
  EXPECT_EQ(Info.entry_address % 256, 0u);
  EXPECT_EQ(Info.kernarg_size, 24u);
  EXPECT_EQ(Info.explicit_kernarg_size, 20u);
  EXPECT_EQ(Info.group_segment_size, 256u);
  EXPECT_EQ(Info.wave_size, 64u);
  EXPECT_EQ(Info.vgprs, 12u);
  EXPECT_EQ(Info.argument_count, 3u);
  EXPECT_EQ(Info.max_workgroup_size, 256u);
  auto Argument = sized<luthier_emu_argument_info>();
  EXPECT_EMU_OK(luthier_emu_kernel_argument(Code, "hidden", 4, &Argument));
  EXPECT_STREQ(Argument.kind, "hidden_group_size_x");
  EXPECT_EQ(Argument.offset, 20u);
  EXPECT_EQ(Argument.size, 2u);
  EXPECT_TRUE(Argument.is_hidden);
  EXPECT_EQ(luthier_emu_kernel_argument(Code, "add", 3, &Argument),
            LUTHIER_EMU_NOT_FOUND);
}

TEST_F(CodeObject, NamesItsKernelsWhenOneIsMissing) {
  auto Info = sized<luthier_emu_kernel_info>();
  EXPECT_EQ(luthier_emu_kernel(Code, "ad", &Info), LUTHIER_EMU_NOT_FOUND);
  EXPECT_EQ(error(),
            "there is no kernel 'ad'; there are: add, agprs, faults, hidden, "
            "scratch");
}

TEST_F(CodeObject, ShortStructsAreFilledAsFarAsTheyGo) {
  luthier_emu_kernel_info Info{};
  Info.struct_size = offsetof(luthier_emu_kernel_info, kernarg_size);
  Info.kernarg_size = 12345;
  EXPECT_EMU_OK(luthier_emu_kernel(Code, "add", &Info));
  EXPECT_NE(Info.entry_address, 0u);
  EXPECT_EQ(Info.kernarg_size, 12345u);
}

TEST_F(CodeObject, FaultsNameKernelPlaceAndAddress) {
  auto Launch = sized<luthier_emu_launch>();
  EXPECT_EQ(luthier_emu_dispatch(Code, "faults", &Launch, nullptr),
            LUTHIER_EMU_FAULT);
  EXPECT_NE(error().find("faults at 0x"), std::string::npos) << error();
  EXPECT_NE(error().find("(entry + 0x8), wave 0 of workgroup 0,0,0: "
                         "global_store_dword"),
            std::string::npos)
      << error();
  EXPECT_NE(error().find("0x100000000"), std::string::npos) << error();
}

TEST_F(CodeObject, AllAccumulationRegistersFitBehindAnyOffset) {
  auto Launch = sized<luthier_emu_launch>();
  EXPECT_EMU_OK(luthier_emu_dispatch(Code, "agprs", &Launch, nullptr));
}

TEST_F(CodeObject, LaunchesThatDoNotFitAreRefused) {
  auto Launch = sized<luthier_emu_launch>();
  Launch.dynamic_lds = 1 << 20;
  EXPECT_EQ(luthier_emu_dispatch(Code, "add", &Launch, nullptr),
            LUTHIER_EMU_REFUSED);
  EXPECT_EQ(error(), "add: 1048832 bytes of LDS");
}

TEST_F(ApiTest, DamagedCodeObjectsAreRefusedWithoutReadingBeyondThem) {
  const std::vector<char> Bytes = codeObject(5);
  ASSERT_GT(Bytes.size(), 1000u);
  // Every prefix, each in memory of exactly its size.
  for (size_t Size = 0; Size < Bytes.size(); Size += 61) {
    auto Short = std::make_unique<char[]>(Size);
    std::copy_n(Bytes.begin(), Size, Short.get());
    luthier_emu_code *Loaded = nullptr;
    EXPECT_EQ(luthier_emu_load(Device, Short.get(), Size, &Loaded),
              LUTHIER_EMU_BAD_CODE_OBJECT)
        << Size;
    EXPECT_FALSE(error().empty());
    luthier_emu_unload(Loaded);
  }
}

TEST_F(ApiTest, EveryDamagedByteOfACodeObjectIsSurvived) {
  const std::vector<char> Bytes = codeObject(5);
  for (size_t N = 0; N != Bytes.size(); ++N) {
    std::vector<char> Damaged = Bytes;
    Damaged[N] = char(~Damaged[N]);
    luthier_emu_code *Loaded = nullptr;
    luthier_emu_load(Device, Damaged.data(), Damaged.size(), &Loaded);
    luthier_emu_unload(Loaded);
  }
}

TEST_F(ApiTest, CodeForAnotherTargetIsRefused) {
  auto Options = sized<luthier_emu_device_options>();
  Options.target = "gfx908";
  luthier_emu_device *Other;
  ASSERT_EQ(luthier_emu_device_create(&Options, &Other), LUTHIER_EMU_OK);
  const std::vector<char> Bytes = codeObject(5);
  luthier_emu_code *Loaded;
  EXPECT_EQ(luthier_emu_load(Other, Bytes.data(), Bytes.size(), &Loaded),
            LUTHIER_EMU_BAD_CODE_OBJECT);
  EXPECT_STREQ(luthier_emu_error(Other),
               "the code object is for gfx90a, the device is a gfx908");
  luthier_emu_device_destroy(Other);
}

} // namespace
} // namespace luthier::test
