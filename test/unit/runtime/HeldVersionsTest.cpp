// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/HeldVersions.h"
#include "FakeHsa.h"
#include <gtest/gtest.h>

using namespace luthier;
using namespace luthier::runtime;

namespace {

class HeldVersionsTest : public testing::Test {
protected:
  test::FakeHsa Hsa;
  HeldVersions Held;
  hsa_barrier_and_packet_t Marker = {};

  /// Known to the queue alone.
  std::weak_ptr<const DroppableVersion> dispatched() {
    auto New = std::make_shared<const DroppableVersion>();
    Held.add(New);
    return New;
  }
};

TEST_F(HeldVersionsTest, SubmitsNothingWhileNothingIsDropped) {
  auto Version = dispatched();
  EXPECT_FALSE(Held.submitting(Marker));
  EXPECT_FALSE(Held.submitting(Marker));
  EXPECT_FALSE(Version.expired());
  EXPECT_TRUE(Hsa.Signals.empty());
}

TEST_F(HeldVersionsTest, DroppedVersionStaysUntilItsMarkerIsReached) {
  auto Version = dispatched(), Other = dispatched();
  Version.lock()->IsDropped = true;
  ASSERT_TRUE(Held.submitting(Marker));
  ASSERT_EQ(Marker.completion_signal.handle, 1u);
  EXPECT_EQ(Hsa.Signals[0], 1);
  EXPECT_FALSE(Held.submitting(Marker)) << "one marker suffices";
  EXPECT_FALSE(Version.expired()) << "dispatches of it run";
  Hsa.Signals[0] = 0;
  EXPECT_FALSE(Held.submitting(Marker));
  EXPECT_TRUE(Version.expired());
  EXPECT_FALSE(Other.expired());
}

TEST_F(HeldVersionsTest, DispatchOfAVersionThatIsDroppedMeanwhileIsWaitedFor) {
  auto New = std::make_shared<DroppableVersion>();
  New->IsDropped = true;
  std::weak_ptr<DroppableVersion> Version = New;
  Held.add(std::move(New));
  ASSERT_TRUE(Held.submitting(Marker));
  EXPECT_FALSE(Version.expired());
  Hsa.Signals[0] = 0;
  Held.submitting(Marker);
  EXPECT_TRUE(Version.expired());
}

} // namespace
