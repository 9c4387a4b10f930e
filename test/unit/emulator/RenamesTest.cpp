// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Later names lead to rows that exist, and hide none.
#include "emulator/isa/Renames.h"
#include "emulator/exec/Decoder.h"
#include "emulator/isa/Operation.h"
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace luthier::test {
namespace {

struct Rename {
  const char *Later, *Canonical;
};
constexpr Rename Renames[] = {
#define LUTHIER_RENAME(Later, Canonical) {#Later, #Canonical},
#include "emulator/isa/Renames.def"
};

std::set<std::string> rowNames() {
  std::set<std::string> Names;
  for (auto Table : emulator::operationSet().Tables)
    for (const emulator::Operation &Row : Table)
      Names.insert(Row.Name);
  return Names;
}

TEST(Renames, NoRowHasALaterName) {
  std::set<std::string> Names = rowNames(), Seen;
  for (const Rename &R : Renames) {
    EXPECT_FALSE(Names.contains(R.Later)) << R.Later;
    EXPECT_TRUE(Seen.insert(R.Later).second) << R.Later << " twice";
    EXPECT_EQ(emulator::canonicalMnemonic(R.Later), R.Canonical);
  }
}

TEST(Renames, CanonicalNamesAreNotRenamedThemselves) {
  for (const Rename &R : Renames)
    EXPECT_EQ(emulator::canonicalMnemonic(R.Canonical), R.Canonical);
}

} // namespace
} // namespace luthier::test
