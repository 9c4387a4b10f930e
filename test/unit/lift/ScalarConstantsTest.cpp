// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/ScalarConstants.h"
#include "../analysis/Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class ScalarConstantsTest : public ::testing::TestWithParam<TargetCase> {
protected:
  /// Where the instruction at `jump:` goes.
  std::optional<uint64_t> target(const std::string &Assembly) {
    Kernel = liftAssembly(Assembly, GetParam());
    if (!Kernel.LR)
      return std::nullopt;
    const MachineInstr &Jump = Kernel.at("jump");
    auto addressOf = [&](const MachineInstr &MI) {
      return Kernel.LR->originalAddress(MI);
    };
    return ScalarConstants::run(*Jump.getMF(), {.AddressOf = addressOf})
        .targetOf(Jump);
  }
  LiftedKernel Kernel;
};

constexpr const char *AddDistance = R"(
    s_add_u32 s4, s4, there-.Lpc
    s_addc_u32 s5, s5, 0
)";
constexpr const char *Rest = R"(
    s_endpgm
  there:
    s_nop 0
    s_endpgm
)";

TEST_P(ScalarConstantsTest, FollowsTheProgramCounterThroughCopies) {
  // gfx12 code extends the sign itself.
  EXPECT_EQ(target(R"(
    s_getpc_b64 s[4:5]
  .Lpc:
    s_sext_i32_i16 s5, s5)" +
                   std::string(AddDistance) + R"(
    s_mov_b64 s[16:17], s[4:5]
    s_mov_b32 s20, s16
    s_mov_b32 s21, s17
    s_mov_b32 s4, 0
    jump: s_swappc_b64 s[30:31], s[20:21]
  )" + Rest),
            Kernel.Labels["there"]);
}

TEST_P(ScalarConstantsTest, KnowsTheSignOfShortConstants) {
  EXPECT_EQ(target(R"(
    s_branch over
  there:
    s_nop 0
    s_nop 0
  over:
    s_movk_i32 s6, -16
    s_getpc_b64 s[4:5]
  .Lhere:
    s_add_u32 s4, s4, s6
    jump: s_swappc_b64 s[30:31], s[4:5]
    s_endpgm)"),
            Kernel.Labels["there"]);
}

TEST_P(ScalarConstantsTest, GoesBackwardsToo) {
  auto Target = target(R"(
    s_branch over
  there:
    s_endpgm
  over:
    s_getpc_b64 s[4:5]
  .Lpc:
    s_add_u32 s4, s4, there-.Lpc
    s_addc_u32 s5, s5, -1
    jump: s_setpc_b64 s[4:5]
  )");
  EXPECT_EQ(Target, Kernel.Labels["there"]);
}

TEST_P(ScalarConstantsTest, CrossesBlocksAndLanes) {
  EXPECT_EQ(target(R"(
    s_getpc_b64 s[4:5]
  .Lpc:)" + std::string(AddDistance) +
                   R"(
    v_writelane_b32 v40, s4, 3
    v_writelane_b32 v40, s5, 4
    s_mov_b32 s6, 5
  loop:
    v_writelane_b32 v40, s6, 5
    s_sub_u32 s6, s6, 1
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 loop
    v_readlane_b32 s8, v40, 3
    v_readlane_b32 s9, v40, 4
    jump: s_swappc_b64 s[30:31], s[8:9]
  )" + Rest),
            Kernel.Labels["there"]);
}

TEST_P(ScalarConstantsTest, RegistersOfTrapHandlersAreNoOthers) {
  EXPECT_EQ(target(R"(
    s_getpc_b64 s[4:5]
  .Lpc:)" + std::string(AddDistance) +
                   R"(
    s_mov_b64 ttmp[2:3], s[4:5]
    jump: s_setpc_b64 s[0:1]
  )" + Rest),
            std::nullopt);
}

TEST_P(ScalarConstantsTest, TwoWaysThatDisagreeAreUnknown) {
  EXPECT_EQ(target(R"(
    s_getpc_b64 s[4:5]
  .Lpc:)" + std::string(AddDistance) +
                   R"(
    s_cbranch_scc0 skip
    s_add_u32 s4, s4, 4
  skip:
    jump: s_setpc_b64 s[4:5]
  )" + Rest),
            std::nullopt);
}

TEST_P(ScalarConstantsTest, ALaterRoundThatKnowsLessWins) {
  // On the first way into the loop s4 is known; on the way back it is not.
  EXPECT_EQ(target(R"(
    s_getpc_b64 s[4:5]
  .Lpc:)" + std::string(AddDistance) +
                   R"(
  loop:
    s_cbranch_vccz other
    jump: s_setpc_b64 s[4:5]
  other:
    s_add_u32 s4, s4, s7
    s_branch loop
  )" + Rest),
            std::nullopt);
}

TEST_P(ScalarConstantsTest, CalleesMayWriteAnything) {
  EXPECT_EQ(target(R"(
    s_getpc_b64 s[4:5]
  .Lpc:)" + std::string(AddDistance) +
                   R"(
    s_swappc_b64 s[30:31], s[4:5]
    jump: s_swappc_b64 s[30:31], s[4:5]
  )" + Rest),
            std::nullopt);
}

TEST_P(ScalarConstantsTest, DirectCalls) {
  EXPECT_EQ(target(R"(
    jump: s_call_b64 s[30:31], there
  )" + std::string(Rest)),
            Kernel.Labels["there"]);
}

INSTANTIATE_TEST_SUITE_P(Targets, ScalarConstantsTest,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
