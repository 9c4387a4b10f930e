// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ToolOptions.h"
#include "runtime/ToolLibrary.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace luthier;
using namespace luthier::runtime;
using testing::HasSubstr;

namespace {

// At namespace scope, as in tools, so that they are this program's.
Option<unsigned> Depth("depth", 4, "levels to follow");
Option<bool> Verbose("verbose", false, "tell more");
Option<int8_t> Shift("shift", -1, "may be negative");
Option<double> Factor("factor", 0.5, "of all");
Option<std::string> File("file", "", "to write");
Option<std::string> Mode("mode", "fast", "how", {"fast", "exact"});

llvm::Error set(llvm::StringRef Text) {
  return toolOptions().set(libraryOf(&Depth).Base, Text, "tool");
}

std::string refusal(llvm::StringRef Text) { return llvm::toString(set(Text)); }

TEST(ToolOptions, TakeValuesOfTheirTypes) {
  EXPECT_EQ(*Depth, 4u);
  EXPECT_FALSE(Depth.isGiven());
  EXPECT_EQ(refusal("depth=0x10,verbose,shift=-128,factor=2.5,mode=exact"), "");
  EXPECT_EQ(*Depth, 16u);
  EXPECT_TRUE(Depth.isGiven());
  EXPECT_TRUE(*Verbose);
  EXPECT_EQ(*Shift, -128);
  EXPECT_EQ(*Factor, 2.5);
  EXPECT_EQ(*Mode, "exact");
  EXPECT_FALSE(File.isGiven());
  EXPECT_EQ(refusal("verbose=no"), "");
  EXPECT_FALSE(*Verbose);
}

TEST(ToolOptions, ABackslashKeepsCommasTogether) {
  EXPECT_EQ(refusal(R"(file=/a\,b=c\\d)"), "");
  EXPECT_EQ(*File, R"(/a,b=c\d)");
  EXPECT_EQ(refusal("file="), "");
  EXPECT_EQ(*File, "");
}

TEST(ToolOptions, RefuseWhatTheyAreNot) {
  for (const char *Wrong :
       {"depth=-1", "depth=many", "depth=", "depth=4294967296", "depth",
        "shift=128", "verbose=maybe", "factor=half", "mode=slow"})
    EXPECT_THAT(refusal(Wrong), HasSubstr("is not")) << Wrong;
  EXPECT_THAT(refusal("mode=slow"), HasSubstr("is not one of fast|exact"));
}

TEST(ToolOptions, UnknownKeysListTheKnown) {
  EXPECT_EQ(refusal("depht=1"),
            "tool has no option 'depht'; it has: depth, verbose, shift, "
            "factor, file, mode");
  EXPECT_THAT(refusal("verbose,,depth=1"), HasSubstr("no option ''"));
  EXPECT_THAT(llvm::toString(toolOptions().set(0, "a=1", "other")),
              HasSubstr("other has no option 'a' nor any other"))
      << "those of this library are not another's";
}

TEST(ToolOptions, AreListedWithTypesAndDefaults) {
  const std::string Text = toolOptions().list(libraryOf(&Depth).Base);
  EXPECT_THAT(Text, HasSubstr("mode=fast|exact"));
  EXPECT_THAT(Text, HasSubstr("levels to follow ("));
  EXPECT_THAT(Text, HasSubstr("verbose=yes|no"));
}

TEST(ToolOptions, EndWithTheirVariable) {
  static constexpr const char *Name = "for-a-while";
  {
    const Option<bool> Local(Name, false, "in no library");
    EXPECT_THAT(toolOptions().list(0), HasSubstr(Name));
  }
  EXPECT_THAT(toolOptions().list(0), testing::Not(HasSubstr(Name)));
}

} // namespace
