// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fixture.h"
#include <hsa/hsa_ext_amd.h>

namespace luthier::emulator {
namespace {

class AqlQueueTest : public CommandProcessorTest {};

TEST_F(AqlQueueTest, CompletionFreesTheSlotStampsTimesAndRaisesTheEvent) {
  TestSignal Done;
  submit(dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ASSERT_TRUE(Done.reaches(0));
  EXPECT_EQ(Ring[0].header, HSA_PACKET_TYPE_INVALID);
  EXPECT_EQ(readIndex(), 1u);
  EXPECT_LT(Done.Signal.start_ts, Done.Signal.end_ts);
  EXPECT_TRUE(eventually([&] { return TheHost.Events == 1; }));
  EXPECT_EQ(Done.Mailbox, 7u);
}

TEST_F(AqlQueueTest, PacketsRunInOrderAndTheRingWraps) {
  TestSignal Done(40);
  for (unsigned I = 0; I < 40; ++I) {
    ASSERT_TRUE(eventually([&] { return I - readIndex() < NumPackets; }));
    auto Packet = dispatchPacket(&Done);
    Packet.grid_size_x = I + 1;
    submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  }
  ASSERT_TRUE(Done.reaches(0));
  ASSERT_EQ(Shaders->Dispatches.size(), 40u);
  for (unsigned I = 0; I < 40; ++I) {
    EXPECT_EQ(Shaders->Dispatches[I].GridSize[0], I + 1);
    EXPECT_EQ(Shaders->Dispatches[I].DispatchId, I);
  }
}

TEST_F(AqlQueueTest, DoorbellsOutOfOrderLoseNoPacket) {
  TestSignal Done(2);
  HsaQueue.write_dispatch_id = 2;
  write(1, dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  write(0, dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  // The ring for packet 1 was overwritten before anybody saw it.
  ring(0);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(AqlQueueTest, APacketNotWrittenYetIsWaitedFor) {
  TestSignal Done(2);
  HsaQueue.write_dispatch_id = 2;
  write(1, dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ring(1);
  ASSERT_TRUE(waits(*Aql));
  EXPECT_EQ(Done.value(), 2);
  write(0, dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ring(0);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(AqlQueueTest, BarrierAndWaitsForAllDependencies) {
  TestSignal First, Second, Done;
  hsa_barrier_and_packet_t Packet{};
  Packet.dep_signal[0] = First.handle();
  Packet.dep_signal[3] = Second.handle();
  Packet.completion_signal = Done.handle();
  submit(Packet, HSA_PACKET_TYPE_BARRIER_AND);
  First.store(0);
  ASSERT_TRUE(waits(*Aql));
  EXPECT_EQ(Done.value(), 1);
  Second.store(0);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(AqlQueueTest, BarrierOrWaitsForAnyDependency) {
  TestSignal First, Second, Done;
  hsa_barrier_or_packet_t Packet{};
  Packet.dep_signal[0] = First.handle();
  Packet.dep_signal[1] = Second.handle();
  Packet.completion_signal = Done.handle();
  submit(Packet, HSA_PACKET_TYPE_BARRIER_OR);
  ASSERT_TRUE(waits(*Aql));
  EXPECT_EQ(Done.value(), 1);
  Second.store(0);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(AqlQueueTest, BarriersWithoutDependenciesPassAtOnce) {
  TestSignal Done(2);
  hsa_barrier_and_packet_t And{};
  And.completion_signal = Done.handle();
  hsa_barrier_or_packet_t Or{};
  Or.completion_signal = Done.handle();
  submit(And, HSA_PACKET_TYPE_BARRIER_AND);
  submit(Or, HSA_PACKET_TYPE_BARRIER_OR);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(AqlQueueTest, BarrierValueComparesTheMaskedValue) {
  TestSignal Watched(0x10), Done;
  hsa_amd_barrier_value_packet_t Packet{};
  Packet.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
  Packet.signal = Watched.handle();
  Packet.value = 5;
  Packet.mask = 0xf;
  Packet.cond = HSA_SIGNAL_CONDITION_GTE;
  Packet.completion_signal = Done.handle();
  submit(Packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
  ASSERT_TRUE(waits(*Aql));
  EXPECT_EQ(Done.value(), 1);
  Watched.store(0x15);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(AqlQueueTest, AnIndirectBufferInvalidatesCode) {
  TestSignal Done;
  hsa_barrier_and_packet_t Packet{};
  reinterpret_cast<hsa_amd_vendor_packet_header_t *>(&Packet)->AmdFormat = 1;
  Packet.completion_signal = Done.handle();
  submit(Packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
  ASSERT_TRUE(Done.reaches(0));
  EXPECT_EQ(Shaders->Invalidations, 1u);
}

TEST_F(AqlQueueTest, AnAgentDispatchIsAnInvalidPacket) {
  testing::internal::CaptureStderr();
  submit(hsa_agent_dispatch_packet_t{}, HSA_PACKET_TYPE_AGENT_DISPATCH);
  EXPECT_TRUE(Inactive.reaches(0x20));
  const std::string Line = testing::internal::GetCapturedStderr();
  EXPECT_EQ(Line.rfind("luthier-emulator: ", 0), 0u) << Line;
}

TEST_F(AqlQueueTest, AnInactiveQueueTakesNoPackets) {
  TestSignal Done;
  Aql->setActive(false);
  ASSERT_TRUE(waits(*Aql));
  submit(dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ASSERT_TRUE(waits(*Aql));
  EXPECT_EQ(Done.value(), 1);
  Aql->setActive(true);
  EXPECT_TRUE(Done.reaches(0));
}

TEST_F(AqlQueueTest, StopsWhileItWaits) {
  TestSignal Never;
  hsa_barrier_and_packet_t Packet{};
  Packet.dep_signal[0] = Never.handle();
  submit(Packet, HSA_PACKET_TYPE_BARRIER_AND);
  ASSERT_TRUE(waits(*Aql));
  Aql.reset();
  EXPECT_EQ(readIndex(), 0u);
}

TEST_F(AqlQueueTest, EndingAQueueEndsItsDispatch) {
  std::atomic<bool> Runs{false};
  Shaders->OnRun = [&](const Dispatch &D) {
    Runs = true;
    EXPECT_TRUE(eventually([&] { return D.Cancel->load(); }));
  };
  Shaders->NextFault =
      ExecutionFault{ExecutionFault::Kind::Cancelled, 0, 0, "ended early"};
  TestSignal Done;
  submit(dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ASSERT_TRUE(eventually([&] { return Runs.load(); }));
  Aql.reset();
  // Nothing went wrong, and nothing was completed.
  EXPECT_EQ(Done.value(), 1);
  EXPECT_EQ(Inactive.value(), 0);
  EXPECT_EQ(TheHost.Preparations, 0u);
}

TEST_F(AqlQueueTest, OnlyQueuesThatAskedGetGlobalSync) {
  TestSignal First, Second;
  submit(dispatchPacket(&First), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ASSERT_TRUE(First.reaches(0));
  EXPECT_TRUE(Aql->allowGlobalSync());
  submit(dispatchPacket(&Second), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  ASSERT_TRUE(Second.reaches(0));
  ASSERT_EQ(Shaders->Dispatches.size(), 2u);
  EXPECT_FALSE(Shaders->Dispatches[0].Sync);
  EXPECT_TRUE(Shaders->Dispatches[1].Sync);
}

TEST_F(AqlQueueTest, WhoeverPluggedItInHearsOfErrorsFirst) {
  Shaders->NextFault =
      ExecutionFault{ExecutionFault::Kind::NoProgress, 0, 0, "no progress"};
  testing::internal::CaptureStderr();
  submit(dispatchPacket(nullptr), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_TRUE(Inactive.reaches(int64_t(0x80000000)));
  EXPECT_EQ(TheHost.Preparations, 1u);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no progress"),
            std::string::npos);
}

class ExceptionsTest : public CommandProcessorTest {
protected:
  void SetUp() override {
    Header.Exceptions = reinterpret_cast<uint64_t>(&Exceptions);
    Header.ExceptionEvent = 9;
    QueueAt.SaveArea = &Header;
    CommandProcessorTest::SetUp();
    testing::internal::CaptureStderr();
  }
  void TearDown() override {
    CommandProcessorTest::TearDown();
    testing::internal::GetCapturedStderr();
  }
  bool reaches(uint64_t Value) const {
    return eventually([&] {
      return __atomic_load_n(&Exceptions, __ATOMIC_ACQUIRE) == Value;
    });
  }
  bool becomes(ExecutionFault::Kind What, unsigned Code) {
    Shaders->NextFault = ExecutionFault{What, 0, 0, "a fault"};
    submit(dispatchPacket(nullptr), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    return reaches(Old | uint64_t(1) << (Code - 1));
  }

  /// A packet with what \p Spoil does to it.
  template <typename Change> bool isRefused(Change Spoil, unsigned Code) {
    auto Packet = dispatchPacket(nullptr);
    Spoil(Packet);
    submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    return reaches(Old | uint64_t(1) << (Code - 1));
  }

  static constexpr uint64_t Old = uint64_t(1) << 40;
  uint64_t Exceptions = Old;
  SaveAreaHeader Header{};
};

TEST_F(ExceptionsTest, RuntimesThatWantToHearOfThemDo) {
  EXPECT_TRUE(becomes(ExecutionFault::Kind::IllegalInstruction, 4));
  EXPECT_TRUE(eventually([&] { return TheHost.LastEvent == 9; }));
  EXPECT_EQ(Inactive.value(), 0) << "of errors, it hears once";
}
TEST_F(ExceptionsTest, Traps) {
  EXPECT_TRUE(becomes(ExecutionFault::Kind::Trap, 2));
}
TEST_F(ExceptionsTest, ApertureViolations) {
  EXPECT_TRUE(becomes(ExecutionFault::Kind::Misaligned, 6));
}
TEST_F(ExceptionsTest, WorkgroupsThatAreTooLarge) {
  EXPECT_TRUE(becomes(ExecutionFault::Kind::InvalidDispatch, 21));
}
TEST_F(ExceptionsTest, InvalidPackets) {
  submit(hsa_agent_dispatch_packet_t{}, HSA_PACKET_TYPE_AGENT_DISPATCH);
  EXPECT_TRUE(reaches(Old | uint64_t(1) << 19));
}
TEST_F(ExceptionsTest, InvalidDimensions) {
  EXPECT_TRUE(isRefused([](auto &Packet) { Packet.grid_size_y = 0; }, 16));
}
TEST_F(ExceptionsTest, FourDimensions) {
  auto Packet = dispatchPacket(nullptr);
  TestSignal Done;
  Packet.completion_signal = Done.handle();
  Packet.setup = 0;
  submit(Packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_TRUE(Done.reaches(0)) << "some leave it at 0";
  EXPECT_TRUE(isRefused([](auto &Packet) { Packet.setup = 4; }, 16));
}
TEST_F(ExceptionsTest, TooMuchGroupMemory) {
  EXPECT_TRUE(
      isRefused([](auto &Packet) { Packet.group_segment_size = 1 << 20; }, 17));
}
TEST_F(ExceptionsTest, NoKernel) {
  EXPECT_TRUE(isRefused([](auto &Packet) { Packet.kernel_object = 0; }, 18));
}

TEST_F(AqlQueueTest, DeviceInterruptsAreLookedUpInTheMailboxes) {
  Shaders->Interrupt(3);
  EXPECT_EQ(TheHost.MailboxScans, 1u);
}

} // namespace
} // namespace luthier::emulator
