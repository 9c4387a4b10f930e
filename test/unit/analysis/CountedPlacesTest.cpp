// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places in loops are counted by how often waves come there.
#include "Kernels.h"
#include "luthier/detail/CountedLoops.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// What CountInstructions.h adds up of a kernel.
struct Sums {
  size_t Size;
  std::vector<LaneGroup> Groups;
  luthier::detail::LoopsWithTrips Trips;
  PathSum All, Scalars;
  std::vector<luthier::detail::CountedLanes> Lanes;

  explicit Sums(const LiftedRepresentation &LR)
      : Size(luthier::detail::sizeOf(LR)), Groups(laneGroups(LR)),
        Trips(luthier::detail::LoopsWithTrips::of(LR, Groups)),
        All(pathSum(LR, [&](auto &MI) { return !Trips.contains(MI); })),
        Scalars(pathSum(LR, [&](auto &MI) {
          return !isVectorInstruction(MI) && !Trips.contains(MI);
        })) {
    for (const LaneGroup &G : Groups)
      if (!Trips.contains(*G.Begin))
        Lanes.push_back(
            {&G, G.Begin,
             int64_t(G.Instructions.size()) - int64_t(G.Without.size())});
  }
  std::vector<luthier::detail::CountedPlace> take(unsigned Most) {
    return luthier::detail::PlaceChooser(Size, Lanes, All, Scalars).take(Most);
  }
  size_t additionsInLoops() const {
    auto isRepeated = [](const PathSum::Addition &A) { return !A.IsOnce; };
    return count_if(All.Additions, isRepeated) +
           count_if(Scalars.Additions, isRepeated);
  }
};

/// Lanes leave one after the other.
std::string loopOf(unsigned Vectors, const std::string &Name,
                   const std::string &Inside = "") {
  return Name + ":\n" + Inside + " .rept " + std::to_string(Vectors - 1) +
         "\n v_add_u32_e32 v1, 1, v1\n .endr\n v_cmp_gt_u32_e32 vcc, s8, v1\n"
         " s_and_b64 exec, exec, vcc\n s_cbranch_execnz " +
         Name + "\n";
}

TEST(CountedPlaces, AreLoopsOfOneBlock) {
  const LiftedKernel Kernel = liftAssembly(loopOf(7, "loop") + " s_endpgm\n");
  ASSERT_TRUE(Kernel.LR);
  Sums S(*Kernel.LR);
  const auto Places = S.take(2);
  ASSERT_EQ(Places.size(), 1u);
  EXPECT_EQ(Places[0].Begin, &Kernel.at("loop"));
  EXPECT_EQ(Places[0].Vectors, 7);
  EXPECT_EQ(Places[0].All, 9u);
  EXPECT_EQ(Places[0].Scalars, 2u);
  EXPECT_EQ(S.additionsInLoops(), 0u);
  EXPECT_TRUE(S.Lanes.empty());
}

TEST(CountedPlaces, AreTheInnermost) {
  const LiftedKernel Kernel = liftAssembly(
      loopOf(9, "first") +
      loopOf(5, "outer", " s_nop 0\n" + loopOf(3, "inner")) + " s_endpgm\n");
  ASSERT_TRUE(Kernel.LR);
  Sums S(*Kernel.LR);
  const auto Places = S.take(1);
  ASSERT_EQ(Places.size(), 1u);
  EXPECT_EQ(Places[0].Begin, &Kernel.at("inner"));
  EXPECT_EQ(Places[0].Vectors, 3);
}

TEST(CountedPlaces, AreNoneOfASmallPart) {
  for (const bool IsSmall : {false, true}) {
    const LiftedKernel Kernel =
        liftAssembly(loopOf(7, "loop") + " .rept " + (IsSmall ? "135" : "134") +
                     "\n s_nop 0\n .endr\n s_endpgm\n");
    ASSERT_TRUE(Kernel.LR);
    EXPECT_EQ(Sums(*Kernel.LR).take(2).size(), IsSmall ? 0u : 1u);
  }
}

TEST(CountedPlaces, AreNoneInALargeKernel) {
  for (const bool IsLarge : {false, true}) {
    const LiftedKernel Kernel = liftAssembly(loopOf(40, "loop") + " .rept " +
                                             (IsLarge ? "214" : "213") +
                                             "\n s_nop 0\n .endr\n s_endpgm\n");
    ASSERT_TRUE(Kernel.LR);
    EXPECT_EQ(Sums(*Kernel.LR).take(2).size(), IsLarge ? 0u : 1u);
  }
}

TEST(CountedPlaces, AreNotWhereTheirEndWouldCostMore) {
  // A lane each time takes three instructions, and what a place adds four.
  const LiftedKernel Kernel = liftAssembly(R"(
    s_mov_b32 s4, 0
 loop:
    v_add_u32_e32 v1, 1, v1
    s_add_i32 s4, s4, s5
    s_cmp_lt_u32 s4, s9
    s_cbranch_scc1 loop
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  Sums S(*Kernel.LR);
  EXPECT_TRUE(S.take(2).empty());
  EXPECT_EQ(S.additionsInLoops(), 2u);
  EXPECT_EQ(S.Lanes.size(), 1u);
}

/// The `if` in a loop has no way of its own: it is executed without lanes. The
/// `else`, which has, is the smaller side.
TEST(CountedPlaces, AreTheSmallerSideOfABranch) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_mov_b64 s[4:5], 0
 loop:
    v_and_b32_e32 v2, 1, v1
    v_cmp_eq_u32_e32 vcc, 1, v2
    s_and_saveexec_b64 s[6:7], vcc
    s_xor_b64 s[6:7], exec, s[6:7]
    v_add_u32_e32 v3, 1, v3
    v_add_u32_e32 v3, 1, v3
    v_add_u32_e32 v1, 3, v1
    s_andn2_saveexec_b64 s[6:7], s[6:7]
    s_cbranch_execz next
 even:
    v_lshrrev_b32_e32 v1, 1, v1
    s_add_i32 s12, s12, 1
 next:
    s_or_b64 exec, exec, s[6:7]
    v_cmp_gt_u32_e32 vcc, 2, v1
    s_or_b64 s[4:5], vcc, s[4:5]
    s_andn2_b64 exec, exec, s[4:5]
    s_cbranch_execnz loop
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  Sums S(*Kernel.LR);
  const auto Places = S.take(2);
  ASSERT_EQ(Places.size(), 2u);
  const bool IsFirst = Places[0].Vectors < 0;
  const auto &Even = Places[IsFirst ? 0 : 1], &Loop = Places[IsFirst ? 1 : 0];
  // Three of the `if`, and one of its own that all lanes have been counted for.
  EXPECT_EQ(Even.Begin, &Kernel.at("even"));
  EXPECT_EQ(Even.Vectors, -2);
  EXPECT_EQ(Even.All, 2u);
  EXPECT_EQ(Even.Scalars, 1u);
  // Three of the loop's own, and what the larger side has.
  EXPECT_EQ(Loop.Begin, &Kernel.at("loop"));
  EXPECT_EQ(Loop.Vectors, 6);
  EXPECT_EQ(S.additionsInLoops(), 0u);
  EXPECT_TRUE(S.Lanes.empty());
}

/// It is counted where it is entered, and the other loop run by run.
TEST(CountedPlaces, AreNoneWhoseTripsAreKnown) {
  const LiftedKernel Kernel = liftAssembly(R"(
    s_mov_b32 s4, 0
 known:
    .rept 9
    v_add_u32_e32 v1, 1, v1
    .endr
    s_add_i32 s4, s4, 1
    s_cmp_lg_u32 s4, s9
    s_cbranch_scc1 known
)" + loopOf(3, "other") + " s_endpgm\n");
  ASSERT_TRUE(Kernel.LR);
  Sums S(*Kernel.LR);
  ASSERT_EQ(S.Trips.Blocks.size(), 1u);
  EXPECT_TRUE(S.Trips.contains(Kernel.at("known")));
  EXPECT_EQ(S.Trips.Blocks.front().second.Body.Vectors, 9u);
  EXPECT_EQ(S.Trips.Blocks.front().second.Body.Scalars, 3u);
  const auto Places = S.take(2);
  ASSERT_EQ(Places.size(), 1u);
  EXPECT_EQ(Places[0].Begin, &Kernel.at("other"));
  EXPECT_EQ(Places[0].Vectors, 3);
}

} // namespace
