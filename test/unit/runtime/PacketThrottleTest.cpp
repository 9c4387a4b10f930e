// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/PacketThrottle.h"
#include "FakeHsa.h"
#include <deque>
#include <gtest/gtest.h>

using namespace luthier;
using namespace luthier::runtime;

namespace {

/// A ring whose packets are processed only when somebody waits.
class Ring {
public:
  Ring(test::FakeHsa &Hsa, size_t Size) : Hsa(Hsa), Size(Size) {
    Hsa.WhileWaiting = [this] { processOne(); };
  }

  void submit(PacketThrottle &Throttle) {
    ASSERT_TRUE(Throttle.waitForRoom(1, [] { return false; }));
    hsa_barrier_and_packet_t Marker = {};
    bool HasMarker = Throttle.submitted(1, Marker);
    Packets.push_back(0);
    if (HasMarker)
      Packets.push_back(Marker.completion_signal.handle);
    Most = std::max(Most, Packets.size());
  }

  void processOne() {
    if (uint64_t Signal = Packets.front())
      --Hsa.Signals[Signal - 1];
    Packets.pop_front();
  }

  test::FakeHsa &Hsa;
  size_t Size, Most = 0;
  std::deque<uint64_t> Packets; ///< Handles of completion signals, or 0.
};

class PacketThrottleTest : public testing::TestWithParam<unsigned> {
protected:
  test::FakeHsa Hsa;
};

TEST_P(PacketThrottleTest, RingNeverFillsUp) {
  PacketThrottle Throttle;
  ASSERT_EQ(Throttle.open(GetParam()), HSA_STATUS_SUCCESS);
  Ring Hardware(Hsa, GetParam());
  for (unsigned I = 0; I < 50 * GetParam(); ++I)
    Hardware.submit(Throttle);
  EXPECT_LT(Hardware.Most, GetParam());
  // Nor is most of it left unused.
  EXPECT_GE(Hardware.Most, GetParam() / 2);
}

TEST_P(PacketThrottleTest, WaitingEndsWhenToldTo) {
  PacketThrottle Throttle;
  ASSERT_EQ(Throttle.open(GetParam()), HSA_STATUS_SUCCESS);
  // Nothing is ever processed.
  unsigned Submitted = 0;
  while (Throttle.waitForRoom(1, [] { return true; })) {
    hsa_barrier_and_packet_t Marker;
    Throttle.submitted(1, Marker);
    ASSERT_LT(++Submitted, GetParam());
  }
}

/// It may stand still for something that comes after more packets.
TEST_P(PacketThrottleTest, StandingProcessorLeavesNearlyAllOfTheRing) {
  PacketThrottle Throttle;
  ASSERT_EQ(Throttle.open(GetParam()), HSA_STATUS_SUCCESS);
  unsigned Submitted = 0, All = 0, Slices = 0;
  while (Throttle.waitForRoom(1, [&] { return ++Slices == 100; })) {
    hsa_barrier_and_packet_t Marker;
    All += 1 + Throttle.submitted(1, Marker);
    ++Submitted;
  }
  EXPECT_LT(All, GetParam());
  EXPECT_GE(Submitted, GetParam() * 3 / 4 - 2);
  if (GetParam() >= 1024)
    EXPECT_GE(Submitted, GetParam() - GetParam() / 16);
}

INSTANTIATE_TEST_SUITE_P(QueueSizes, PacketThrottleTest,
                         testing::Values(16, 64, 1024, 16384));

} // namespace
