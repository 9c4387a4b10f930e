// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/HiddenValues.h"
#include "luthier/Refusal.h"
#include <gtest/gtest.h>
#include <hsa/amd_hsa_queue.h>
#include <numeric>

using namespace llvm;
using namespace luthier;
using namespace luthier::runtime;

namespace {

class HiddenValues : public testing::Test {
protected:
  HiddenValues() {
    Packet.setup = 2 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    Packet.grid_size_x = 1000;
    Packet.workgroup_size_x = 64;
    Packet.grid_size_y = 6;
    Packet.workgroup_size_y = 3;
    // Of no meaning with two dimensions.
    Packet.grid_size_z = 77;
    Packet.workgroup_size_z = 5;
    Packet.group_segment_size = 1000;
    Queue.group_segment_aperture_base_hi = 0x1234;
    Queue.private_segment_aperture_base_hi = 0x5678;
  }
  LaunchFacts facts() const {
    return {Packet, &Queue.hsa_queue, IsCooperative, 600, WaveSize, Tools};
  }
  uint64_t value(HiddenArgument Kind, unsigned Tool = 0) const {
    Expected<uint64_t> Value = hiddenValue(Kind, facts(), Tool);
    EXPECT_TRUE(bool(Value)) << infoOf(Kind).ValueKind;
    return Value ? *Value : (consumeError(Value.takeError()), ~0ull);
  }
  hsa_kernel_dispatch_packet_t Packet = {};
  amd_queue_t Queue = {};
  bool IsCooperative = false;
  unsigned WaveSize = 64;
  std::vector<ToolShare> Tools = {{12345, 20}};
};

TEST_F(HiddenValues, AreThoseOfTheLaunch) {
  using enum HiddenArgument;
  const std::pair<HiddenArgument, uint64_t> Values[] = {
      {BlockCountX, 15},     {BlockCountY, 2},
      {BlockCountZ, 1},      {GroupSizeX, 64},
      {GroupSizeY, 3},       {GroupSizeZ, 1},
      {RemainderX, 40},      {RemainderY, 0},
      {RemainderZ, 0},       {GridDims, 2},
      {DynamicLdsSize, 400}, {SharedBase, 0x1234},
      {GlobalOffsetX, 0},    {DefaultQueue, 0},
      {CompletionAction, 0}, {MultigridSync, 0},
      {PrivateBase, 0x5678}, {QueuePtr, reinterpret_cast<uint64_t>(&Queue)}};
  for (auto [Kind, Value] : Values)
    EXPECT_EQ(value(Kind), Value) << infoOf(Kind).ValueKind;
}

TEST_F(HiddenValues, OfLuthierCountWorkgroupsThatAreCutOff) {
  using enum HiddenArgument;
  EXPECT_EQ(value(LaunchValue), 12345u);
  EXPECT_EQ(value(BlocksX), 16u);
  EXPECT_EQ(value(BlocksY), 2u);
  EXPECT_EQ(value(ItemsX), 64u);
  EXPECT_EQ(value(ItemsY), 3u);
  Packet.workgroup_size_x = 60;
  EXPECT_EQ(value(WavesPerGroup), 3u);
  WaveSize = 32;
  EXPECT_EQ(value(WavesPerGroup), 6u);
  Packet.setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  EXPECT_EQ(value(BlocksY), 1u);
  EXPECT_EQ(value(WavesPerGroup), 2u);
}

TEST_F(HiddenValues, PutTheHooksLDSBehindTheApplications) {
  EXPECT_EQ(value(HiddenArgument::GroupMemory), 1008u);
  Packet.group_segment_size = 1008;
  EXPECT_EQ(value(HiddenArgument::GroupMemory), 1008u);
}

TEST_F(HiddenValues, OfToolsAreTheirOwn) {
  using enum HiddenArgument;
  Tools = {{1, 20}, {2, 0}, {3, 16}};
  EXPECT_EQ(value(LaunchValue, 1), 2u);
  EXPECT_EQ(value(LaunchValue, 2), 3u);
  EXPECT_EQ(value(GroupMemory), 1008u);
  EXPECT_EQ(value(GroupMemory, 1), 1008u + 32);
  EXPECT_EQ(value(GroupMemory, 2), 1008u + 32);
  EXPECT_EQ(value(BlocksX, 2), value(BlocksX));
}

TEST_F(HiddenValues, OnlyHipKnowsAreRefused) {
  IsCooperative = true;
  for (HiddenArgument Kind :
       {HiddenArgument::HostcallBuffer, HiddenArgument::PrintfBuffer,
        HiddenArgument::Heap, HiddenArgument::MultigridSync}) {
    Expected<uint64_t> Value = hiddenValue(Kind, facts());
    ASSERT_FALSE(bool(Value));
    handleAllErrors(Value.takeError(), [&](const Refusal &R) {
      EXPECT_EQ(R.reason(), RefusalReason::UnsupportedHook);
      EXPECT_TRUE(R.detail().contains(infoOf(Kind).ValueKind));
    });
  }
  EXPECT_EQ(value(HiddenArgument::GroupSizeX), 64u);
}

TEST_F(HiddenValues, ComeBehindTheApplicationsOwn) {
  std::vector<uint8_t> Own(20), To(64, 0xcc);
  std::iota(Own.begin(), Own.end(), 1);
  Packet.kernarg_address = Own.data();
  KernargGrowth Growth;
  Growth.OldSize = 20;
  Growth.NewSize = 64;
  Growth.Added = {{HiddenArgument::GroupSizeX, 36},
                  {HiddenArgument::BlockCountX, 48}};
  ASSERT_FALSE(copyArguments(Growth, facts(), To.data()));
  std::vector<uint8_t> Expected = Own;
  Expected.resize(64);
  Expected[36] = 64;
  Expected[48] = 15;
  EXPECT_EQ(To, Expected);
  Tools = {{1, 0}, {2, 0}};
  Growth.Added = {{HiddenArgument::LaunchValue, 32, 0},
                  {HiddenArgument::LaunchValue, 40, 1}};
  ASSERT_FALSE(copyArguments(Growth, facts(), To.data()));
  EXPECT_EQ(To[32], 1);
  EXPECT_EQ(To[40], 2);
}

} // namespace
