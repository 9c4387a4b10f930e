// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of instructions hold every instruction once, and end where the active
// lanes may change.
#include "luthier/InstructionRuns.h"
#include "Kernels.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "luthier/Instructions.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class InstructionRuns : public ::testing::TestWithParam<TargetCase> {};

TEST_P(InstructionRuns, EndBehindWhatChangesExecOrLeavesTheBlock) {
  const std::string Compare = GetParam().isGfx9()
                                  ? "v_cmpx_eq_u32_e32 vcc, 0, v2"
                                  : "v_cmpx_eq_u32_e32 0, v2";
  const LiftedKernel Kernel = liftAssembly(R"(
      v_mov_b32_e32 v1, v0
      s_mov_b32 s4, 1
      v_readfirstlane_b32 s5, v1
      s_mov_b32 exec_lo, s4
      v_mov_b32_e32 v2, v0
      )" + Compare + R"(
      v_mov_b32_e32 v3, v0
      s_cmp_eq_u32 s2, 0
      s_cbranch_scc1 end
      v_mov_b32_e32 v3, v1
 end: s_endpgm
)",
                                           GetParam());
  ASSERT_TRUE(Kernel.LR);
  const std::vector<InstructionRun> Runs = instructionRuns(*Kernel.LR);
  SmallVector<std::pair<unsigned, unsigned>> Counts;
  unsigned All = 0, Instructions = 0;
  for (const InstructionRun &R : Runs) {
    Counts.push_back({R.Scalar, R.Vector});
    All += R.Scalar + R.Vector;
  }
  for ([[maybe_unused]] MachineInstr &MI : Kernel.LR->instructions())
    ++Instructions;
  const SmallVector<std::pair<unsigned, unsigned>> Expected = {
      {3, 1}, {0, 2}, {2, 1}, {0, 1}, {1, 0}};
  EXPECT_EQ(Counts, Expected);
  EXPECT_EQ(All, Instructions);
  EXPECT_EQ(Runs[1].First->getOpcode(), unsigned(AMDGPU::V_MOV_B32_e32));
}

/// Numbers of vector instructions by the label that a group begins with.
std::map<std::string, size_t> groupsOf(const LiftedKernel &Kernel) {
  std::map<std::string, size_t> Result;
  for (const LaneGroup &Group : laneGroups(*Kernel.LR)) {
    std::string Name = "?";
    for (const auto &Label : Kernel.Labels)
      if (Group.Begin == &Kernel.at(Label.first()))
        Name = Label.first().str();
    Result[Name] += Group.Instructions.size();
  }
  return Result;
}

using Groups = std::map<std::string, size_t>;

TEST(LaneGroups, JoinWhatRunsBeforeAndBehindConditions) {
  const LiftedKernel Kernel = liftAssembly(R"(
 begin:
    v_cmp_gt_u32_e32 vcc, s8, v0
    s_and_saveexec_b64 s[4:5], vcc
 first:
    v_mov_b32_e32 v1, v0
    v_mov_b32_e32 v2, v0
    s_cbranch_execz join
    v_cmp_gt_u32_e32 vcc, s9, v0
    s_and_saveexec_b64 s[6:7], vcc
 inner:
    s_cbranch_execz end_inner
    v_mov_b32_e32 v3, v0
 end_inner:
    s_or_b64 exec, exec, s[6:7]
    v_mov_b32_e32 v4, v0
 join:
    s_or_b64 exec, exec, s[4:5]
    v_mov_b32_e32 v5, v0
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  const auto Found = laneGroups(*Kernel.LR);
  // Seven vector instructions: of all lanes, two that run in any case behind
  // the first condition, and two that do not.
  SmallVector<size_t> Sizes;
  for (const LaneGroup &Group : Found)
    Sizes.push_back(Group.Instructions.size());
  EXPECT_EQ(Sizes, SmallVector<size_t>({2, 2, 2, 1}));
  EXPECT_EQ(Found[0].Begin, &Kernel.at("begin"));
  EXPECT_EQ(Found[1].Begin, &Kernel.at("first"));
}

/// What may be executed without the other is counted for itself.
TEST(LaneGroups, KeepApartWhatIsNotExecutedTogether) {
  const LiftedKernel Kernel = liftAssembly(R"(
 begin:
    v_mov_b32_e32 v1, v0
    s_cmp_eq_u32 s8, 0
    s_cbranch_scc1 other
 one:
    v_mov_b32_e32 v2, v0
    s_branch join
 other:
    v_mov_b32_e32 v3, v0
    v_mov_b32_e32 v4, v0
 join:
    v_mov_b32_e32 v5, v0
 loop:
    v_mov_b32_e32 v6, v0
    s_add_u32 s8, s8, 1
    s_cmp_lt_u32 s8, 9
    s_cbranch_scc1 loop
 last:
    v_mov_b32_e32 v7, v0
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(groupsOf(Kernel),
            (Groups{{"begin", 3}, {"one", 1}, {"other", 2}, {"loop", 1}}));
}

/// By the label that a group begins with, how often its lanes count.
std::map<std::string, int> weightsOf(const LiftedKernel &Kernel) {
  std::map<std::string, int> Result;
  for (const LaneGroup &Group : laneGroups(*Kernel.LR)) {
    std::string Name = "?";
    for (const auto &Label : Kernel.Labels)
      if (Group.Begin == &Kernel.at(Label.first()))
        Name = Label.first().str();
    Result[Name] += int(Group.Instructions.size()) - int(Group.Without.size());
  }
  return Result;
}

using Weights = std::map<std::string, int>;

TEST(LaneGroups, OfLoopsJoinWhatRunsBeforeAndBehindConditions) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_mov_b64 s[4:5], 0
 loop:
    v_add_u32_e32 v1, 1, v1
    v_cmp_gt_u32_e32 vcc, s8, v1
    s_and_saveexec_b64 s[6:7], vcc
    s_cbranch_execz join
 then:
    v_mov_b32_e32 v2, v1
 join:
    s_or_b64 exec, exec, s[6:7]
    v_cmp_eq_u32_e32 vcc, s9, v1
    s_or_b64 s[4:5], vcc, s[4:5]
    s_andn2_b64 exec, exec, s[4:5]
    s_cbranch_execnz loop
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(weightsOf(Kernel), (Weights{{"loop", 3}, {"then", 1}}));
}

/// What may leave the loop before it has come behind the condition does not.
TEST(LaneGroups, OfLoopsKeepApartWhatIsNotExecutedEachTime) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_nop 0
 loop:
    v_add_u32_e32 v1, 1, v1
    s_add_u32 s8, s8, 1
    s_cmp_eq_u32 s8, s9
    s_cbranch_scc1 end
 behind:
    v_mov_b32_e32 v2, v1
    s_cmp_lg_u32 s8, s10
    s_cbranch_scc1 loop
 end:
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(weightsOf(Kernel), (Weights{{"loop", 1}, {"behind", 1}}));
}

/// A loop in a loop is executed more often than what is around it.
TEST(LaneGroups, OfLoopsKeepApartInnerLoops) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_nop 0
 loop:
    v_add_u32_e32 v1, 1, v1
 inner:
    v_add_u32_e32 v1, 2, v1
    s_add_u32 s8, s8, 1
    s_cmp_lg_u32 s8, s9
    s_cbranch_scc1 inner
 behind:
    v_mov_b32_e32 v2, v1
    s_cmp_lg_u32 s10, s8
    s_cbranch_scc1 loop
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(weightsOf(Kernel), (Weights{{"loop", 2}, {"inner", 1}}));
}

constexpr const char *LoopWithElse = R"(
    s_mov_b64 s[4:5], 0
 loop:
    v_and_b32_e32 v2, 1, v1
    v_cmp_eq_u32_e32 vcc, 1, v2
    s_and_saveexec_b64 s[6:7], vcc
 parting:
    s_xor_b64 s[6:7], exec, s[6:7]
    s_cbranch_execz else
 then:
    v_mul_lo_u32 v1, v1, 3
    v_add_u32_e32 v1, 1, v1
    v_add_u32_e32 v3, 1, v3
 else:
    s_andn2_saveexec_b64 s[6:7], s[6:7]
    s_cbranch_execz join
 rest:
    v_lshrrev_b32_e32 v1, 1, v1
    BEFORE_JOIN
 join:
    s_or_b64 exec, exec, s[6:7]
 behind:
    v_cmp_gt_u32_e32 vcc, 2, v1
    s_or_b64 s[4:5], vcc, s[4:5]
    s_andn2_b64 exec, exec, s[4:5]
    s_cbranch_execnz loop
    s_endpgm
)";

std::string loopWithElse(const std::string &BeforeJoin) {
  std::string Text = LoopWithElse;
  const std::string Place = "BEFORE_JOIN";
  return Text.replace(Text.find(Place), Place.size(), BeforeJoin);
}

/// Lanes of the `else` are those of the loop without those of the `if`: three
/// instructions of the loop, one of the rest, and three without one.
TEST(LaneGroups, OfAnElseAreCountedBeforeAndInTheIf) {
  const LiftedKernel Kernel = liftAssembly(loopWithElse(""));
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(weightsOf(Kernel), (Weights{{"loop", 4}, {"then", 2}}));
}

/// Where the `else` may leave the loop, what is behind it is not executed as
/// often as what is before; the `else` still is.
TEST(LaneGroups, OfAnElseThatLeavesDoNotReachBehindIt) {
  const LiftedKernel Kernel =
      liftAssembly(loopWithElse("s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 end\n") +
                   "end: s_endpgm\n");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(weightsOf(Kernel),
            (Weights{{"loop", 3}, {"then", 2}, {"behind", 1}}));
}

/// A branch by something else may skip lanes that there are.
TEST(LaneGroups, OfAnElseThatMayBeSkippedAreCountedThere) {
  std::string Text = loopWithElse("");
  const std::string Branch = "s_cbranch_execz join";
  Text.replace(Text.find(Branch), Branch.size(), "s_cbranch_vccz join");
  const LiftedKernel Kernel = liftAssembly(Text);
  ASSERT_TRUE(Kernel.LR);
  const Weights Found = weightsOf(Kernel);
  EXPECT_EQ(Found.at("rest"), 1);
  EXPECT_EQ(Found.at("then"), 3);
}

/// Lanes that are added to the `else` are not of the loop's rest.
TEST(LaneGroups, OfAnElseWithOtherLanesAreCountedThere) {
  std::string Text = loopWithElse("");
  const std::string Else = "s_andn2_saveexec_b64 s[6:7], s[6:7]";
  Text.replace(Text.find(Else), Else.size(),
               "s_or_saveexec_b64 s[6:7], s[10:11]");
  const LiftedKernel Kernel = liftAssembly(Text);
  ASSERT_TRUE(Kernel.LR);
  const Weights Found = weightsOf(Kernel);
  EXPECT_EQ(Found.at("rest"), 1);
  EXPECT_EQ(Found.at("then"), 3);
}

/// A function that is called may end the wave.
TEST(LaneGroups, AreRunsInKernelsThatCall) {
  const LiftedKernel Kernel = liftAssembly(R"(
 begin:
    v_mov_b32_e32 v1, v0
    s_getpc_b64 s[4:5]
 .Lhere:
    s_add_u32 s4, s4, callee-.Lhere
    s_addc_u32 s5, s5, 0
    s_swappc_b64 s[30:31], s[4:5]
 behind:
    v_mov_b32_e32 v2, v0
    s_endpgm
    .type callee,@function
 callee:
    v_mov_b32_e32 v3, v0
    s_setpc_b64 s[30:31]
    .size callee, .-callee
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(groupsOf(Kernel),
            (Groups{{"begin", 1}, {"behind", 1}, {"callee", 1}}));
}

INSTANTIATE_TEST_SUITE_P(Targets, InstructionRuns,
                         ::testing::ValuesIn(allTargets()),
                         [](const auto &Info) { return nameOf(Info.param); });

} // namespace
