// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/CoverageRecords.h"
#include "ReadInput.h"
#include "llvm/ProfileData/Coverage/CoverageMappingReader.h"
#include "llvm/Support/Endian.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <map>

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

  /// Of records; see CoverageRecords.cpp.
  static constexpr size_t DataSizeAt = 8, HeaderSize = 28, RecordAlign = 8;
  const std::unique_ptr<CodeObject> Object = readInput("covered");
  std::vector<uint8_t> Bytes = Object->bytes().vec();
};

TEST_F(CoverageRecordsTest, FunctionsWithNamesStay) {
  Expected<CoverageRecords> Records = read();
  ASSERT_TRUE(bool(Records));
  EXPECT_EQ(Records->NumDropped, 0u);
  EXPECT_EQ(Records->Code, Bytes);
}

/// Each function's hash by its name, as llvm-cov reads them.
static std::map<std::string, uint64_t> functionsOf(ArrayRef<uint8_t> Code) {
  SmallVector<std::unique_ptr<MemoryBuffer>, 4> Buffers;
  const auto Readers = cantFail(coverage::BinaryCoverageReader::create(
      MemoryBufferRef(toStringRef(Code), "code"), "", Buffers));
  std::map<std::string, uint64_t> Hashes;
  for (const auto &Reader : Readers)
    for (auto Found : *Reader) {
      const auto &Record = cantFail(std::move(Found));
      Hashes[Record.FunctionName.str()] = Record.FunctionHash;
    }
  return Hashes;
}

/// Also where it has counters, and wherever it stands among the others.
TEST_F(CoverageRecordsTest, AFunctionWithoutNameGoesAndOthersStayAsTheyAre) {
  const std::map<std::string, uint64_t> All = functionsOf(Bytes);
  const size_t Size = Object->section("__llvm_covfun")->size();
  size_t Count = 0;
  for (size_t At = 0; At < Size; ++Count) {
    const uint64_t Name = support::endian::read64le(function(At));
    support::endian::write64le(function(At), 12345);
    Expected<CoverageRecords> Records = read();
    ASSERT_TRUE(bool(Records)) << toString(Records.takeError());
    EXPECT_EQ(Records->NumDropped, 1u);
    const auto Others = functionsOf(Records->Code);
    EXPECT_EQ(Others.size(), All.size() - 1);
    for (const auto &[Function, Hash] : Others)
      EXPECT_EQ(All.at(Function), Hash);
    support::endian::write64le(function(At), Name);
    At = alignTo(At + HeaderSize +
                     support::endian::read32le(function(At + DataSizeAt)),
                 RecordAlign);
  }
  EXPECT_EQ(Count, All.size());
}

TEST_F(CoverageRecordsTest, CodeWithoutNamesHasNoFunctions) {
  const size_t Size = Object->section("__llvm_covfun")->size();
  for (size_t At = 0; At < Size;
       At = alignTo(At + HeaderSize +
                        support::endian::read32le(function(At + DataSizeAt)),
                    RecordAlign))
    support::endian::write64le(function(At), 12345);
  Expected<CoverageRecords> Records = read();
  ASSERT_TRUE(bool(Records)) << toString(Records.takeError());
  EXPECT_EQ(Records->NumDropped, functionsOf(Object->bytes()).size());
  EXPECT_EQ(functionsOf(Records->Code).size(), 0u);
}

TEST_F(CoverageRecordsTest, RecordsThatAreCutOffAreRefused) {
  support::endian::write32le(function(DataSizeAt), 1 << 20);
  EXPECT_THAT(toString(read().takeError()), HasSubstr("is cut off"));
}

} // namespace
