// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Redirection.h"
#include "luthier/Refusal.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::runtime;

namespace {

TEST(CooperativeLaunch, NeedsTheOriginalsOccupancy) {
  const hsa_kernel_dispatch_packet_t Packet = {};
  Redirection Target;
  Target.WavesBefore = Target.WavesAfter = 8;
  EXPECT_FALSE(checkFitsCooperatively(Packet, Target));
  Target.WavesAfter = 10;
  EXPECT_FALSE(checkFitsCooperatively(Packet, Target));
  Target.WavesAfter = 7;
  Error E = checkFitsCooperatively(Packet, Target);
  ASSERT_TRUE(E.isA<Refusal>());
  handleAllErrors(std::move(E), [](const Refusal &R) {
    EXPECT_EQ(R.reason(), RefusalReason::RegisterBudget);
    EXPECT_TRUE(R.detail().contains("7 waves")) << R.detail().str();
  });
}

TEST(CooperativeLaunch, NeedsTheOriginalsMemory) {
  hsa_kernel_dispatch_packet_t Packet = {};
  Packet.workgroup_size_x = 64;
  Packet.workgroup_size_y = 4;
  Packet.workgroup_size_z = 1;
  Redirection Target;
  Target.Traits = registerFileTraits("gfx90a");
  Target.WavesBefore = Target.WavesAfter = 8; // Of eight groups on four SIMDs.
  Target.ExtraGroupSegment = 4096;
  EXPECT_FALSE(checkFitsCooperatively(Packet, Target));
  Packet.group_segment_size = 4096; // Sixteen groups' before, now eight.
  EXPECT_FALSE(checkFitsCooperatively(Packet, Target));
  Packet.group_segment_size = 8192;
  Error E = checkFitsCooperatively(Packet, Target);
  ASSERT_TRUE(E.isA<Refusal>());
  handleAllErrors(std::move(E), [](const Refusal &R) {
    EXPECT_EQ(R.reason(), RefusalReason::SharedMemory);
    EXPECT_TRUE(R.detail().contains("5 groups")) << R.detail().str();
  });
  Target.ExtraGroupSegment = 0;
  EXPECT_FALSE(checkFitsCooperatively(Packet, Target));
}

TEST(CooperativeLaunch, GetsMemoryInGranules) {
  hsa_kernel_dispatch_packet_t Packet = {};
  Packet.workgroup_size_x = 128;
  Packet.workgroup_size_y = Packet.workgroup_size_z = 1;
  Packet.group_segment_size = 3072;
  Redirection Target;
  Target.Traits = registerFileTraits("gfx1030");
  Target.IsWave32 = true;
  Target.WavesBefore = Target.WavesAfter = 40; // Of twenty groups.
  Target.ExtraGroupSegment = 160; // Twenty by bytes, sixteen by granules.
  Error E = checkFitsCooperatively(Packet, Target);
  ASSERT_TRUE(E.isA<Refusal>());
  EXPECT_NE(toString(std::move(E)).find("16 groups"), std::string::npos);
  Target.WavesBefore = Target.WavesAfter = 32;
  EXPECT_FALSE(checkFitsCooperatively(Packet, Target));
}

TEST(Redirect, AsksForWhatBothNeed) {
  Redirection Target;
  Target.KernelObject = 0x1000;
  Target.PrivateSegmentSize = 96;
  Target.ExtraGroupSegment = 32;
  Target.Traits = registerFileTraits("gfx90a");
  hsa_kernel_dispatch_packet_t Packet = {};
  Packet.private_segment_size = 64;
  Packet.group_segment_size = 100;
  ASSERT_FALSE(redirect(Packet, Target, nullptr));
  EXPECT_EQ(Packet.kernel_object, 0x1000u);
  EXPECT_EQ(Packet.private_segment_size, 96u);
  // Rounded up to 112 first.
  EXPECT_EQ(Packet.group_segment_size, 144u);
}

TEST(Redirect, KeepsAStackThatIsLargerThanTheVersionNeeds) {
  Redirection Target;
  Target.PrivateSegmentSize = 96;
  hsa_kernel_dispatch_packet_t Packet = {};
  Packet.private_segment_size = 4096;
  Packet.group_segment_size = 7;
  ASSERT_FALSE(redirect(Packet, Target, nullptr));
  EXPECT_EQ(Packet.private_segment_size, 4096u);
  EXPECT_EQ(Packet.group_segment_size, 7u);
}

TEST(Redirect, RefusesAtTheHardwaresLimitAndLeavesThePacketAlone) {
  Redirection Target;
  Target.KernelObject = 0x1000;
  Target.PrivateSegmentSize = 8;
  Target.ExtraGroupSegment = 16;
  Target.Traits = registerFileTraits("gfx90a");
  hsa_kernel_dispatch_packet_t Packet = {};
  Packet.kernel_object = 0x2000;
  Packet.group_segment_size = 65536 - 16;
  ASSERT_FALSE(redirect(Packet, Target, nullptr));
  Packet.kernel_object = 0x2000;
  Packet.private_segment_size = 0;
  Packet.group_segment_size = 65536 - 15;
  Error E = redirect(Packet, Target, nullptr);
  ASSERT_TRUE(E.isA<Refusal>());
  handleAllErrors(std::move(E), [](const Refusal &R) {
    EXPECT_EQ(R.reason(), RefusalReason::SharedMemory);
  });
  EXPECT_EQ(Packet.kernel_object, 0x2000u);
  EXPECT_EQ(Packet.private_segment_size, 0u);
  EXPECT_EQ(Packet.group_segment_size, 65536u - 15);
}

/// Another tool joins what the first has redirected and changed.
TEST(RedirectedLaunch, UndoesNothingButTheRedirection) {
  hsa_kernel_dispatch_packet_t Packet = {};
  Packet.kernel_object = 0x1000;
  Packet.private_segment_size = 16;
  Packet.group_segment_size = 512;
  Packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  RedirectedLaunch Launch(Packet);
  EXPECT_EQ(Launch.undone(Packet).kernel_object, 0x1000u);

  constexpr uint16_t Barrier = 1 << HSA_PACKET_HEADER_BARRIER;
  Packet.header |= Barrier; // Before the redirection.
  const hsa_kernel_dispatch_packet_t Given = Packet;
  Redirection Target;
  Target.KernelObject = 0x2000;
  Target.PrivateSegmentSize = 64;
  Target.ExtraGroupSegment = 256;
  Target.Traits = registerFileTraits("gfx90a");
  char Arguments[16];
  ASSERT_FALSE(redirect(Packet, Target, Arguments));
  Launch.redirected(Given, Packet);
  Launch.Presets = Launch.Presets.with({nullptr, "p"});
  Packet.group_segment_size += 1024; // After it.
  Packet.grid_size_x = 7;

  const hsa_kernel_dispatch_packet_t Undone = Launch.undone(Packet);
  EXPECT_EQ(Undone.kernel_object, 0x1000u);
  EXPECT_EQ(Undone.private_segment_size, 16u);
  EXPECT_EQ(Undone.group_segment_size, Packet.group_segment_size);
  EXPECT_EQ(Undone.kernarg_address, nullptr);
  EXPECT_EQ(Undone.header, HSA_PACKET_TYPE_KERNEL_DISPATCH | Barrier);
  EXPECT_EQ(Undone.grid_size_x, 7u);
}

} // namespace
