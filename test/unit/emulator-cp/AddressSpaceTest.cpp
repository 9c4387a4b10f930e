// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/memory/AddressSpace.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

namespace luthier::emulator {
namespace {

TEST(AddressSpaceTest, FindsTheRangeAroundAnAddress) {
  AddressSpace Space;
  Space.map(0x1000, 0x1000);
  Space.map(0x2000, 0x1000);
  EXPECT_FALSE(Space.find(0xfff));
  EXPECT_EQ(Space.find(0x1fff)->End, 0x2000u);
  EXPECT_EQ(Space.find(0x2000)->Begin, 0x2000u);
  EXPECT_FALSE(Space.find(0x3000));
}

TEST(AddressSpaceTest, ContainsSpansAdjacentRangesButNoGap) {
  AddressSpace Space;
  Space.map(0x1000, 0x1000);
  Space.map(0x2000, 0x1000);
  Space.map(0x4000, 0x1000);
  EXPECT_TRUE(Space.contains(0x1800, 0x1000));
  EXPECT_FALSE(Space.contains(0x2800, 0x2000));
  EXPECT_FALSE(Space.contains(0x4000, ~uint64_t(0)));
}

TEST(AddressSpaceTest, OverlappingMappingsLastUntilEachIsUnmapped) {
  AddressSpace Space;
  Space.map(0x1000, 0x3000);
  Space.map(0x2000, 0x3000);
  EXPECT_EQ(Space.find(0x1000)->End, 0x5000u);
  Space.unmap(0x1000);
  EXPECT_FALSE(Space.find(0x1fff));
  EXPECT_EQ(Space.find(0x4fff)->Begin, 0x2000u);
  Space.unmap(0x2000);
  EXPECT_FALSE(Space.find(0x2000));
}

TEST(AddressSpaceTest, UnmapsTheRightOneOfTwoWithOneBegin) {
  AddressSpace Space;
  Space.map(0x1000, 0x1000);
  Space.map(0x1000, 0x4000);
  Space.unmap(0x1000, 0x1000);
  EXPECT_EQ(Space.find(0x1000)->End, 0x5000u);
}

TEST(AddressSpaceTest, GenerationGrowsWithEveryChange) {
  AddressSpace Space;
  const uint64_t Before = Space.generation();
  Space.map(0x1000, 1);
  Space.unmap(0x1000);
  EXPECT_EQ(Space.generation(), Before + 2);
}

TEST(AddressSpaceTest, AgreesWithAListOfRangesOnRandomChanges) {
  const unsigned Seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(Seed));
  std::mt19937 Random(Seed);
  AddressSpace Space;
  std::vector<AddressSpace::Range> Live;
  for (unsigned Step = 0; Step < 2000; ++Step) {
    if (Live.size() < 8 || Random() % 2) {
      const uint64_t Begin = Random() % 64, Size = 1 + Random() % 16;
      Space.map(Begin, Size);
      Live.push_back({Begin, Begin + Size});
    } else {
      const size_t Index = Random() % Live.size();
      Space.unmap(Live[Index].Begin, Live[Index].End - Live[Index].Begin);
      Live.erase(Live.begin() + Index);
    }
    for (uint64_t Address = 0; Address < 80; ++Address) {
      bool Expected = false;
      for (const AddressSpace::Range &R : Live)
        Expected |= Address >= R.Begin && Address < R.End;
      ASSERT_EQ(Space.find(Address).has_value(), Expected) << Address;
    }
  }
}

} // namespace
} // namespace luthier::emulator
