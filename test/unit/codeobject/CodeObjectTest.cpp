// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestInputs.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

TEST(CodeObject, ReadsVersionAndTarget) {
  for (unsigned Version : {4, 5, 6}) {
    const auto Object = compiledKernels("gfx90a-v" + std::to_string(Version));
    EXPECT_EQ(Object->version(), Version);
    EXPECT_EQ(Object->target().str(), "gfx90a");
  }
  EXPECT_EQ(compiledKernels("gfx90a:sramecc+:xnack--v5")->target().str(),
            "gfx90a:sramecc+:xnack-");
  for (const char *Target : Targets)
    EXPECT_EQ(compiledKernels(std::string(Target) + "-v5")->target().str(),
              Target);
}

TEST(CodeObject, FindsKernelsAndFunctions) {
  const auto Object = compiledKernels("gfx90a-v5");
  std::vector<std::string> Names;
  for (const KernelInfo &Kernel : Object->kernels())
    Names.push_back(Kernel.Name);
  EXPECT_EQ(Names, (std::vector<std::string>{
                       "add", "useLocalMemory", "useStack", "useRegisters",
                       "useAccumulators", "callFunction"}));
  ASSERT_EQ(Object->functions().size(), 1u);
  EXPECT_EQ(Object->functions()[0].Name, "_Z10notAKernelPU3AS1i");
  EXPECT_GT(Object->functions()[0].Size, 0u);
  EXPECT_EQ(Object->findKernel("add")->Name, "add");
  EXPECT_EQ(Object->findKernel("add.kd"), nullptr);
}

TEST(CodeObject, ReadsWhatMetadataAndDescriptorSay) {
  const auto Object = compiledKernels("gfx90a-v5");
  const KernelInfo &Local = *Object->findKernel("useLocalMemory");
  EXPECT_EQ(Local.Metadata.GroupSegmentSize, 1024u);
  EXPECT_EQ(Local.Descriptor.raw().group_segment_fixed_size, 1024u);
  EXPECT_EQ(Local.Metadata.MaxFlatWorkgroupSize, 256u);
  EXPECT_EQ(Local.Metadata.WavefrontSize, 64u);
  EXPECT_EQ(Local.Metadata.KernargSegmentSize, 8u);

  const KernelInfo &Stack = *Object->findKernel("useStack");
  EXPECT_GE(Stack.Metadata.PrivateSegmentSize, 80u);
  EXPECT_EQ(Stack.Metadata.PrivateSegmentSize,
            Stack.Descriptor.raw().private_segment_fixed_size);
  EXPECT_FALSE(Stack.Metadata.UsesDynamicStack);

  // Both kinds count: that is what the hardware allocates.
  const KernelInfo &Accumulators = *Object->findKernel("useAccumulators");
  EXPECT_EQ(Accumulators.Metadata.AGPRs, 10u);
  EXPECT_EQ(Accumulators.Metadata.VGPRs, 14u);
  EXPECT_EQ(Accumulators.Descriptor.vgprLimit(*registerFileTraits("gfx90a")),
            4u);

  EXPECT_EQ(
      compiledKernels("gfx1030-v5")->findKernel("add")->Metadata.WavefrontSize,
      32u);
}

TEST(CodeObject, FindsTheCodeOfEachKernel) {
  for (const char *Target : Targets) {
    const auto Object = compiledKernels(std::string(Target) + "-v5");
    for (const KernelInfo &Kernel : Object->kernels()) {
      EXPECT_EQ(Kernel.EntryAddress % 256, 0u) << Kernel.Name;
      const auto Code =
          take(Object->contents(Kernel.EntryAddress, Kernel.CodeSize));
      ASSERT_GE(Code.size(), 4u) << Kernel.Name;
      // s_endpgm: 0xBF810000, on gfx11 and later 0xBFB00000.
      const bool New = StringRef(Target).starts_with("gfx11") ||
                       StringRef(Target).starts_with("gfx12");
      const uint8_t End[] = {0, 0, uint8_t(New ? 0xB0 : 0x81), 0xBF};
      EXPECT_EQ(Code.take_back(4), ArrayRef(End)) << Target << Kernel.Name;
    }
  }
}

TEST(CodeObject, GivesNothingOutsideItsSegments) {
  const auto Object = compiledKernels("gfx90a-v5");
  const uint64_t Entry = Object->findKernel("add")->EntryAddress;
  EXPECT_NE(errorOf(Object->contents(Entry, 1 << 20)), "");
  EXPECT_NE(errorOf(Object->contents(~uint64_t(0), 1)), "");
  EXPECT_NE(errorOf(Object->contents(Entry, ~uint64_t(0))), "");
  EXPECT_EQ(take(Object->contents(Entry, 0)).size(), 0u);
}

TEST(CodeObject, FindsSectionsByName) {
  const auto Object = compiledKernels("gfx90a-v5");
  ASSERT_TRUE(Object->section(".text"));
  EXPECT_FALSE(Object->section(".text")->empty());
  EXPECT_FALSE(Object->section(".llvmbc"));
}
