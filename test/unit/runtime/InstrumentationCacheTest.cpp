// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/InstrumentationCache.h"
#include "luthier/Refusal.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::runtime;

namespace {

TEST(CooperativeLaunch, NeedsTheOriginalsOccupancy) {
  Redirection Target;
  Target.WavesBefore = Target.WavesAfter = 8;
  EXPECT_FALSE(checkFitsCooperatively(Target));
  Target.WavesAfter = 10;
  EXPECT_FALSE(checkFitsCooperatively(Target));
  Target.WavesAfter = 7;
  Error E = checkFitsCooperatively(Target);
  ASSERT_TRUE(E.isA<Refusal>());
  handleAllErrors(std::move(E), [](const Refusal &R) {
    EXPECT_EQ(R.reason(), RefusalReason::RegisterBudget);
    EXPECT_TRUE(R.detail().contains("7 waves")) << R.detail().str();
  });
}

} // namespace
