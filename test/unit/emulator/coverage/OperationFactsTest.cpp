// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation that is emulated has the facts that LLVM's tables call for,
// and every row of facts belongs to an operation.
#include "emulator/isa/OperationFacts.h"
#include "Operations.h"
#include "emulator/core/Target.h"
#include "emulator/exec/Disassembler.h"
#include "emulator/exec/RowCheck.h"
#include "emulator/isa/Operation.h"
#include "emulator/isa/Renames.h"
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <set>
#include <vector>

namespace luthier::test {
namespace {

using namespace emulator;

std::set<std::string> allOperations() {
  std::set<std::string> Names;
  for (std::span<const Operation> Table : operationSet().Tables)
    for (const Operation &Op : Table)
      Names.insert(Op.Name);
  return Names;
}

class FactsOfTarget : public ::testing::TestWithParam<Target> {};

TEST_P(FactsOfTarget, NoOperationLacksAny) {
  const std::set<std::string> Emulated = allOperations();
  std::set<std::string> Others;
  std::map<std::string, std::string> Missing;
  for (unsigned WaveSize : {64, 32}) {
    if (WaveSize == 32 && !GetParam().HasWave32)
      continue;
    std::string Error;
    auto Code = Disassembler::create(GetParam(), WaveSize, Error);
    ASSERT_TRUE(Code) << Error;
    for (const auto &[Name, Bytes] :
         OpcodeList(std::string(GetParam().Name), WaveSize).samples()) {
      const std::string &Canonical = canonicalMnemonic(Name);
      llvm::MCInst MI;
      if (!Emulated.contains(Canonical) || !Code->read(Bytes, MI)) {
        Others.insert(Name);
        continue;
      }
      std::string What = missingFacts(factsOf(Canonical),
                                      Code->instructions().get(MI.getOpcode()),
                                      Code->registers());
      if (!What.empty())
        Missing[Name] = What;
    }
  }
  for (const auto &[Name, What] : Missing)
    ADD_FAILURE() << Name << ": the table does not say " << What;
  std::cout << "not emulated, or not with operands of a sample:";
  for (const std::string &Name : Others)
    std::cout << ' ' << Name;
  std::cout << '\n';
}

INSTANTIATE_TEST_SUITE_P(Targets, FactsOfTarget,
                         ::testing::ValuesIn(targets().begin(),
                                             targets().end()),
                         [](const auto &Info) {
                           return std::string(Info.param.Name);
                         });

TEST(OperationFacts, EachRowBelongsToOneOperation) {
  const std::set<std::string> Emulated = allOperations();
  std::set<std::string_view> Seen;
  for (const OperationFacts &Row : operationFacts()) {
    EXPECT_TRUE(Emulated.contains(std::string(Row.Name))) << Row.Name;
    EXPECT_TRUE(Seen.insert(Row.Name).second) << Row.Name;
  }
}

TEST(OperationFacts, EachOperationIsOneOfSomeTarget) {
  std::set<std::string> Known;
  for (const Target &T : targets())
    for (unsigned WaveSize : {64, 32}) {
      if (WaveSize == 32 && !T.HasWave32)
        continue;
      for (const std::string &Name :
           OpcodeList(std::string(T.Name), WaveSize).operations())
        Known.insert(canonicalMnemonic(Name));
    }
  const std::string ToLds = " lds", Dual = "v_dual";
  // A line of the table stands for an operation in each segment, of which these
  // do not exist.
  const std::set<std::string> InOtherSegments = {"scratch_load_lds_dwordx3",
                                                 "scratch_load_lds_dwordx4"};
  for (std::string Name : allOperations()) {
    if (InOtherSegments.contains(Name)) {
      EXPECT_FALSE(Known.contains(Name)) << Name;
      continue;
    }
    // LLVM has one mnemonic for loads to registers and to LDS, and one for each
    // pair of operations in one instruction.
    if (Name.ends_with(ToLds))
      Name.resize(Name.size() - ToLds.size());
    auto Found = Known.lower_bound(Name);
    EXPECT_TRUE(Found != Known.end() &&
                (*Found == Name || (Name == Dual && Found->starts_with(Dual))))
        << Name;
  }
}

struct Unlisted {
  const char *Name, *Other;
  std::vector<uint8_t> Code;
  const char *What;
};

class WithoutARow : public ::testing::TestWithParam<Unlisted> {};

TEST_P(WithoutARow, AnOperationIsRefused) {
  std::string Error;
  auto Code = Disassembler::create(*findTarget("gfx90a"), 64, Error);
  ASSERT_TRUE(Code) << Error;
  llvm::MCInst MI;
  ASSERT_TRUE(Code->read(GetParam().Code, MI));
  const llvm::MCInstrDesc &Desc = Code->instructions().get(MI.getOpcode());
  EXPECT_EQ(missingFacts(factsOf(GetParam().Name), Desc, Code->registers()),
            "");
  EXPECT_EQ(missingFacts(factsOf(GetParam().Other), Desc, Code->registers()),
            GetParam().What);
}

INSTANTIATE_TEST_SUITE_P(
    Operations, WithoutARow,
    ::testing::Values(Unlisted{"ds_add_rtn_u32",
                               "ds_foo_rtn_u32",
                               {0, 0, 0x40, 0xd8, 0, 0, 0, 0},
                               "how it accesses memory"},
                      Unlisted{"s_nop",
                               "s_foo",
                               {0, 0, 0x80, 0xbf},
                               "what it does to the wave"},
                      Unlisted{"s_movk_i32",
                               "s_fook_i32",
                               {0, 0, 0, 0xb0},
                               "whether it does more than compute"},
                      Unlisted{"s_cmp_eq_i32",
                               "s_cmp_foo_i32",
                               {0, 0, 0, 0xbf},
                               "whether it does more than compute"}),
    [](const auto &Info) { return std::string(Info.param.Name); });

/// The last digits of a name are not always what a lane accesses.
TEST(OperationFacts, BytesAreThoseOfMemory) {
  EXPECT_EQ(factsOf("ds_pk_add_f16").Bytes, 4);
  EXPECT_EQ(factsOf("ds_read_b64_tr_b16").Bytes, 8);
  EXPECT_EQ(factsOf("ds_read_b96_tr_b6").Bytes, 12);
  EXPECT_EQ(factsOf("ds_write_b8_d16_hi").Bytes, 1);
  EXPECT_EQ(factsOf("ds_read_b128").Bytes, 16);
}

} // namespace
} // namespace luthier::test
