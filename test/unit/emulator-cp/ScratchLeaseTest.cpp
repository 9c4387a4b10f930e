// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/cp/Queue.h"
#include "emulator/cp/Scratch.h"
#include "gtest/gtest.h"
#include <cstring>

namespace luthier::emulator {
namespace {

/// A queue as ROCm has them since 6.2.
class ScratchLeaseTest : public testing::Test {
protected:
  template <class T> T get(unsigned Offset) const {
    T Value;
    std::memcpy(&Value, Memory + Offset, sizeof(T));
    return Value;
  }
  template <class T> void set(unsigned Offset, T Value) {
    std::memcpy(Memory + Offset, &Value, sizeof(T));
  }
  ScratchLease lease(const char *Device) {
    return {*findDeviceModel(Device), *reinterpret_cast<amd_queue_t *>(Memory)};
  }

  static constexpr unsigned Caps = 40, MaxUse = 184, LastUsed = 256;
  static constexpr uint32_t RuntimeTakesBack = 2, Both = 3;
  alignas(64) char Memory[2304] = {};
};

TEST_F(ScratchLeaseTest, NeedsTheRuntimeAndTheDevice) {
  EXPECT_FALSE(lease("gfx942").agree()) << "an older runtime";
  EXPECT_EQ(get<uint32_t>(Caps), 0u);
  set(Caps, RuntimeTakesBack);
  EXPECT_FALSE(lease("gfx90a").agree());
  EXPECT_EQ(get<uint32_t>(Caps), RuntimeTakesBack);
  EXPECT_TRUE(lease("gfx942").agree());
  EXPECT_EQ(get<uint32_t>(Caps), Both);
  EXPECT_TRUE(lease("gfx950").agree());
}

TEST_F(ScratchLeaseTest, WithoutOneWhatIsBoundMayBeUsedAndNothingIsWritten) {
  EXPECT_TRUE(lease("gfx942").use(7));
  EXPECT_EQ(get<uint64_t>(LastUsed), 0u);
}

TEST_F(ScratchLeaseTest, PacketsUpToTheLimitAreNotedAsUsers) {
  set(Caps, RuntimeTakesBack);
  set(MaxUse, UINT64_MAX);
  ScratchLease Lease = lease("gfx942");
  EXPECT_TRUE(Lease.use(7));
  EXPECT_EQ(get<uint64_t>(LastUsed), 7u);
  // What the runtime does, after which it waits for packet 7.
  set(MaxUse, get<uint64_t>(LastUsed));
  EXPECT_FALSE(Lease.use(8));
  EXPECT_EQ(get<uint64_t>(LastUsed), 7u);
}

/// Counts what it did while it was active.
class SteppingQueue final : public Queue {
public:
  SteppingQueue() : Queue(/*Doorbell=*/nullptr, /*Watch=*/nullptr) {}
  ~SteppingQueue() override { stop(); }
  std::atomic<unsigned> Steps{0}, Asked{0};

private:
  bool processPacket() override {
    if (Asked.load() == 0)
      return false;
    Asked.fetch_sub(1);
    whileActive([&] { ++Steps; });
    return true;
  }
};

TEST(QueueTest, WhatIsDoneWhileActiveIsDoneBeforeOrAfterAPause) {
  SteppingQueue Q;
  Q.start();
  for (unsigned Round = 1; Round != 50; ++Round) {
    ++Q.Asked;
    Q.setActive(false);
    const unsigned Steps = Q.Steps;
    // Two looks later it would have been seen.
    const uint64_t Looks = Q.looks();
    while (Q.looks() < Looks + 2)
      std::this_thread::yield();
    EXPECT_EQ(Q.Steps, Steps) << "in the pause";
    Q.setActive(true);
    while (Q.Steps != Round)
      std::this_thread::yield();
  }
}

} // namespace
} // namespace luthier::emulator
