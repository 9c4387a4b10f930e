// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/PrintFormat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

using namespace luthier::runtime;

namespace {

PrintArgument real(double Value) { return {llvm::bit_cast<uint64_t>(Value)}; }

TEST(PrintFormatTest, IntegersAreAsWideAsTheirConversion) {
  EXPECT_EQ(formatPrint("%d %ld %hd %hhd",
                        {{0xffffffff}, {~0ull}, {0x18000}, {0x1ff}}),
            "-1 -1 -32768 -1");
  EXPECT_EQ(formatPrint("%u %llu %x %#lx %o",
                        {{~0ull}, {~0ull}, {~0ull}, {255}, {8}}),
            "4294967295 18446744073709551615 ffffffff 0xff 10");
}

TEST(PrintFormatTest, OtherConversionsAreThoseOfC) {
  EXPECT_EQ(formatPrint("%.2f|%g|%e", {real(1.005), real(0.5), real(100)}),
            "1.00|0.5|1.000000e+02");
  EXPECT_EQ(formatPrint("%s %c %p %%", {{0, "text"}, {'x'}, {0x1234}}),
            "text x 0x1234 %");
}

TEST(PrintFormatTest, WidthAndPrecisionMayBeArguments) {
  EXPECT_EQ(formatPrint("[%5d|%-5d|%05d|%*d|%.*s]",
                        {{1}, {2}, {3}, {4}, {4}, {2}, {0, "abc"}}),
            "[    1|2    |00003|   4|ab]");
}

TEST(PrintFormatTest, WhatIsNoConversionStaysAsItIs) {
  EXPECT_EQ(formatPrint("%n %k %d", {}), "%n %k %d");
  EXPECT_EQ(formatPrint("100%", {}), "100%");
}

} // namespace
