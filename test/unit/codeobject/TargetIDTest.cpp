// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestInputs.h"
#include "codeobject/GenericTarget.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace luthier;
using namespace luthier::test;

TEST(TargetID, ReadsWhatBundlesCallTargets) {
  for (const char *Text :
       {"gfx90a:sramecc+:xnack-", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
        "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
        "hip-amdgcn-amd-amdhsa-unknown-gfx90a:xnack-:sramecc+"}) {
    const TargetID ID = take(TargetID::parse(Text));
    EXPECT_EQ(ID.Processor, "gfx90a") << Text;
    EXPECT_EQ(ID.Xnack, false) << Text;
    EXPECT_EQ(ID.SramEcc, true) << Text;
    EXPECT_EQ(ID.str(), "gfx90a:sramecc+:xnack-") << Text;
  }
}

TEST(TargetID, LeavesSettingsUnsetThatAreNotNamed) {
  const TargetID ID = take(TargetID::parse("gfx90a"));
  EXPECT_FALSE(ID.Xnack);
  EXPECT_FALSE(ID.SramEcc);
  EXPECT_EQ(ID.str(), "gfx90a");
  EXPECT_EQ(ID.featureString(), "");
}

TEST(TargetID, KeepsHyphensOfGenericProcessors) {
  EXPECT_EQ(
      take(TargetID::parse("amdgcn-amd-amdhsa--gfx9-4-generic:xnack-")).str(),
      "gfx9-4-generic:xnack-");
}

TEST(TargetID, RefusesWhatIsNoTarget) {
  for (const char *Text :
       {"", "gfx", "x86_64-unknown-linux-gnu", "gfx90a:", "gfx90a:xnack",
        "gfx90a:tracing+", "gfx9/a", "gfx90a:xnack+:xnack+", "gfx90a:+"})
    EXPECT_NE(errorOf(TargetID::parse(Text)), "") << Text;
}

TEST(TargetID, SpellsSettingsAsLLVMFeatures) {
  EXPECT_EQ(take(TargetID::parse("gfx90a:sramecc+:xnack-")).featureString(),
            "-xnack,+sramecc");
}

TEST(TargetID, RunsOnDevicesWithTheSettingsItNeeds) {
  const TargetID Device = take(TargetID::parse("gfx90a:sramecc+:xnack-"));
  const auto Runs = [&](const char *Code) {
    return take(TargetID::parse(Code)).runsOn(Device);
  };
  EXPECT_TRUE(Runs("gfx90a"));
  EXPECT_TRUE(Runs("gfx90a:xnack-"));
  EXPECT_TRUE(Runs("gfx90a:sramecc+:xnack-"));
  EXPECT_FALSE(Runs("gfx90a:xnack+"));
  EXPECT_FALSE(Runs("gfx90a:sramecc-"));
  EXPECT_FALSE(Runs("gfx942"));
}

TEST(TargetID, NamesEveryProcessorOfTheElfFlags) {
  using namespace llvm::ELF;
  unsigned Known = 0;
  for (uint32_t Mach = 0; Mach <= 0xFF; ++Mach) {
    auto ID = TargetID::fromElf(Mach, ELFABIVERSION_AMDGPU_HSA_V5);
    if (!ID) {
      llvm::consumeError(ID.takeError());
      continue;
    }
    ++Known;
    EXPECT_TRUE(llvm::StringRef(ID->Processor).starts_with("gfx")) << Mach;
    EXPECT_FALSE(ID->Xnack) << Mach;
  }
  // 59 values between the first and the last, of which some are reserved.
  EXPECT_GT(Known, 50u);
}

TEST(TargetID, RefusesOldCodeObjectVersions) {
  using namespace llvm::ELF;
  EXPECT_EQ(errorOf(TargetID::fromElf(EF_AMDGPU_MACH_AMDGCN_GFX90A,
                                      ELFABIVERSION_AMDGPU_HSA_V3)),
            "code object version 3 is too old; 4, 5 and 6 are supported");
  EXPECT_EQ(errorOf(TargetID::fromElf(EF_AMDGPU_MACH_AMDGCN_GFX90A, 77)),
            "unknown ABI version 77");
}

TEST(GenericTarget, CodeIsThatOfADeviceThatItCovers) {
  auto On = [](const char *Code, const char *Device) {
    return targetOn(take(TargetID::parse(Code)), take(TargetID::parse(Device)))
        .str();
  };
  EXPECT_EQ(On("gfx9-4-generic:xnack-", "gfx942:sramecc+:xnack-"),
            "gfx942:xnack-");
  EXPECT_EQ(On("gfx10-3-generic", "gfx1030"), "gfx1030");
  EXPECT_EQ(On("gfx11-generic", "gfx1100"), "gfx1100");
  EXPECT_EQ(On("gfx12-generic", "gfx1201"), "gfx1201");
  // Of another family, of a known one, and of none.
  EXPECT_EQ(On("gfx11-generic", "gfx1201"), "gfx11-generic");
  EXPECT_EQ(On("gfx1030", "gfx1031"), "gfx1030");
  EXPECT_EQ(On("gfx9-generic", "gfx900:xnack-"), "gfx9-generic");
  EXPECT_EQ(On("gfx90a", "gfx77"), "gfx90a");
}

TEST(GenericTarget, FlagsNameTheDeviceAndNoVersion) {
  using namespace llvm::ELF;
  const uint32_t Settings =
      EF_AMDGPU_FEATURE_XNACK_OFF_V4 | EF_AMDGPU_FEATURE_SRAMECC_ANY_V4;
  const uint32_t Generic = EF_AMDGPU_MACH_AMDGCN_GFX9_4_GENERIC | Settings |
                           1u << EF_AMDGPU_GENERIC_VERSION_OFFSET;
  EXPECT_EQ(flagsFor("gfx942", Generic),
            EF_AMDGPU_MACH_AMDGCN_GFX942 | Settings);
  EXPECT_EQ(flagsFor("gfx9-4-generic", Generic), Generic);
  EXPECT_EQ(flagsFor("gfx90a", EF_AMDGPU_MACH_AMDGCN_GFX90A | Settings),
            EF_AMDGPU_MACH_AMDGCN_GFX90A | Settings);
}
