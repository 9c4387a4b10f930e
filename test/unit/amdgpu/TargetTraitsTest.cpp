// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine's rows of targets say what the emulator's say, which were written
// separately, and what LLVM compiles for.
#include "amdgpu/TargetTraits.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/MCTarget.h"
#include "emulator/core/Target.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;

namespace {

class TargetRow : public ::testing::TestWithParam<const TargetTraits *> {
protected:
  const TargetTraits &row() const { return *GetParam(); }
  const emulator::Target &emulated() const {
    return *emulator::findTarget(std::string_view(row().Processor));
  }
};

TEST(TargetRows, AreThoseOfTheEmulator) {
  std::vector<std::string> Engine, Emulator;
  for (const TargetTraits &Row : allTargetTraits())
    Engine.push_back(Row.Processor.str());
  for (const emulator::Target &Row : emulator::targets())
    Emulator.emplace_back(Row.Name);
  EXPECT_EQ(Engine, Emulator);
}

TEST(TargetRows, UnknownProcessorsHaveNone) {
  for (const char *Name : {"", "gfx", "gfx9", "gfx900", "gfx1101", "gfx1250",
                           "gfx9-generic", "GFX90A", "gfx90a "}) {
    EXPECT_EQ(targetTraits(Name), nullptr) << Name;
    EXPECT_EQ(registerFileTraits(Name), nullptr) << Name;
    EXPECT_EQ(launchTraits(Name), nullptr) << Name;
    Expected<const amdgpu::MCTarget &> Target = amdgpu::MCTarget::get(Name, "");
    EXPECT_FALSE(bool(Target)) << Name;
    consumeError(Target.takeError());
  }
}

TEST_P(TargetRow, SharesRegistersAsTheEmulatorDoes) {
  const RegisterFileTraits &R = row().Registers;
  const emulator::Target &E = emulated();
  // The emulator counts for waves of 64 lanes.
  const unsigned Divisor = R.WaveSize == 32 ? 2 : 1;
  EXPECT_EQ(R.hasTwoWaveSizes(), E.HasWave32);
  EXPECT_EQ(R.VGPRsPerLane / Divisor, E.VgprsPerSimd);
  EXPECT_EQ(R.VGPRGranule / Divisor, E.VgprAllocation);
  EXPECT_EQ(R.VGPREncodingGranule / Divisor, E.VgprGranule);
  EXPECT_EQ(R.AddressableSGPRs, E.MaxSgprs);
  EXPECT_EQ(R.hasFixedSGPRs(), !E.CountsSgprs);
  EXPECT_EQ(R.UnifiedAGPRs, E.HasUnifiedFile);
  EXPECT_EQ(R.SIMDsPerCU, E.SimdsPerUnit);
  EXPECT_EQ(R.WavesPerSIMD, E.MaxWavesPerSimd);
  EXPECT_EQ(R.LDSBytes, E.LdsPerUnit);
  EXPECT_EQ(R.LDSGranule, E.LdsGranule);
}

TEST_P(TargetRow, LaunchesAsTheEmulatorDoes) {
  const LaunchTraits &L = row().Launch;
  const emulator::Target &E = emulated();
  EXPECT_EQ(L.Scratch == ScratchSetup::RegisterPair,
            E.Scratch == emulator::ScratchSetup::RegisterPair);
  EXPECT_EQ(L.Scratch == ScratchSetup::HardwareRegister,
            E.Scratch == emulator::ScratchSetup::HardwareRegister);
  EXPECT_EQ(L.PacksWorkItemIds, E.PacksWorkItemIds);
  EXPECT_EQ(L.HasTtmpIds, E.WorkgroupIdsInTtmp);
}

TEST_P(TargetRow, CountsOutstandingOperationsAsTheEmulatorDoes) {
  using Layout = emulator::WaitLayout;
  const WaitTraits &W = row().Waits;
  const Layout Emulated = emulated().Waits;
  EXPECT_EQ(W.HasStoreCounter, Emulated != Layout::Gfx9);
  EXPECT_EQ(W.HasSplitCounters, Emulated == Layout::Gfx12);
  // The fields as the comments of the emulator's enumerators have them.
  if (Emulated == Layout::Gfx9 || Emulated == Layout::Gfx10) {
    EXPECT_EQ(W.VmShift, 0);
    EXPECT_EQ(W.VmBits, 4);
    EXPECT_EQ(W.VmHighShift, 14);
    EXPECT_EQ(W.VmHighBits, 2);
    EXPECT_EQ(W.ExpShift, 4);
    EXPECT_EQ(W.LgkmShift, 8);
    EXPECT_EQ(W.LgkmBits, Emulated == Layout::Gfx9 ? 4 : 6);
  } else if (Emulated == Layout::Gfx11) {
    EXPECT_EQ(W.VmShift, 10);
    EXPECT_EQ(W.VmBits, 6);
    EXPECT_EQ(W.VmHighBits, 0);
    EXPECT_EQ(W.ExpShift, 0);
    EXPECT_EQ(W.LgkmShift, 4);
    EXPECT_EQ(W.LgkmBits, 6);
  }
}

TEST_P(TargetRow, ExecutesInstructionsAsTheEmulatorDoes) {
  const InstructionTraits &I = row().Instructions;
  const MemoryTraits &M = row().Memory;
  const emulator::Target &E = emulated();
  EXPECT_EQ(I.KeepsUpperHalf, E.NarrowResultsKeepHigh);
  EXPECT_EQ(I.HasClampModes, E.ImpliedMode == 0);
  EXPECT_EQ(I.HasTrue16, E.HasTrue16);
  EXPECT_EQ(I.HasNamedBarriers, E.HasScalarBarriers);
  EXPECT_EQ(I.HasDeallocMessage, E.HasDeallocMessage);
  EXPECT_EQ(M.Buffers == BufferLayout::Gfx9,
            E.Buffers == emulator::BufferLayout::Split);
  EXPECT_EQ(M.Buffers == BufferLayout::Gfx10,
            E.Buffers == emulator::BufferLayout::Unified);
  EXPECT_EQ(M.FlatOffsetBits, E.FlatOffsetBits);
  EXPECT_EQ(M.HasUnsignedFlatOffset, E.FlatOffsetIsUnsigned);
}

TEST_P(TargetRow, AgreesWithLLVM) {
  const MCSubtargetInfo &ST =
      cantFail(amdgpu::MCTarget::get(row().Processor, "")).subtarget();
  auto has = [&](unsigned Feature) { return ST.hasFeature(Feature); };
  EXPECT_EQ(row().Registers.hasTwoWaveSizes(), has(AMDGPU::FeatureGFX10Insts));
  EXPECT_EQ(row().Registers.UnifiedAGPRs, has(AMDGPU::FeatureGFX90AInsts));
  EXPECT_EQ(row().Launch.Scratch == ScratchSetup::Architected,
            has(AMDGPU::FeatureArchitectedFlatScratch));
  EXPECT_EQ(row().Launch.PacksWorkItemIds, has(AMDGPU::FeaturePackedTID));
  EXPECT_EQ(row().Launch.HasTtmpIds, has(AMDGPU::FeatureArchitectedSGPRs));
  EXPECT_EQ(row().Instructions.HasTrue16, has(AMDGPU::FeatureTrue16BitInsts));
  EXPECT_EQ(row().Hazards.HasPermuteHazard, has(AMDGPU::FeatureGFX10Insts));
  EXPECT_EQ(row().Registers.LDSBytes,
            has(AMDGPU::FeatureAddressableLocalMemorySize163840) ? 163840u
                                                                 : 65536u);
  // A scratch offset is part of the flat offset's positive half.
  if (const unsigned Reach = row().Memory.ScratchReach)
    EXPECT_EQ(Reach, (1u << (row().Memory.FlatOffsetBits - 1)) - 1);
}

std::vector<const TargetTraits *> rows() {
  std::vector<const TargetTraits *> Result;
  for (const TargetTraits &Row : allTargetTraits())
    Result.push_back(&Row);
  return Result;
}

INSTANTIATE_TEST_SUITE_P(Targets, TargetRow, ::testing::ValuesIn(rows()),
                         [](const auto &Info) {
                           return Info.param->Processor.str();
                         });

} // namespace
