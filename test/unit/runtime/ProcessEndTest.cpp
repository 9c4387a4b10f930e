// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ProcessEnd.h"
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>

using namespace luthier::runtime;

namespace {

/// Of the thread that exits; the prepared threads raise theirs too.
thread_local int RaisedHere = 0;

// exit() would otherwise be faster than the thread that has told the tools.
TEST(ProcessEndTest, WhoExitsAfterASignalInsideAToolEndsByThatSignal) {
  static std::atomic<unsigned> Told = 0;
  // Its threads are there until the process is gone.
  static auto *End = new ProcessEnd({.Drain = [](pthread_t) {},
                                     .Hurry = [](auto) {},
                                     .Tell = [] { ++Told; },
                                     .IsInTool = [](pthread_t) { return true; },
                                     .Raise = [](int S) { RaisedHere = S; }});
  ASSERT_TRUE(End->prepare(std::chrono::seconds(600)));
  ASSERT_EQ(End->endsSuddenly({LUTHIER_END_SIGNAL, SIGTERM, nullptr}),
            LUTHIER_END_LATER);
  End->endsHere();
  EXPECT_EQ(RaisedHere, SIGTERM);
  EXPECT_EQ(Told, 1u);
  EXPECT_EQ(End->describe(), "SIGTERM");
}

} // namespace
