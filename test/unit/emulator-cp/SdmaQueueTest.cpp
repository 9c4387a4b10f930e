// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fixture.h"
#include <numeric>

namespace luthier::emulator {
namespace {

class SdmaQueueTest : public CommandProcessorTest {
protected:
  void SetUp() override {
    CommandProcessorTest::SetUp();
    std::iota(Source.begin(), Source.end(), 0);
    mapForDevice(Source.data(), Source.size());
    mapForDevice(Target.data(), Target.size());
    mapForDevice(&Cell, sizeof(Cell));
    QueueMemory Memory;
    Memory.Ring = reinterpret_cast<uint64_t>(SdmaRing);
    Memory.RingBytes = sizeof(SdmaRing);
    Memory.ReadIndex = &ReadBytes;
    Memory.WriteIndex = &WriteBytes;
    Memory.Doorbell = &WriteBytes;
    Sdma = Processor->createSdmaQueue(Memory);
  }
  void TearDown() override {
    Sdma.reset();
    CommandProcessorTest::TearDown();
  }

  void submitWords(std::vector<uint32_t> Words) {
    uint64_t At = WriteBytes;
    for (uint32_t Word : Words) {
      SdmaRing[At / 4 % std::size(SdmaRing)] = Word;
      At += 4;
    }
    __atomic_store_n(&WriteBytes, At, __ATOMIC_RELEASE);
  }
  bool drained() {
    return eventually([&] {
      return __atomic_load_n(&ReadBytes, __ATOMIC_ACQUIRE) == WriteBytes;
    });
  }
  static uint32_t low(const void *P) {
    return uint32_t(reinterpret_cast<uint64_t>(P));
  }
  static uint32_t high(const void *P) {
    return uint32_t(reinterpret_cast<uint64_t>(P) >> 32);
  }
  std::vector<uint32_t> copyPacket(const void *To, const void *From,
                                   uint32_t Size) {
    return {1, Size - 1, 0, low(From), high(From), low(To), high(To)};
  }

  std::vector<uint8_t> Source = std::vector<uint8_t>(300);
  std::vector<uint8_t> Target = std::vector<uint8_t>(300);
  uint64_t Cell = 0;
  uint32_t SdmaRing[64] = {};
  uint64_t ReadBytes = 0, WriteBytes = 0;
  std::unique_ptr<Queue> Sdma;
};

TEST_F(SdmaQueueTest, CopiesOddSizesAndNoMore) {
  submitWords(copyPacket(Target.data() + 1, Source.data() + 3, 13));
  ASSERT_TRUE(drained());
  EXPECT_EQ(Target[0], 0);
  EXPECT_TRUE(std::equal(&Target[1], &Target[14], &Source[3]));
  EXPECT_EQ(Target[14], 0);
}

TEST_F(SdmaQueueTest, AddressesAreTheDevices) {
  // Registered host memory has other addresses there.
  constexpr uint64_t Alias = 0x7000'0000'0000;
  Processor->memory().mapAt(Alias, Target.size(), Target.data());
  submitWords(copyPacket(reinterpret_cast<void *>(Alias), Source.data(), 30));
  ASSERT_TRUE(drained());
  EXPECT_TRUE(std::equal(&Target[0], &Target[30], &Source[0]));
}

TEST_F(SdmaQueueTest, TheRingWrapsWithinAPacket) {
  for (unsigned I = 0; I < 30; ++I) {
    submitWords(copyPacket(&Target[I], &Source[I], 1));
    ASSERT_TRUE(drained());
  }
  EXPECT_TRUE(std::equal(&Target[0], &Target[30], &Source[0]));
}

TEST_F(SdmaQueueTest, CopiesRectangles) {
  // 3 x 2 x 2 elements of two bytes, from pitch 20 and slice 60 to 10 and 30.
  const uint32_t ElementIsTwoBytes = 1u << 29;
  submitWords({1 | 4 << 8 | ElementIsTwoBytes, low(&Source[0]),
               high(&Source[0]), /*x=*/1 | /*y=*/1 << 16, 9 << 13, 29,
               low(&Target[0]), high(&Target[0]), 0, 4 << 13, 14,
               /*x=*/2 | /*y=*/1 << 16, /*z=*/1});
  ASSERT_TRUE(drained());
  for (unsigned Z = 0; Z < 2; ++Z)
    for (unsigned Y = 0; Y < 2; ++Y)
      for (unsigned X = 0; X < 6; ++X)
        EXPECT_EQ(Target[Z * 30 + Y * 10 + X],
                  Source[2 + Z * 60 + (Y + 1) * 20 + X]);
}

class WideSdmaQueueTest : public SdmaQueueTest {
protected:
  const char *device() const override { return "gfx1201"; }
};

/// The same, in the fields that SDMA 7 has.
TEST_F(WideSdmaQueueTest, CopiesRectangles) {
  const uint32_t ElementIsTwoBytes = 1u << 29;
  submitWords({1 | 4 << 8 | ElementIsTwoBytes, low(&Source[0]),
               high(&Source[0]), /*x=*/1 | /*y=*/1 << 16, 9 << 16, 29,
               low(&Target[0]), high(&Target[0]), 0, 4 << 16, 14,
               /*x=*/2 | /*y=*/1 << 16, /*z=*/1});
  ASSERT_TRUE(drained());
  for (unsigned Z = 0; Z < 2; ++Z)
    for (unsigned Y = 0; Y < 2; ++Y)
      for (unsigned X = 0; X < 6; ++X)
        EXPECT_EQ(Target[Z * 30 + Y * 10 + X],
                  Source[2 + Z * 60 + (Y + 1) * 20 + X]);
}

TEST_F(SdmaQueueTest, FillsWithEitherSpellingOfTheCount) {
  const uint32_t Words = 2u << 30;
  submitWords({11 | Words, low(&Target[0]), high(&Target[0]), 0x01020304, 15});
  submitWords(
      {11 | Words, low(&Target[100]), high(&Target[100]), 0x01020304, 12});
  ASSERT_TRUE(drained());
  for (unsigned Base : {0u, 100u}) {
    EXPECT_EQ(Target[Base], 4);
    EXPECT_EQ(Target[Base + 15], 1);
    EXPECT_EQ(Target[Base + 16], 0);
  }
}

TEST_F(SdmaQueueTest, PollHoldsBackWhatFollows) {
  const uint32_t Equal = 3u << 28, Memory = 1u << 31;
  submitWords({8 | Equal | Memory, low(&Cell), high(&Cell), 5, 0xff, 0});
  submitWords(copyPacket(Target.data(), Source.data() + 1, 4));
  ASSERT_TRUE(waits(*Sdma));
  EXPECT_EQ(Target[0], 0);
  __atomic_store_n(&Cell, 0x105, __ATOMIC_RELEASE);
  ASSERT_TRUE(drained());
  EXPECT_EQ(Target[0], 1);
}

TEST_F(SdmaQueueTest, AtomicFenceTimestampAndTrap) {
  Cell = 3;
  submitWords({10 | 47u << 25, low(&Cell), high(&Cell), ~0u, ~0u, 0, 0, 0});
  ASSERT_TRUE(drained());
  EXPECT_EQ(Cell, 2u);
  submitWords({5, low(&Cell), high(&Cell), 77});
  ASSERT_TRUE(drained());
  EXPECT_EQ(Cell, 77u);
  submitWords({13 | 2 << 8, low(&Cell), high(&Cell)});
  submitWords({6, 9});
  ASSERT_TRUE(drained());
  EXPECT_GT(Cell, 77u);
  EXPECT_EQ(TheHost.Events, 1u);
}

TEST_F(SdmaQueueTest, UnmappedMemoryIsAFault) {
  uint64_t Elsewhere = 0;
  testing::internal::CaptureStderr();
  submitWords(copyPacket(&Elsewhere, Source.data(), 8));
  EXPECT_TRUE(eventually([&] {
    return TheHost.FaultAddress == reinterpret_cast<uint64_t>(&Elsewhere);
  }));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("unmapped"),
            std::string::npos);
  EXPECT_EQ(Elsewhere, 0u);
}

/// Runtimes of later versions may write packets that nobody has seen yet.
TEST_F(SdmaQueueTest, PacketsThatAreNotEmulatedAreNamed) {
  testing::internal::CaptureStderr();
  submitWords({1 | 9 << 8, 0, 0, 0});
  EXPECT_TRUE(eventually([&] {
    return TheHost.FaultAddress == reinterpret_cast<uint64_t>(SdmaRing);
  }));
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "SDMA packet with opcode 1.9 is not emulated; the runtime will "
                "call it a memory fault at 0x"),
            std::string::npos);
}

} // namespace
} // namespace luthier::emulator
