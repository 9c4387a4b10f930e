// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/Options.h"
#include <gtest/gtest.h>

namespace luthier::emulator::strict {
namespace {

std::optional<Options> parse(llvm::StringRef Text) {
  std::string Error;
  auto Parsed = parseOptions(Text, Error);
  EXPECT_EQ(Error.empty(), Parsed.has_value()) << Text.str();
  return Parsed;
}

TEST(StrictOptions, AreOffByDefault) {
  for (const char *Text : {"", "0"}) {
    auto O = parse(Text);
    ASSERT_TRUE(O);
    EXPECT_FALSE(O->anyCheck());
  }
}

TEST(StrictOptions, OneAndAllMeanAllChecks) {
  for (const char *Text : {"1", "all"}) {
    auto O = parse(Text);
    ASSERT_TRUE(O) << Text;
    EXPECT_TRUE(O->Undefined && O->Waits && O->Hazards);
    EXPECT_EQ(O->Loads, LoadTiming::Latest);
    EXPECT_FALSE(O->Continue);
    EXPECT_FALSE(O->Seed);
  }
}

TEST(StrictOptions, UninitialisedValuesHaveTheirFormerNameAndAnotherSpelling) {
  for (const char *Text :
       {"undefined", "uninitialised", "uninitialized", "poison"}) {
    std::string Error;
    const std::optional<Options> O = parseOptions(Text, Error);
    ASSERT_TRUE(O) << Error;
    EXPECT_TRUE(O->Undefined && !O->Waits && !O->Hazards) << Text;
  }
}

TEST(StrictOptions, NamedChecksExcludeTheOthers) {
  auto O = parse("undefined,seed=7,continue");
  ASSERT_TRUE(O);
  EXPECT_TRUE(O->Undefined && O->Continue);
  EXPECT_FALSE(O->Waits || O->Hazards);
  EXPECT_EQ(O->Seed, 7u);
  O = parse("loads=random");
  ASSERT_TRUE(O);
  EXPECT_TRUE(O->Waits);
  EXPECT_EQ(O->Loads, LoadTiming::Random);
  EXPECT_FALSE(O->Undefined || O->Hazards);
}

TEST(StrictOptions, SettingsAloneMakeAllChecks) {
  auto O = parse("seed=3");
  ASSERT_TRUE(O);
  EXPECT_TRUE(O->Undefined && O->Waits && O->Hazards);
}

TEST(StrictOptions, MistakesAreNamed) {
  for (const char *Text : {"yes", "undefined;hazards", "seed=x", "loads=never",
                           "undefined,", "seed", "continue=1"}) {
    std::string Error;
    EXPECT_FALSE(parseOptions(Text, Error)) << Text;
    EXPECT_NE(Error.find("loads=earliest|latest|random"), std::string::npos);
  }
}

} // namespace
} // namespace luthier::emulator::strict
