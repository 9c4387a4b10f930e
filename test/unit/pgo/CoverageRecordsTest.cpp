// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/CoverageRecords.h"
#include "ReadInput.h"
#include "llvm/Support/Endian.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;
using namespace luthier::test;
using testing::HasSubstr;

namespace {

class CoverageRecordsTest : public testing::Test {
protected:
  /// The bytes at \p Offset of the list of functions.
  uint8_t *function(size_t Offset) {
    return Bytes.data() +
           (Object->section("__llvm_covfun")->data() - Object->bytes().data()) +
           Offset;
  }
  Expected<CoverageRecords> read() const {
    return namedCoverageRecords(**CodeObject::create(Bytes));
  }

  const std::unique_ptr<CodeObject> Object = readInput("covered");
  std::vector<uint8_t> Bytes = Object->bytes().vec();
};

TEST_F(CoverageRecordsTest, FunctionsWithNamesStay) {
  Expected<CoverageRecords> Records = read();
  ASSERT_TRUE(bool(Records));
  EXPECT_EQ(Records->NumDropped, 0u);
  EXPECT_EQ(Records->Code, Bytes);
}

TEST_F(CoverageRecordsTest, FunctionsWithoutNameBecomeOthersWithOne) {
  const std::vector<uint8_t> Whole = Bytes;
  support::endian::write64le(function(0), 12345);
  Expected<CoverageRecords> Records = read();
  ASSERT_TRUE(bool(Records));
  EXPECT_EQ(Records->NumDropped, 1u);
  const uint64_t Now = support::endian::read64le(Records->Code.data() +
                                                 (function(0) - Bytes.data()));
  EXPECT_NE(Now, 12345u);
  EXPECT_NE(Now, support::endian::read64le(Whole.data() +
                                           (function(0) - Bytes.data())));
}

TEST_F(CoverageRecordsTest, RecordsThatAreCutOffAreRefused) {
  constexpr size_t DataSizeAt = 8;
  support::endian::write32le(function(DataSizeAt), 1 << 20);
  EXPECT_THAT(toString(read().takeError()), HasSubstr("is cut off"));
}

} // namespace
