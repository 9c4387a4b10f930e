// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's own descriptors are the reference: setting the counts that its
// metadata states must give its descriptor back.
#include "TestInputs.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class KernelDescriptorTest : public testing::TestWithParam<const char *> {
protected:
  std::unique_ptr<CodeObject> Object =
      compiledKernels(std::string(GetParam()) + "-v5");
  const RegisterFileTraits *Traits = registerFileTraits(GetParam());
};

TEST_P(KernelDescriptorTest, AllocatesWhatTheCompilerCounted) {
  ASSERT_TRUE(Traits);
  for (const KernelInfo &Kernel : Object->kernels()) {
    const unsigned VGPRs = Kernel.Descriptor.allocatedVGPRs(*Traits);
    EXPECT_GE(VGPRs, Kernel.Metadata.VGPRs) << Kernel.Name;
    EXPECT_LT(VGPRs, Kernel.Metadata.VGPRs + Traits->VGPREncodingGranule)
        << Kernel.Name;
    EXPECT_GE(Kernel.Descriptor.allocatedSGPRs(*Traits), Kernel.Metadata.SGPRs)
        << Kernel.Name;
  }
}

TEST_P(KernelDescriptorTest, SettingTheCompilersCountsChangesNothing) {
  for (const KernelInfo &Kernel : Object->kernels()) {
    const KernelMetadata &M = Kernel.Metadata;
    const unsigned VGPRs = Traits->UnifiedAGPRs && M.AGPRs
                               ? Kernel.Descriptor.vgprLimit(*Traits)
                               : M.VGPRs;
    KernelDescriptor Copy = Kernel.Descriptor;
    Copy.setVGPRs(VGPRs, M.AGPRs, *Traits);
    EXPECT_EQ(Copy.raw().compute_pgm_rsrc1,
              Kernel.Descriptor.raw().compute_pgm_rsrc1)
        << Kernel.Name;
    EXPECT_EQ(Copy.raw().compute_pgm_rsrc3,
              Kernel.Descriptor.raw().compute_pgm_rsrc3)
        << Kernel.Name;
  }
}

TEST_P(KernelDescriptorTest, HasEveryRegisterThatWasAskedFor) {
  const KernelInfo *Kernel = Object->findKernel("add");
  ASSERT_TRUE(Kernel);
  for (unsigned VGPRs = 1; VGPRs <= Traits->AddressableVGPRs; ++VGPRs)
    for (unsigned AGPRs : {0u, 1u, 64u}) {
      KernelDescriptor D = Kernel->Descriptor;
      D.setVGPRs(VGPRs, AGPRs, *Traits);
      EXPECT_GE(D.vgprLimit(*Traits), VGPRs);
      if (Traits->UnifiedAGPRs && AGPRs)
        EXPECT_GE(D.allocatedVGPRs(*Traits), D.vgprLimit(*Traits) + AGPRs);
    }
  for (unsigned SGPRs = 1; SGPRs <= Traits->AddressableSGPRs; ++SGPRs) {
    KernelDescriptor D = Kernel->Descriptor;
    D.setSGPRs(SGPRs, *Traits);
    EXPECT_GE(D.allocatedSGPRs(*Traits), SGPRs + Traits->ExtraSGPRs);
    EXPECT_LT(D.allocatedSGPRs(*Traits),
              SGPRs + Traits->ExtraSGPRs + Traits->SGPRGranule);
  }
}

TEST_P(KernelDescriptorTest, ChangingRegistersKeepsEverythingElse) {
  using namespace llvm::amdhsa;
  for (const KernelInfo &Kernel : Object->kernels()) {
    KernelDescriptor D = Kernel.Descriptor;
    D.setVGPRs(100, 0, *Traits);
    D.setSGPRs(90, *Traits);
    const auto WithoutCounts = [&](kernel_descriptor_t Raw) {
      Raw.compute_pgm_rsrc1 &=
          ~(COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT |
            COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT);
      if (Traits->UnifiedAGPRs)
        Raw.compute_pgm_rsrc3 &= ~COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET;
      return Raw;
    };
    const kernel_descriptor_t Before = WithoutCounts(Kernel.Descriptor.raw()),
                              After = WithoutCounts(D.raw());
    EXPECT_EQ(std::memcmp(&Before, &After, sizeof(Before)), 0) << Kernel.Name;
  }
}

TEST_P(KernelDescriptorTest, MoreRegistersNeverMeanMoreWaves) {
  KernelDescriptor D = Object->findKernel("add")->Descriptor;
  unsigned Waves = D.wavesPerSIMD(*Traits);
  EXPECT_EQ(Waves, Traits->WavesPerSIMD);
  for (unsigned VGPRs = 1; VGPRs <= Traits->AddressableVGPRs; ++VGPRs) {
    D.setVGPRs(VGPRs, 0, *Traits);
    EXPECT_LE(D.wavesPerSIMD(*Traits), Waves);
    Waves = D.wavesPerSIMD(*Traits);
  }
  // v255 alone leaves room for this many.
  EXPECT_EQ(Waves, Traits->VGPRsPerLane / alignTo(256, Traits->VGPRGranule));
}

INSTANTIATE_TEST_SUITE_P(Targets, KernelDescriptorTest,
                         testing::ValuesIn(Targets),
                         [](const auto &Info) { return Info.param; });

TEST(KernelDescriptor, RefusesProcessorsWithoutARow) {
  EXPECT_EQ(registerFileTraits("gfx803"), nullptr);
  EXPECT_EQ(registerFileTraits(""), nullptr);
}

TEST(KernelDescriptor, HasAFixedSize) {
  const uint8_t Bytes[65] = {};
  EXPECT_EQ(errorOf(KernelDescriptor::create(ArrayRef(Bytes).take_front(63))),
            "a kernel descriptor has 64 bytes, not 63");
  EXPECT_NE(errorOf(KernelDescriptor::create(Bytes)), "");
}

TEST(KernelDescriptor, HalvesGranulesForWave64OnWave32Processors) {
  const RegisterFileTraits &T = *registerFileTraits("gfx1100");
  KernelDescriptor D =
      compiledKernels("gfx1100-v5")->findKernel("add")->Descriptor;
  ASSERT_TRUE(D.usesWave32());
  D.setVGPRs(40, 0, T);
  EXPECT_EQ(D.allocatedVGPRs(T), 40u);
  EXPECT_EQ(D.wavesPerSIMD(T), 16u); // 1536 / 48 = 32
  D.raw().kernel_code_properties &=
      ~amdhsa::KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32;
  EXPECT_EQ(D.allocatedVGPRs(T), 20u);
  D.setVGPRs(97, 0, T);
  EXPECT_EQ(D.allocatedVGPRs(T), 100u);
  EXPECT_EQ(D.wavesPerSIMD(T), 7u); // 768 / 108
}

// LLVM's own limits for gfx90a, as its occupancy tables state them.
TEST(KernelDescriptor, CountsWavesOfGfx90a) {
  const RegisterFileTraits &T = *registerFileTraits("gfx90a");
  KernelDescriptor D =
      compiledKernels("gfx90a-v5")->findKernel("add")->Descriptor;
  const std::pair<unsigned, unsigned> Expected[] = {
      {64, 8}, {65, 7},  {72, 7},  {73, 6},  {81, 5},
      {97, 4}, {128, 4}, {129, 3}, {169, 2}, {256, 2}};
  for (const auto &[VGPRs, Waves] : Expected) {
    D.setVGPRs(VGPRs, 0, T);
    EXPECT_EQ(D.wavesPerSIMD(T), Waves) << VGPRs;
  }
}

} // namespace
