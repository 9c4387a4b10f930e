// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's rows of targets agree with what LLVM compiles for.
#include "emulator/core/Target.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include <gtest/gtest.h>
#include <memory>
#include <string>

#define AMDGPU LuthierTargetRowsAMDGPU
#define GET_SUBTARGETINFO_ENUM
#include "AMDGPUGenSubtargetInfo.inc"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
}

namespace luthier::test {
namespace {

namespace features = llvm::LuthierTargetRowsAMDGPU;

TEST(TargetRows, AgreeWithLLVM) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  llvm::Triple TT("amdgcn-amd-amdhsa");
  std::string Error;
  const llvm::Target *Llvm = llvm::TargetRegistry::lookupTarget(TT, Error);
  ASSERT_TRUE(Llvm) << Error;
  for (const emulator::Target &T : emulator::targets()) {
    SCOPED_TRACE(std::string(T.Name));
    std::unique_ptr<llvm::MCSubtargetInfo> STI(
        Llvm->createMCSubtargetInfo(TT, T.Name, ""));
    const llvm::FeatureBitset &Has = STI->getFeatureBits();
    EXPECT_EQ(T.PreloadsKernargs, Has[features::FeatureKernargPreload]);
    EXPECT_EQ(T.PacksWorkItemIds, Has[features::FeaturePackedTID]);
    EXPECT_EQ(T.Scratch == emulator::ScratchSetup::Architected,
              Has[features::FeatureArchitectedFlatScratch]);
    EXPECT_EQ(T.WorkgroupIdsInTtmp, Has[features::FeatureArchitectedSGPRs]);
    EXPECT_EQ(T.NarrowLoadsClear, Has[features::FeatureSupportsSRAMECC]);
    EXPECT_EQ(T.HasGprIndexMode, Has[features::FeatureVGPRIndexMode]);
    EXPECT_EQ(T.HasAgprs, Has[features::FeatureMAIInsts]);
    EXPECT_EQ(T.HasUnifiedFile, Has[features::FeatureGFX90AInsts]);
    EXPECT_EQ(T.HasWave32, Has[features::FeatureGFX10Insts]);
    unsigned Lds =
        Has[features::FeatureAddressableLocalMemorySize163840] ? 163840 : 65536;
    EXPECT_EQ(T.LdsPerUnit, Lds);
    unsigned Vgprs = Has[features::Feature1_5xVGPRs]     ? 768
                     : Has[features::FeatureGFX10Insts]  ? 512
                     : Has[features::FeatureGFX90AInsts] ? 512
                                                         : 256;
    EXPECT_EQ(T.VgprsPerSimd, Vgprs);
  }
}

} // namespace
} // namespace luthier::test
