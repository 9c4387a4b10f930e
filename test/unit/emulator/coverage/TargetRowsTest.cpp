// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's rows of targets agree with what LLVM compiles for.
#include "emulator/core/Target.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/TargetParser.h"
#include "llvm/TargetParser/Triple.h"
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>

#define AMDGPU LuthierTargetRowsAMDGPU
#define GET_SUBTARGETINFO_ENUM
#include "AMDGPUGenSubtargetInfo.inc"
#undef AMDGPU

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
}

namespace luthier::test {
namespace {

namespace features = llvm::LuthierTargetRowsAMDGPU;

TEST(TargetRows, NamesVersionsAndElfMachinesAreThoseOfLLVM) {
  for (const emulator::Target &T : emulator::targets()) {
    const std::string Name(T.Name);
    SCOPED_TRACE(Name);
    const llvm::AMDGPU::IsaVersion Version = llvm::AMDGPU::getIsaVersion(Name);
    EXPECT_EQ(T.Generation, Version.Major);
    EXPECT_EQ(T.Minor, Version.Minor);
    EXPECT_EQ(T.Stepping, Version.Stepping);
    EXPECT_EQ(emulator::findTarget(T.ElfMachine), &T);
  }
  namespace elf = llvm::ELF;
  const std::pair<unsigned, const char *> Machines[] = {
      {elf::EF_AMDGPU_MACH_AMDGCN_GFX906, "gfx906"},
      {elf::EF_AMDGPU_MACH_AMDGCN_GFX908, "gfx908"},
      {elf::EF_AMDGPU_MACH_AMDGCN_GFX90A, "gfx90a"},
      {elf::EF_AMDGPU_MACH_AMDGCN_GFX942, "gfx942"},
      {elf::EF_AMDGPU_MACH_AMDGCN_GFX950, "gfx950"},
      {elf::EF_AMDGPU_MACH_AMDGCN_GFX1030, "gfx1030"},
      {elf::EF_AMDGPU_MACH_AMDGCN_GFX1100, "gfx1100"},
      {elf::EF_AMDGPU_MACH_AMDGCN_GFX1201, "gfx1201"},
  };
  EXPECT_EQ(std::size(Machines), emulator::targets().size());
  for (auto [Machine, Name] : Machines)
    EXPECT_EQ(emulator::findTarget(Machine),
              emulator::findTarget(std::string_view(Name)))
        << Name;
  EXPECT_EQ(emulator::findTarget(elf::EF_AMDGPU_MACH_AMDGCN_GFX900), nullptr);
}

TEST(TargetRows, EachHasTheHazardsOfNoOtherGeneration) {
  for (const emulator::Target &T : emulator::targets()) {
    using namespace emulator::hazard;
    const uint32_t Own = T.Generation == 9    ? uint32_t(Gfx9)
                         : T.Generation == 10 ? uint32_t(Gfx10)
                         : T.Generation == 11 ? uint32_t(Gfx11)
                                              : uint32_t(Gfx12);
    EXPECT_TRUE(T.Hazards & Own) << T.Name;
  }
}

/// A generation without rows would cost one cycle for everything.
TEST(TargetRows, EachHasTheTimesOfItsGeneration) {
  std::multiset<unsigned> Times, Latencies;
#define TIMING(Generation, ...) Times.insert(Generation);
#define LATENCY(Generation, ...) Latencies.insert(Generation);
#include "emulator/exec/Timing.def"
  for (const emulator::Target &T : emulator::targets()) {
    EXPECT_EQ(Times.count(T.Generation), Times.count(9)) << T.Name;
    EXPECT_EQ(Latencies.count(T.Generation), Latencies.count(9)) << T.Name;
  }
}

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
    EXPECT_EQ(T.WideEncodingsTakeLiterals, Has[features::FeatureVOP3Literal]);
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
