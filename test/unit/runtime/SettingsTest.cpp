// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Settings.h"
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace luthier;
using namespace luthier::runtime;

namespace {

struct SettingsTest : testing::Test {
  InstrumenterOptions parse(std::map<std::string, std::string> Variables) {
    return parseSettings(
        [&](const char *Name) -> std::optional<StringRef> {
          auto It = Variables.find(Name);
          if (It == Variables.end())
            return std::nullopt;
          return It->second;
        },
        [&](const Twine &Message) { Warnings.push_back(Message.str()); });
  }
  std::vector<std::string> Warnings;
};

} // namespace

TEST_F(SettingsTest, NothingSetMeansTheDefaults) {
  const InstrumenterOptions Options = parse({});
  EXPECT_EQ(Options.Policy, RegisterPolicy::Grow);
  EXPECT_FALSE(Options.Storage);
  EXPECT_TRUE(Warnings.empty());
}

TEST_F(SettingsTest, EveryNameIsUnderstood) {
  EXPECT_EQ(parse({{"LUTHIER_REGISTERS", "no-grow"}}).Policy,
            RegisterPolicy::NoGrow);
  EXPECT_EQ(parse({{"LUTHIER_REGISTERS", "keep-occupancy"}}).Policy,
            RegisterPolicy::KeepOccupancy);
  EXPECT_EQ(parse({{"LUTHIER_STATE_STORAGE", "two-agprs"}}).Storage,
            StateValueArrayForm::TwoAgprs);
  EXPECT_EQ(parse({{"LUTHIER_STATE_STORAGE", "spilled-1sgpr"}}).Storage,
            StateValueArrayForm::SpilledWith1Sgpr);
  EXPECT_TRUE(Warnings.empty());
}

TEST_F(SettingsTest, BenchmarksCanAskForEverythingToBeSaved) {
  EXPECT_FALSE(parse({}).SavesAll);
  EXPECT_FALSE(parse({{"LUTHIER_BENCH_SAVE_ALL", "0"}}).SavesAll);
  EXPECT_TRUE(parse({{"LUTHIER_BENCH_SAVE_ALL", "1"}}).SavesAll);
}

TEST_F(SettingsTest, WhatMeansNothingIsSaidAndLeftOut) {
  const InstrumenterOptions Options =
      parse({{"LUTHIER_REGISTERS", "most"}, {"LUTHIER_STATE_STORAGE", ""}});
  EXPECT_EQ(Options.Policy, RegisterPolicy::Grow);
  EXPECT_FALSE(Options.Storage);
  ASSERT_EQ(Warnings.size(), 2u);
  EXPECT_EQ(Warnings[0], "LUTHIER_REGISTERS=most means nothing; choose one of: "
                         "grow, keep-occupancy, no-grow");
}
