// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/Refusal.h"
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace luthier;

static constexpr RefusalReason AllReasons[] = {
#define LUTHIER_REFUSAL(Name, Spelling, Meaning) RefusalReason::Name,
#include "luthier/Refusal.def"
};

TEST(Refusal, SpellsEveryReasonDifferently) {
  std::set<std::string> Spellings;
  for (RefusalReason Reason : AllReasons)
    EXPECT_TRUE(Spellings.insert(toString(Reason).str()).second)
        << toString(Reason).str();
}

TEST(Refusal, CarriesReasonAndDetail) {
  llvm::Error E = refuse(RefusalReason::RegisterBudget, "needs 300 VGPRs");
  ASSERT_TRUE(E.isA<Refusal>());
  EXPECT_EQ(llvm::toString(std::move(E)), "register-budget: needs 300 VGPRs");
}

TEST(Refusal, TellsPeopleOnlyTheDetail) {
  EXPECT_EQ(detailOf(refuse(RefusalReason::LinkFailed, "no memory")),
            "no memory");
  EXPECT_EQ(detailOf(llvm::createStringError("something else")),
            "something else");
}
