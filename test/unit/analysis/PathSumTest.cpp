// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever way a wave takes, what it adds is the sum over what it executes, and
// few places add.
#include "luthier/PathSum.h"
#include "Kernels.h"
#include "luthier/Instructions.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Ways through lifted code, chosen at random.
class Walk {
public:
  Walk(const LiftedKernel &Kernel, unsigned Seed)
      : Kernel(Kernel), Random(Seed) {}

  using Edge = std::pair<const MachineBasicBlock *, const MachineBasicBlock *>;

  /// Calls \p Visit for each instruction, and \p Pass for each edge, until the
  /// wave ends.
  void run(function_ref<void(const MachineInstr &)> Visit,
           function_ref<void(Edge)> Pass) {
    Steps = 0;
    OnEdge = Pass;
    enter(*Kernel.LR->functions().front().second, Visit);
  }

private:
  /// False if the wave has ended.
  bool enter(const MachineFunction &MF,
             function_ref<void(const MachineInstr &)> Visit) {
    for (const MachineBasicBlock *MBB = &MF.front();;) {
      for (const MachineInstr &MI : *MBB) {
        Visit(MI);
        const ControlTransfer *T = Kernel.LR->transferOf(MI);
        if (T && T->Callee && !enter(*T->Callee, Visit))
          return false;
        if (T && T->Kind == ControlTransfer::Return)
          return true;
      }
      if (MBB->succ_empty())
        return false;
      // Out of loops in the end: successors that come later are always chosen.
      const size_t Next =
          ++Steps > 1000 ? MBB->succ_size() - 1 : Random() % MBB->succ_size();
      const MachineBasicBlock *To = *std::next(MBB->succ_begin(), Next);
      OnEdge({MBB, To});
      MBB = To;
    }
  }

  const LiftedKernel &Kernel;
  std::mt19937 Random;
  unsigned Steps = 0;
  function_ref<void(Edge)> OnEdge = nullptr;
};

/// A number for each instruction by where it is.
uint64_t numberOf(const LiftedKernel &Kernel, const MachineInstr &MI) {
  return 1 + (*Kernel.LR->originalAddress(MI) / 4) % 7;
}

void expectSumOfEveryPath(const LiftedKernel &Kernel, PathPlaces Places) {
  const PathSum Sum = pathSum(
      *Kernel.LR, [&](const MachineInstr &MI) { return numberOf(Kernel, MI); },
      Places);
  DenseMap<const MachineInstr *, uint64_t> Additions;
  DenseMap<Walk::Edge, uint64_t> OnEdges;
  for (const PathSum::Addition &A : Sum.Additions)
    (A.Before ? Additions[A.Before] : OnEdges[{A.From, A.To}]) += A.Number;
  for (unsigned Seed = 0; Seed < 200; ++Seed) {
    uint64_t Added = Sum.AtWaveEnd, Expected = 0;
    Walk(Kernel, Seed)
        .run(
            [&](const MachineInstr &MI) {
              Added += Additions.lookup(&MI);
              Expected += numberOf(Kernel, MI);
            },
            [&](Walk::Edge E) { Added += OnEdges.lookup(E); });
    ASSERT_EQ(Added, Expected) << "seed " << Seed;
  }
}

void expectSumOfEveryPath(const LiftedKernel &Kernel) {
  expectSumOfEveryPath(Kernel, PathPlaces::Blocks);
  expectSumOfEveryPath(Kernel, PathPlaces::BlocksAndSkips);
}

/// With one for each instruction.
SmallVector<const MachineInstr *> placesOf(const LiftedKernel &Kernel) {
  SmallVector<const MachineInstr *> Places;
  for (auto &A : pathSum(*Kernel.LR, [](auto &) { return 1; }).Additions)
    Places.push_back(A.Before);
  return Places;
}

TEST(PathSum, OfStraightCodeIsAddedAtTheEnd) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_mov_b32 s4, 1
    s_mov_b32 s5, 1
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  const PathSum Sum = pathSum(*Kernel.LR, [](auto &) { return 1; });
  EXPECT_TRUE(Sum.Additions.empty());
  EXPECT_EQ(Sum.AtWaveEnd, 3u);
}

TEST(PathSum, OfLoopsIsAddedInOneOfTheirBlocks) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_mov_b32 s4, 0
 loop:
    s_add_i32 s4, s4, 1
    s_cmp_eq_u32 s4, s5
    s_cbranch_scc1 skip
    s_mov_b32 s6, s4
 skip:
    s_cmp_lt_u32 s4, s7
    s_cbranch_scc1 loop
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  // The loop, and what it may skip.
  EXPECT_EQ(placesOf(Kernel).size(), 2u);
  expectSumOfEveryPath(Kernel);
}

TEST(PathSum, OfBranchesIsAddedOnOneSide) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_cmp_eq_u32 s4, s5
    s_cbranch_scc1 other
    s_mov_b32 s6, s4
    s_mov_b32 s7, s4
    s_branch end
 other:
    s_mov_b32 s6, s5
 end:
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(placesOf(Kernel).size(), 1u);
  expectSumOfEveryPath(Kernel);
}

TEST(PathSum, IsRightInNestedAndIrreducibleLoops) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_cmp_eq_u32 s4, s5
    s_cbranch_scc1 second
 first:
    s_mov_b32 s6, s4
    s_cmp_eq_u32 s6, s5
    s_cbranch_scc1 end
 second:
    s_mov_b32 s6, s5
    s_cmp_eq_u32 s6, s7
    s_cbranch_scc1 first
 inner:
    s_add_i32 s6, s6, 1
    s_cmp_lt_u32 s6, s8
    s_cbranch_scc1 inner
    s_cmp_lt_u32 s9, s8
    s_cbranch_scc1 first
 end:
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  expectSumOfEveryPath(Kernel);
}

TEST(PathSum, IsRightWhereFunctionsReturnOrEndTheWave) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_mov_b32 s4, 0
 again:
    s_getpc_b64 s[6:7]
 .Lhere:
    s_add_u32 s6, s6, callee-.Lhere
    s_addc_u32 s7, s7, 0
    s_swappc_b64 s[30:31], s[6:7]
    s_add_i32 s4, s4, 1
    s_cmp_lt_u32 s4, s5
    s_cbranch_scc1 again
    s_endpgm
    .type callee,@function
 callee:
    s_cmp_eq_u32 s8, 0
    s_cbranch_scc1 back
    s_mov_b32 s8, s4
    s_cmp_eq_u32 s8, 5
    s_cbranch_scc1 back
    s_endpgm
 back:
    s_mov_b32 s8, s5
    s_setpc_b64 s[30:31]
    .size callee, .-callee
)");
  ASSERT_TRUE(Kernel.LR);
  ASSERT_EQ(Kernel.LR->functions().size(), 2u);
  expectSumOfEveryPath(Kernel);
}

TEST(PathSum, TellsWhatWavesComeToBeforeLoops) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_cmp_eq_u32 s4, s5
    s_cbranch_scc1 loop
 before:
    s_mov_b32 s6, s4
 loop:
    s_add_i32 s6, s6, 1
    s_cmp_lt_u32 s6, s8
    s_cbranch_scc1 loop
    s_cmp_eq_u32 s4, s7
    s_cbranch_scc1 end
 behind:
    s_mov_b32 s6, s5
 end:
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  std::map<const MachineInstr *, std::pair<bool, bool>> Found;
  for (auto &A : pathSum(*Kernel.LR, [](auto &) { return 1; }).Additions)
    Found[A.Before] = {A.IsOnce, A.IsBeforeLoops};
  EXPECT_EQ(Found, (decltype(Found){
                       {&Kernel.at("before"), {true, true}},
                       {&Kernel.at("loop"), {false, false}},
                       {&Kernel.at("behind"), {true, false}},
                   }));
}

constexpr char Skipping[] = R"(
    s_mov_b32 s5, s4
    s_and_saveexec_b64 s[6:7], vcc
    s_cbranch_execz join
    s_cmp_eq_u32 s4, s5
    s_cbranch_scc1 more
    s_mov_b32 s6, s4
 more:
    .rept 12
    v_add_u32_e32 v1, 1, v1
    .endr
    s_and_saveexec_b64 s[8:9], vcc
    s_cbranch_execz join
    v_add_u32_e32 v1, 2, v1
 join:
    s_or_b64 exec, exec, s[6:7]
    s_endpgm
)";

/// Waves that have lanes left add nothing but what the inner branches take.
TEST(PathSum, IsCorrectedWhereWavesWithoutLanesSkipMuch) {
  const LiftedKernel Kernel = liftAssembly(Skipping);
  ASSERT_TRUE(Kernel.LR);
  auto edgesOf = [&](PathPlaces Places) {
    return count_if(pathSum(
                        *Kernel.LR, [](auto &) { return 1; }, Places)
                        .Additions,
                    [](const PathSum::Addition &A) { return !A.Before; });
  };
  EXPECT_EQ(edgesOf(PathPlaces::Blocks), 0);
  EXPECT_EQ(edgesOf(PathPlaces::BlocksAndSkips), 1);
  expectSumOfEveryPath(Kernel);
}

/// In a loop, over a small part of it.
std::string skippingWhere(StringRef Condition) {
  return (R"(
    s_movk_i32 s9, 0x80
 loop:
)" + Condition +
          R"(
    s_cbranch_execz next
    v_add_u32_e32 v1, 2, v1
    v_add_u32_e32 v1, 2, v1
 next:
    s_or_b64 exec, exec, s[4:5]
    .rept 12
    v_add_u32_e32 v1, 1, v1
    .endr
    s_cmp_lt_u32 s6, s7
    s_cbranch_scc1 loop
    s_endpgm
)")
      .str();
}

TEST(PathSum, IsCorrectedWhereFewWavesSkipByWhatLanesAreComparedWith) {
  struct Case {
    const char *Condition;
    bool IsRare;
  };
  const Case Cases[] = {
      // A bound, on either side, and of two.
      {"v_cmp_gt_u32_e32 vcc, s8, v0\ns_and_saveexec_b64 s[4:5], vcc", true},
      {"v_cmp_lt_i32_e64 s[2:3], v0, s8\ns_and_saveexec_b64 s[4:5], s[2:3]",
       true},
      {"v_cmp_gt_u32_e32 vcc, s8, v0\nv_cmp_gt_u32_e64 s[2:3], s7, v1\n"
       "s_and_b64 vcc, vcc, s[2:3]\ns_and_saveexec_b64 s[4:5], vcc",
       true},
      {"v_cmp_gt_u32_e64 s[2:3], s8, v0\ns_mov_b64 s[4:5], exec\n"
       "s_and_b64 exec, exec, s[2:3]",
       true},
      // Lanes beyond a bound, and the first ones.
      {"v_cmp_lt_u32_e32 vcc, s8, v0\ns_and_saveexec_b64 s[4:5], vcc", false},
      {"v_cmp_gt_u32_e32 vcc, 32, v0\ns_and_saveexec_b64 s[4:5], vcc", false},
      {"s_movk_i32 s8, 0x80\nv_cmp_gt_u32_e32 vcc, s8, v0\n"
       "s_and_saveexec_b64 s[4:5], vcc",
       false},
      {"v_cmp_lt_u32_e32 vcc, 32, v0\ns_and_saveexec_b64 s[4:5], vcc", true},
      // Some number, and any other.
      {"v_cmp_eq_u32_e32 vcc, 0, v0\ns_and_saveexec_b64 s[4:5], vcc", false},
      {"v_cmp_ne_u32_e32 vcc, 0, v0\ns_and_saveexec_b64 s[4:5], vcc", true},
      // One of two is enough.
      {"v_cmp_gt_u32_e32 vcc, s8, v0\nv_cmp_eq_u32_e64 s[2:3], 0, v1\n"
       "s_and_b64 vcc, vcc, s[2:3]\ns_and_saveexec_b64 s[4:5], vcc",
       false},
      // From far above, and what is written last.
      {"s_mov_b64 s[2:3], vcc\nv_cmp_ne_u32_e64 s[2:3], 0, v0\n"
       "s_mov_b64 s[10:11], s[12:13]\ns_and_saveexec_b64 s[4:5], s[2:3]",
       true},
      // Nothing is known.
      {"v_cmp_gt_u32_e32 vcc, v2, v0\ns_and_saveexec_b64 s[4:5], vcc", false},
      {"s_and_saveexec_b64 s[4:5], vcc", false},
      {"s_xor_b64 exec, exec, s[4:5]", false},
  };
  for (const Case &C : Cases) {
    SCOPED_TRACE(C.Condition);
    const LiftedKernel Kernel = liftAssembly(skippingWhere(C.Condition));
    ASSERT_TRUE(Kernel.LR);
    const PathSum Sum = pathSum(
        *Kernel.LR, [](auto &) { return 1; }, PathPlaces::BlocksAndSkips);
    EXPECT_EQ(any_of(Sum.Additions,
                     [](const PathSum::Addition &A) { return !A.Before; }),
              C.IsRare);
    expectSumOfEveryPath(Kernel);
  }
}

TEST(PathSum, IsRightWhereLoopsAreSkipped) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_and_saveexec_b64 s[6:7], vcc
    s_cbranch_execz join
    .rept 6
    v_add_u32_e32 v1, 1, v1
    .endr
 loop:
    s_and_saveexec_b64 s[8:9], vcc
    s_cbranch_execz next
    .rept 12
    v_add_u32_e32 v1, 2, v1
    .endr
 next:
    s_or_b64 exec, exec, s[8:9]
    s_cmp_lt_u32 s4, s5
    s_cbranch_scc1 loop
 join:
    s_or_b64 exec, exec, s[6:7]
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  expectSumOfEveryPath(Kernel);
}

TEST(MostInstructions, AddUpAllThatIsThere) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_cmp_eq_u32 s4, s5
    s_cbranch_scc1 other
    s_mov_b32 s6, s4
    s_branch end
 other:
    s_mov_b32 s6, s5
 end:
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(mostInstructions(*Kernel.LR), 6u);
}

constexpr char Caller[] = R"(
    s_getpc_b64 s[6:7]
 .Lfirst:
    s_add_u32 s6, s6, callee-.Lfirst
    s_addc_u32 s7, s7, 0
    s_swappc_b64 s[30:31], s[6:7]
    s_getpc_b64 s[6:7]
 .Lsecond:
    s_add_u32 s6, s6, callee-.Lsecond
    s_addc_u32 s7, s7, 0
    s_swappc_b64 s[30:31], s[6:7]
    s_endpgm
    .type callee,@function
 callee:
)";

TEST(MostInstructions, AreThoseOfAFunctionForEachCall) {
  const LiftedKernel Kernel = liftAssembly(std::string(Caller) + R"(
    s_mov_b32 s8, s5
    s_setpc_b64 s[30:31]
    .size callee, .-callee
)");
  ASSERT_TRUE(Kernel.LR);
  ASSERT_EQ(Kernel.LR->functions().size(), 2u);
  EXPECT_EQ(mostInstructions(*Kernel.LR), 9u + 2 * 2);
}

TEST(MostInstructions, AreUnknownWithALoop) {
  const LiftedKernel Kernel = liftAssembly(std::string(Caller) + R"(
 loop:
    s_add_i32 s8, s8, 1
    s_cmp_lt_u32 s8, s5
    s_cbranch_scc1 loop
    s_setpc_b64 s[30:31]
    .size callee, .-callee
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(mostInstructions(*Kernel.LR), std::nullopt);
}

TEST(MostInstructions, AreUnknownWithARecursion) {
  const LiftedKernel Kernel = liftAssembly(std::string(Caller) + R"(
    s_cmp_lt_u32 s8, s5
    s_cbranch_scc1 back
    s_getpc_b64 s[6:7]
 .Lagain:
    s_add_u32 s6, s6, callee-.Lagain
    s_addc_u32 s7, s7, -1
    s_mov_b64 s[10:11], s[30:31]
    s_swappc_b64 s[30:31], s[6:7]
    s_mov_b64 s[30:31], s[10:11]
 back:
    s_setpc_b64 s[30:31]
    .size callee, .-callee
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(mostInstructions(*Kernel.LR), std::nullopt);
}

TEST(MostInstructions, AreUnknownBehindPointers) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_swappc_b64 s[30:31], s[6:7]
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(mostInstructions(*Kernel.LR), std::nullopt);
}

} // namespace
