// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of matrix hazards has a row for every matrix operation there is.
#include "emulator/strict/MatrixRows.h"
#include "Operations.h"
#include "emulator/core/Target.h"
#include "emulator/isa/OperationFacts.h"
#include "emulator/isa/Renames.h"
#include <gtest/gtest.h>

namespace luthier::test {
namespace {

using namespace emulator;

class MatrixRows : public ::testing::TestWithParam<const char *> {};

TEST_P(MatrixRows, AreThereForAllMatrixOperationsOfTheTarget) {
  const Target &T = *findTarget(std::string_view(GetParam()));
  ASSERT_TRUE(strict::hasMatrixHazards(T.Hazards));
  unsigned Count = 0;
  for (const std::string &Name : OpcodeList(GetParam(), 64).operations()) {
    const OperationFacts &Facts = factsOf(canonicalMnemonic(Name));
    if (!Facts.Matrix.Rows)
      continue;
    ++Count;
    EXPECT_TRUE(strict::matrixHazard(T.Hazards, Facts.Matrix)) << Name;
  }
  EXPECT_GT(Count, 15u);
}

TEST_P(MatrixRows, AreNotThereForOtherShapes) {
  const Target &T = *findTarget(std::string_view(GetParam()));
  EXPECT_FALSE(
      strict::matrixHazard(T.Hazards, {8, 4, emulator::MatrixUnit::Narrow}));
  EXPECT_FALSE(
      strict::matrixHazard(T.Hazards, {32, 4, emulator::MatrixUnit::Double}));
}

INSTANTIATE_TEST_SUITE_P(Targets, MatrixRows,
                         ::testing::Values("gfx908", "gfx90a", "gfx942",
                                           "gfx950"),
                         [](const auto &Info) {
                           return std::string(Info.param);
                         });

TEST(MatrixTable, IsOfTargetsWithAgprs) {
  for (const Target &T : targets())
    EXPECT_EQ(strict::hasMatrixHazards(T.Hazards), T.HasAgprs) << T.Name;
}

} // namespace
} // namespace luthier::test
