// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the shaders are given, scratch, and errors.
#include "Fixture.h"

namespace luthier::emulator {
namespace {

class DispatchTest : public CommandProcessorTest {
protected:
  /// Plays ROCr: waits for the request and binds \p WaveKiB for \p Waves.
  void answerScratchRequest(int64_t Request, unsigned WaveKiB, unsigned Waves) {
    ASSERT_TRUE(Inactive.reaches(Request));
    HsaQueue.compute_tmpring_size = WaveKiB << 12 | Waves;
    HsaQueue.scratch_backing_memory_location = 0x5000;
    HsaQueue.scratch_resource_descriptor[3] = 0x1234;
    Inactive.store(0);
  }
};

TEST_F(DispatchTest, TakesFieldsFromPacketDescriptorAndQueue) {
  auto Store = [&](unsigned Offset, uint32_t Value) {
    std::memcpy(KernelMemory + Offset, &Value, 4);
  };
  Store(44, 3);
  Store(48, 0x111);
  Store(52, 0x222);
  Store(56, 0x408);
  TestSignal Done;
  auto Packet = dispatchPacket(&Done);
  Packet.group_segment_size = 512;
  Packet.kernarg_address = &Done;
  submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ASSERT_TRUE(Done.reaches(0));
  const Dispatch &D = Shaders->Dispatches.at(0);
  EXPECT_EQ(D.EntryPC, reinterpret_cast<uint64_t>(KernelMemory) + 64);
  EXPECT_EQ(D.ComputePgmRsrc3, 3u);
  EXPECT_EQ(D.ComputePgmRsrc1, 0x111u);
  EXPECT_EQ(D.ComputePgmRsrc2, 0x222u);
  EXPECT_EQ(D.KernelCodeProperties, 0x408u);
  EXPECT_EQ(D.GridSize[0], 100u);
  EXPECT_EQ(D.WorkgroupSize[0], 64u);
  EXPECT_EQ(D.GroupSegmentSize, 512u);
  EXPECT_EQ(D.KernargAddress, reinterpret_cast<uint64_t>(&Done));
  EXPECT_EQ(D.PacketAddress, reinterpret_cast<uint64_t>(&Ring[0]));
  EXPECT_EQ(D.QueueAddress, reinterpret_cast<uint64_t>(&HsaQueue));
}

TEST_F(DispatchTest, AsksForScratchThatIsNotBound) {
  TestSignal Done;
  auto Packet = dispatchPacket(&Done);
  Packet.private_segment_size = 100;
  submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  answerScratchRequest(1, /*WaveKiB=*/7, /*Waves=*/256);
  ASSERT_TRUE(Done.reaches(0));
  const Dispatch &D = Shaders->Dispatches.at(0);
  EXPECT_EQ(D.PrivateSegmentSize, 100u);
  EXPECT_EQ(D.ScratchBase, 0x5000u);
  EXPECT_EQ(D.ScratchBytesPerWave, 7u * 1024);
  EXPECT_EQ(D.ScratchWaves, 256u);
  EXPECT_EQ(D.ScratchResource[3], 0x1234u);
}

TEST_F(DispatchTest, DoesNotAskForScratchThatIsBound) {
  HsaQueue.compute_tmpring_size = 7 << 12 | 256;
  TestSignal Done;
  auto Packet = dispatchPacket(&Done);
  Packet.private_segment_size = 112;
  submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_TRUE(Done.reaches(0));
  EXPECT_EQ(TheHost.Events, 1u);
}

TEST_F(DispatchTest, AsksOnceMoreWhenTheNeedGrows) {
  HsaQueue.compute_tmpring_size = 7 << 12 | 256;
  TestSignal Done;
  auto Packet = dispatchPacket(&Done);
  Packet.private_segment_size = 113;
  submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  answerScratchRequest(1, 8, 256);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(DispatchTest, WavesOf32AskForTheirOwnScratch) {
  const uint16_t EnableWavefrontSize32 = 1 << 10;
  std::memcpy(KernelMemory + 56, &EnableWavefrontSize32, 2);
  TestSignal Done;
  auto Packet = dispatchPacket(&Done);
  Packet.private_segment_size = 64;
  submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  answerScratchRequest(0x400, 2, 64);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(DispatchTest, GivesLargeScratchBackAfterOneUse) {
  HsaQueue.compute_tmpring_size = 7 << 12 | 256;
  HsaQueue.queue_properties = AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE;
  TestSignal Done;
  auto Packet = dispatchPacket(&Done);
  Packet.private_segment_size = 16;
  submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ASSERT_TRUE(Inactive.reaches(0x200));
  EXPECT_EQ(Done.value(), 1);
  Inactive.store(0);
  __atomic_store_n(&HsaQueue.queue_properties, 0, __ATOMIC_RELEASE);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(DispatchTest, StopsWhileItWaitsForScratch) {
  auto Packet = dispatchPacket(nullptr);
  Packet.private_segment_size = 16;
  submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ASSERT_TRUE(Inactive.reaches(1));
  Aql.reset();
  EXPECT_TRUE(Shaders->Dispatches.empty());
}

// The places of members of amd_queue_v2_t, and a bit of the first.
constexpr unsigned CapsOffset = 40, MaxUseOffset = 184;
constexpr uint32_t RuntimeTakesBack = 1 << 1;

/// A device that lends scratch, under a runtime that takes it back: what was
/// bound may be gone when the packet begins.
class LentScratchTest : public DispatchTest {
protected:
  const char *device() const override { return "gfx942"; }

  void SetUp() override {
    DispatchTest::SetUp();
    std::memcpy(QueueBytes + CapsOffset, &RuntimeTakesBack,
                sizeof(RuntimeTakesBack));
    const uint64_t MaxUse = UINT64_MAX;
    std::memcpy(QueueBytes + MaxUseOffset, &MaxUse, sizeof(MaxUse));
    Packet = dispatchPacket(&Done);
    Packet.private_segment_size = 16;
  }

  /// Plays a ROCr that answers requests but leaves nothing bound, at most
  /// \p Most of them. Returns how many.
  unsigned answerWithNothing(unsigned Most) {
    unsigned Answers = 0;
    while (Answers != Most &&
           eventually([&] { return Inactive.value() != 0; }) &&
           Inactive.value() == 1) {
      ++Answers;
      Inactive.store(0);
    }
    return Answers;
  }

  TestSignal Done;
  hsa_kernel_dispatch_packet_t Packet;
};

TEST_F(LentScratchTest, WhatIsTakenBackBeforeThePacketBeginsIsAskedForAgain) {
  submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(answerWithNothing(3), 3u);
  answerScratchRequest(1, /*WaveKiB=*/7, /*Waves=*/256);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(LentScratchTest, ARuntimeThatNeverBindsAnyIsNotAskedForEver) {
  testing::internal::CaptureStderr();
  submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(answerWithNothing(2000), 1000u);
  EXPECT_TRUE(Inactive.reaches(0x80000000));
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "luthier-emulator: the runtime bound no scratch, though it answered "
      "1000 requests: 16 bytes per work-item are needed\n");
  EXPECT_TRUE(Shaders->Dispatches.empty());
}

struct FaultCase {
  ExecutionFault::Kind What;
  int64_t Error;
};

class FaultTest : public CommandProcessorTest,
                  public testing::WithParamInterface<FaultCase> {};

TEST_P(FaultTest, EndsTheQueueWithItsError) {
  Shaders->NextFault = ExecutionFault{GetParam().What, 0, 0, "k: went wrong"};
  TestSignal Done;
  testing::internal::CaptureStderr();
  submit(dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  submit(dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_TRUE(Inactive.reaches(GetParam().Error));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "luthier-emulator: k: went wrong\n");
  EXPECT_EQ(Done.value(), 1);
  EXPECT_EQ(readIndex(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, FaultTest,
    testing::Values(
        FaultCase{ExecutionFault::Kind::UnknownOperation, 0x40000000},
        FaultCase{ExecutionFault::Kind::IllegalInstruction, 0x40000000},
        FaultCase{ExecutionFault::Kind::Misaligned, 0x20000000},
        FaultCase{ExecutionFault::Kind::InvalidDispatch, 0x40},
        FaultCase{ExecutionFault::Kind::Trap, 0x80000000}));

TEST_F(DispatchTest, AMemoryViolationIsReportedToTheHost) {
  Shaders->NextFault = ExecutionFault{ExecutionFault::Kind::MemoryViolation, 0,
                                      0xdead000, "k: bad address"};
  testing::internal::CaptureStderr();
  submit(dispatchPacket(nullptr), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_TRUE(eventually([&] { return TheHost.FaultAddress == 0xdead000; }));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "luthier-emulator: k: bad address\n");
}

TEST_F(DispatchTest, ImpossibleDispatchesAreRefused) {
  auto ExpectError = [&](hsa_kernel_dispatch_packet_t Packet, int64_t Error) {
    TearDown();
    Inactive.store(0);
    Processor.reset();
    HsaQueue.read_dispatch_id = 0;
    HsaQueue.write_dispatch_id = 0;
    Doorbell = ~uint64_t(0);
    SetUp();
    testing::internal::CaptureStderr();
    submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    EXPECT_TRUE(Inactive.reaches(Error)) << Inactive.value();
    EXPECT_NE(testing::internal::GetCapturedStderr(), "");
    EXPECT_TRUE(Shaders->Dispatches.empty());
  };
  auto Packet = dispatchPacket(nullptr);
  Packet.grid_size_y = 0;
  ExpectError(Packet, 0x2);
  Packet = dispatchPacket(nullptr);
  Packet.group_segment_size = 65537;
  ExpectError(Packet, 0x4);
  Packet = dispatchPacket(nullptr);
  Packet.workgroup_size_y = 17;
  ExpectError(Packet, 0x40);
  Packet = dispatchPacket(nullptr);
  Packet.kernel_object = 0;
  ExpectError(Packet, 0x8);
  Packet.kernel_object = 0x123440;
  ExpectError(Packet, 0x8);
}

TEST_F(DispatchTest, StatisticsSumEqualNames) {
  TestSignal Done(2);
  submit(dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  submit(dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ASSERT_TRUE(Done.reaches(0));
  const std::string Json = statisticsJson({&Stats});
  EXPECT_NE(Json.find("\"dispatches\": 2"), std::string::npos) << Json;
  EXPECT_NE(Json.find("\"wave_instructions\": 20"), std::string::npos) << Json;
  EXPECT_NE(Json.find("\"lane_instructions\": 1280"), std::string::npos)
      << Json;
}

} // namespace
} // namespace luthier::emulator
