// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops are not counted run by run.
#include "luthier/detail/CountedLoops.h"
#include "Kernels.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// The vector and scalar instructions of the loop that is chosen; of none, 0.
std::pair<uint32_t, uint32_t> chosen(const LiftedKernel &Kernel) {
  const auto Groups = laneGroups(*Kernel.LR);
  const luthier::detail::CountedLoop Loop = luthier::detail::countedLoop(
      *Kernel.LR, Groups,
      luthier::detail::LoopsWithTrips::of(*Kernel.LR, Groups));
  return {Loop.Body.Vectors, Loop.Body.Scalars};
}

constexpr std::pair<uint32_t, uint32_t> None = {0, 0};

/// Lanes leave one after the other.
std::string loopOf(unsigned Vectors, const std::string &Name) {
  return Name + ":\n .rept " + std::to_string(Vectors - 1) +
         "\n v_add_u32_e32 v1, 1, v1\n .endr\n v_cmp_gt_u32_e32 vcc, s8, v1\n"
         " s_and_b64 exec, exec, vcc\n s_cbranch_execnz " +
         Name + "\n";
}

TEST(CountedLoop, IsTheLargest) {
  const LiftedKernel Kernel =
      liftAssembly(loopOf(3, "first") + loopOf(7, "second") +
                   loopOf(5, "third") + " s_endpgm\n");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(chosen(Kernel), std::pair(7u, 2u));
}

TEST(CountedLoop, IsNoneInALargeKernel) {
  const std::string Loop = loopOf(40, "loop");
  const LiftedKernel Kernel =
      liftAssembly(Loop + " .rept 250\n s_nop 0\n .endr\n s_endpgm\n");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(chosen(Kernel), None);
}

TEST(CountedLoop, IsNoneOfASmallPart) {
  const LiftedKernel Kernel = liftAssembly(
      loopOf(2, "loop") + " .rept 80\n s_nop 0\n .endr\n s_endpgm\n");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(chosen(Kernel), None);
}

TEST(CountedLoop, HasTheSameLanesInAllItsInstructions) {
  const LiftedKernel Kernel = liftAssembly(R"(
 loop:
    v_add_u32_e32 v1, 1, v1
    v_cmp_gt_u32_e32 vcc, s8, v1
    s_and_b64 exec, exec, vcc
    v_add_u32_e32 v1, 2, v1
    s_cbranch_execnz loop
    s_endpgm
)");
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(chosen(Kernel), None);
}

/// It is counted where it is entered, and the other loop run by run.
TEST(CountedLoop, IsNoneWhoseTripsAreKnown) {
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
  const auto Groups = laneGroups(*Kernel.LR);
  const auto Trips = luthier::detail::LoopsWithTrips::of(*Kernel.LR, Groups);
  ASSERT_EQ(Trips.Blocks.size(), 1u);
  EXPECT_TRUE(Trips.contains(Kernel.at("known")));
  EXPECT_EQ(Trips.Blocks.front().second.Body.Vectors, 9u);
  EXPECT_EQ(Trips.Blocks.front().second.Body.Scalars, 3u);
  EXPECT_EQ(chosen(Kernel), std::pair(3u, 2u));
}

} // namespace
