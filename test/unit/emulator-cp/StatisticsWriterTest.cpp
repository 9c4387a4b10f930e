// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/StatisticsWriter.h"
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

using luthier::emulator::StatisticsWriter;
using When = StatisticsWriter::When;

/// A thread that writes in between again and again meets the last report: many
/// times, for one meeting seldom goes wrong.
TEST(StatisticsWriterTest, NothingIsWrittenBehindTheLastReport) {
  constexpr int Rounds = 2000;
  for (int Round = 0; Round != Rounds; ++Round) {
    std::vector<When> Written;
    StatisticsWriter Writer([&](When W) { Written.push_back(W); });
    std::atomic<bool> IsWriting = false, IsOver = false;
    std::thread Other([&] {
      while (!IsOver) {
        Writer.write(When::InBetween);
        IsWriting = true;
        std::this_thread::yield(); // Mutexes need not be fair.
      }
    });
    while (!IsWriting)
      std::this_thread::yield();
    Writer.writeLast();
    Writer.write(When::InBetween);
    IsOver = true;
    Other.join();
    ASSERT_EQ(Written.back(), When::AtEnd) << "round " << Round;
  }
}

TEST(StatisticsWriterTest, NoneInBetweenReplacesThatOfAFaultWhereNoEndIsSeen) {
  std::vector<When> Written;
  StatisticsWriter Writer([&](When W) { Written.push_back(W); });
  Writer.write(When::InBetween);
  Writer.write(When::AtFault);
  Writer.write(When::InBetween);
  Writer.writeLast();
  EXPECT_EQ(Written,
            (std::vector{When::InBetween, When::AtFault, When::AtEnd}));
}

TEST(StatisticsWriterTest, TheLastReportIsWrittenOnce) {
  std::vector<When> Written;
  StatisticsWriter Writer([&](When W) { Written.push_back(W); });
  Writer.write(When::AtFault);
  Writer.writeLast();
  Writer.writeLast();
  EXPECT_EQ(Written, (std::vector{When::AtFault, When::AtEnd}));
}

} // namespace
