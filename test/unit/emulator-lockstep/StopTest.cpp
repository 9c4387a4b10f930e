// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons that are ended from outside, and what nobody answers.
#include "Judge.h"

namespace luthier::test {
namespace {

class StopTest : public Judge {};

constexpr const char *Endless = R"(
loop:
  s_nop 0
  s_branch loop
  s_endpgm)";

TEST_F(StopTest, SaysWhy) {
  unsigned Asked = 0;
  Options.Stop = [&]() -> std::optional<std::string> {
    return ++Asked < 3 ? std::nullopt
                       : std::optional<std::string>("long enough");
  };
  const auto R = judge(Endless, Endless);
  EXPECT_FALSE(R.Found);
  EXPECT_EQ(R.OriginalFault, "long enough");
  EXPECT_EQ(Asked, 3u);
  EXPECT_GT(R.Compared, 0u);
}

TEST_F(StopTest, ADifferenceIsStillFoundFirst) {
  Options.Stop = [] { return std::optional<std::string>("too early"); };
  const auto R = judge(R"(
    s_mov_b32 s4, 1
    s_add_u32 s4, s4, s4
    s_endpgm)",
                       R"(
    s_mov_b32 s4, 1
    + s_mov_b32 s4, 2
    s_add_u32 s4, s4, s4
    s_endpgm)");
  ASSERT_TRUE(R.Found);
  EXPECT_EQ(R.Found->Register, "s4");
  EXPECT_FALSE(R.OriginalFault);
}

TEST_F(StopTest, InterruptsOfTheOriginalAreTold) {
  std::vector<uint32_t> Sent;
  Options.Interrupt = [&](uint32_t M0) { Sent.push_back(M0); };
  const std::string Kernel = R"(
    s_mov_b32 m0, 42
    s_nop 0
    s_sendmsg sendmsg(MSG_INTERRUPT)
    s_endpgm)";
  const auto R = judge(Kernel, Kernel);
  EXPECT_FALSE(R.Found);
  EXPECT_FALSE(R.OriginalFault);
  EXPECT_FALSE(Sent.empty());
  EXPECT_EQ(Sent.front(), 42u);
}

} // namespace
} // namespace luthier::test
