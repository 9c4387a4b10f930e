// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks of compute units, from the driver's call to the shaders.
#include "Fixture.h"
#include "emulator/kfd/QueueTable.h"
#include <cerrno>

namespace luthier::emulator {
namespace {

class UnitMaskTest : public CommandProcessorTest {
protected:
  void SetUp() override {
    CommandProcessorTest::SetUp();
    Aql.reset();
    Id = create(KFD_IOC_QUEUE_TYPE_COMPUTE_AQL);
  }
  void TearDown() override { EXPECT_EQ(Table.destroy(Id), 0); }

  uint32_t create(uint32_t Type) {
    kfd_ioctl_create_queue_args Args{};
    Args.queue_type = Type;
    Args.ring_base_address = QueueAt.Ring;
    Args.ring_size = uint32_t(QueueAt.RingBytes);
    Args.read_pointer_address = reinterpret_cast<uint64_t>(QueueAt.ReadIndex);
    Args.write_pointer_address = reinterpret_cast<uint64_t>(QueueAt.WriteIndex);
    EXPECT_EQ(Table.create(*Processor, Doorbells, /*Watch=*/nullptr, Args), 0);
    return Args.queue_id;
  }

  int set(const std::vector<uint32_t> &Mask) {
    return set(Id, uint32_t(Mask.size() * 32), Mask.data());
  }
  int set(uint32_t Queue, uint32_t NumBits, const uint32_t *Words) {
    kfd_ioctl_set_cu_mask_args Args{};
    Args.queue_id = Queue;
    Args.num_cu_mask = NumBits;
    Args.cu_mask_ptr = reinterpret_cast<uint64_t>(Words);
    return Table.setUnitMask(Args);
  }

  /// What the shaders are given with the next kernel.
  std::vector<uint32_t> given() {
    TestSignal Done;
    const uint64_t Index = HsaQueue.write_dispatch_id;
    __atomic_store_n(&HsaQueue.write_dispatch_id, Index + 1, __ATOMIC_RELEASE);
    write(Index, dispatchPacket(&Done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    __atomic_store_n(&Doorbells[0], Index, __ATOMIC_RELEASE);
    EXPECT_TRUE(Done.reaches(0));
    return Shaders->Dispatches.back().UnitMask;
  }

  uint64_t Doorbells[2] = {};
  QueueTable Table;
  uint32_t Id = 0;
};

using Words = std::vector<uint32_t>;

TEST_F(UnitMaskTest, QueuesHaveNone) { EXPECT_EQ(given(), Words{}); }

TEST_F(UnitMaskTest, GoesWithEveryKernelFromThenOn) {
  EXPECT_EQ(set({0b101}), 0);
  EXPECT_EQ(given(), Words{0b101});
  EXPECT_EQ(given(), Words{0b101});
  EXPECT_EQ(set({0b10, 1}), 0);
  EXPECT_EQ(given(), (Words{0b10, 1}));
}

TEST_F(UnitMaskTest, SurvivesUpdatesOfTheQueue) {
  EXPECT_EQ(set({6}), 0);
  EXPECT_EQ(Table.setActive(Id, false), 0);
  EXPECT_EQ(Table.setActive(Id, true), 0);
  EXPECT_EQ(given(), Words{6});
}

TEST_F(UnitMaskTest, WhatTheDriverDoesNotTakeChangesNothing) {
  const uint32_t Mask[] = {1, 2};
  EXPECT_EQ(set({6}), 0);
  EXPECT_EQ(set(Id, 0, Mask), EINVAL);
  EXPECT_EQ(set(Id, 33, Mask), EINVAL);
  EXPECT_EQ(set(Id, 32, nullptr), EFAULT);
  EXPECT_EQ(set(Id + 1, 32, Mask), EFAULT);
  EXPECT_EQ(given(), Words{6});
}

TEST_F(UnitMaskTest, HasNoMoreBitsThanTheDriverLooksAt) {
  EXPECT_EQ(set(Words(40, 1)), 0);
  EXPECT_EQ(given(), Words(32, 1));
}

TEST_F(UnitMaskTest, IsNothingToQueuesOfCopies) {
  const uint32_t Mask = 1;
  // Of the same memory, in which nothing is.
  const uint32_t Copies = create(KFD_IOC_QUEUE_TYPE_SDMA);
  EXPECT_EQ(set(Copies, 32, &Mask), 0);
  EXPECT_EQ(Table.destroy(Copies), 0);
  EXPECT_EQ(given(), Words{});
}

class UnitMaskOfPairsTest : public UnitMaskTest {
  const char *device() const override { return "gfx1030"; }
};

TEST_F(UnitMaskOfPairsTest, HasBothOfAPairOrNone) {
  EXPECT_EQ(set({0b1100}), 0);
  for (uint32_t Half : {0b01u, 0b10u, 0b0110u, 0x80000000u})
    EXPECT_EQ(set({Half}), EINVAL) << Half;
  EXPECT_EQ(set({0b11, 0b1}), EINVAL);
  EXPECT_EQ(given(), Words{0b1100});
}

} // namespace
} // namespace luthier::emulator
