// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of operations behind the coverage table forgets nothing.
#include "Operations.h"
#include "emulator/core/Target.h"
#include "emulator/exec/LiteralGuard.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace luthier::test {
namespace {

class OperationList : public ::testing::TestWithParam<emulator::Target> {};

TEST_P(OperationList, RandomCodeDecodesToNothingElse) {
  constexpr unsigned Seed = 1, Count = 100'000;
  std::mt19937 Random(Seed);
  for (unsigned WaveSize : {64, 32}) {
    if (WaveSize == 32 && !GetParam().HasWave32)
      continue;
    OpcodeList P(std::string(GetParam().Name), WaveSize);
    std::set<std::string> Listed = P.operations(), Seen;
    EXPECT_GT(Listed.size(), 900u);
    for (unsigned N = 0; N != Count; ++N) {
      uint32_t Words[] = {uint32_t(Random()), uint32_t(Random()), 0, 0, 0};
      uint8_t Code[sizeof(Words)];
      std::memcpy(Code, Words, sizeof(Words));
      if (emulator::hasMisplacedLiteral(Code, GetParam()) ||
          emulator::hasMistakenConstant(Code, GetParam()))
        continue;
      if (std::string Name = P.decode(Code); !Name.empty())
        Seen.insert(Name);
    }
    EXPECT_GT(Seen.size(), 300u) << "seed " << Seed;
    for (const std::string &Name : Seen)
      EXPECT_TRUE(Listed.contains(Name)) << Name << ", seed " << Seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, OperationList,
                         ::testing::ValuesIn(emulator::targets().begin(),
                                             emulator::targets().end()),
                         [](const auto &Info) {
                           return std::string(Info.param.Name);
                         });

} // namespace
} // namespace luthier::test
