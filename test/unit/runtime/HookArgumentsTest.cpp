// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/detail/HookArguments.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;

namespace {

using luthier::detail::HookArguments;
using Kind = HookArgument::Kind;

TEST(HookArgumentsTest, AnArrayIsAListOfArguments) {
  const HookArgument One[] = {HookArgument::pc()};
  const HookArguments<uint64_t> ForOne(One);
  const ArrayRef<HookArgument> List = ForOne;
  ASSERT_EQ(List.size(), 1u);
  EXPECT_EQ(List[0].kind(), Kind::PC);

  HookArgument Two[] = {HookArgument::size(), 7};
  const HookArguments<uint32_t, uint64_t> ForTwo(Two);
  ASSERT_EQ(ArrayRef<HookArgument>(ForTwo).size(), 2u);
  EXPECT_EQ(ArrayRef<HookArgument>(ForTwo)[0].kind(), Kind::Size);
}

TEST(HookArgumentsTest, AnArrayOfNumbersIsAnAddress) {
  static const uint64_t Numbers[2] = {};
  const HookArguments<const uint64_t *> Arguments(Numbers);
  ASSERT_EQ(ArrayRef<HookArgument>(Arguments).size(), 1u);
  EXPECT_TRUE(ArrayRef<HookArgument>(Arguments)[0].isPointer());
}

} // namespace
