// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/ParallelMove.h"
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace luthier;

namespace {

constexpr unsigned NumRegisters = 12, Temporary = NumRegisters;

/// Runs both on registers that hold their own numbers.
void expectAtOnce(const std::vector<RegisterMove> &Moves) {
  std::vector<unsigned> Expected(NumRegisters + 1);
  std::iota(Expected.begin(), Expected.end(), 0);
  std::vector<unsigned> Actual = Expected;
  for (const RegisterMove &M : Moves)
    Expected[M.To] = M.From;
  for (const RegisterMove &M : sequentialize(Moves, Temporary))
    Actual[M.To] = Actual[M.From];
  Expected.pop_back();
  Actual.pop_back();
  EXPECT_EQ(Actual, Expected);
}

TEST(ParallelMove, KeepsWhatIsReadLater) {
  expectAtOnce({{1, 0}, {2, 1}, {3, 2}});
  expectAtOnce({{0, 1}, {1, 2}, {2, 3}});
}

TEST(ParallelMove, ExchangesTwoPairsOverOneTemporary) {
  const std::vector<RegisterMove> Moves = {{0, 1}, {1, 0}, {2, 3}, {3, 2}};
  expectAtOnce(Moves);
  EXPECT_EQ(sequentialize(Moves, Temporary).size(), 6u);
}

TEST(ParallelMove, LeavesAloneWhatStays) {
  EXPECT_TRUE(sequentialize({{3, 3}}, Temporary).empty());
}

TEST(ParallelMove, IsRightForRandomPermutationsAndCopies) {
  std::mt19937 Random(20240117);
  for (unsigned Round = 0; Round != 3000; ++Round) {
    std::vector<unsigned> To(NumRegisters), From(NumRegisters);
    std::iota(To.begin(), To.end(), 0);
    std::iota(From.begin(), From.end(), 0);
    std::shuffle(To.begin(), To.end(), Random);
    std::shuffle(From.begin(), From.end(), Random);
    const bool IsPermutation = Round % 2;
    std::vector<RegisterMove> Moves;
    for (unsigned I = 0, N = Random() % (NumRegisters + 1); I != N; ++I)
      Moves.push_back(
          {To[I], IsPermutation ? From[I] : unsigned(Random() % NumRegisters)});
    SCOPED_TRACE(Round);
    expectAtOnce(Moves);
    if (HasFailure())
      return;
  }
}

} // namespace
