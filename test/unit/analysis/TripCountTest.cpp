// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of loops that count in a scalar register, it is known how often they run;
// nothing is claimed of others.
#include "luthier/TripCount.h"
#include "Kernels.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Of the block at label `loop`.
std::optional<TripCount> tripsOf(const LiftedKernel &Kernel) {
  return tripCountOf(*Kernel.LR, *Kernel.at("loop").getParent());
}

LiftedKernel loopWith(const std::string &Body, const std::string &Before = "",
                      const std::string &Target = "gfx90a") {
  return liftAssembly(" s_mov_b32 s4, s8\n" + Before + "\nloop:\n" + Body +
                          "\n v_mov_b32_e32 v2, v1\nend:\n s_endpgm\n",
                      {Target, 64});
}

uint64_t runs(const TripCount &T, uint32_t First, uint32_t Limit) {
  return 1 + uint64_t(furtherTrips(First, Limit, T.Inverse, T.Shift));
}

/// By counting.
uint64_t countedRuns(uint32_t First, uint32_t Step, uint32_t Limit) {
  uint64_t Runs = 0;
  do {
    First += Step;
    ++Runs;
  } while (First != Limit);
  return Runs;
}

TEST(TripCount, IsWhatCountingFinds) {
  for (int Step : {-1, 1, 2, -4, 16, 3, -7, 24, 0x1388}) {
    const LiftedKernel Kernel =
        loopWith("s_add_i32 s4, s4, " + std::to_string(Step) +
                 "\n s_cmp_lg_u32 s4, s9\n s_cbranch_scc1 loop");
    ASSERT_TRUE(Kernel.LR);
    const std::optional<TripCount> Found = tripsOf(Kernel);
    ASSERT_TRUE(Found) << Step;
    for (uint32_t First : {0u, 7u, 0x80000000u, 0xfffffff0u})
      for (uint32_t Runs : {1u, 2u, 3u, 1000u}) {
        const uint32_t Limit = First + Runs * uint32_t(Step);
        EXPECT_EQ(runs(*Found, First, Limit),
                  countedRuns(First, uint32_t(Step), Limit))
            << Step << " from " << First << " to " << Limit;
      }
  }
}

/// A counter that is there already goes around once.
TEST(TripCount, OfAFullTurnIsAllThatTheCounterCanHold) {
  const LiftedKernel Kernel = loopWith("s_add_i32 s4, s4, -1\n"
                                       "s_cmp_lg_u32 s4, 0\n"
                                       "s_cbranch_scc1 loop");
  ASSERT_TRUE(Kernel.LR);
  const std::optional<TripCount> Found = tripsOf(Kernel);
  ASSERT_TRUE(Found);
  EXPECT_EQ(runs(*Found, 0, 0), uint64_t(1) << 32);
  const LiftedKernel BySixteen = loopWith("s_addk_i32 s4, 0x10\n"
                                          "s_cmp_eq_u32 s9, s4\n"
                                          "s_cbranch_scc0 loop");
  ASSERT_TRUE(BySixteen.LR);
  const std::optional<TripCount> Sixteenth = tripsOf(BySixteen);
  ASSERT_TRUE(Sixteenth);
  EXPECT_EQ(runs(*Sixteenth, 5, 5), uint64_t(1) << 28);
}

TEST(TripCount, NamesTheRegistersThatItDependsOn) {
  const LiftedKernel Kernel = loopWith("s_sub_u32 s4, s4, 2\n"
                                       "v_add_u32_e32 v1, s4, v1\n"
                                       "s_cmp_lg_i32 s9, s4\n"
                                       "s_cbranch_scc1 loop");
  ASSERT_TRUE(Kernel.LR);
  const std::optional<TripCount> Found = tripsOf(Kernel);
  ASSERT_TRUE(Found);
  EXPECT_TRUE(Found->Counter);
  EXPECT_TRUE(Found->LimitRegister);
  EXPECT_NE(Found->Counter, Found->LimitRegister);
  EXPECT_EQ(runs(*Found, 10, 4), 3u);
}

TEST(TripCount, TakesTheShortFormsOfComparisons) {
  for (const char *Compare :
       {"s_cmpk_lg_i32 s4, 0x8c", "s_cmpk_lg_u32 s4, 0x8c"}) {
    const LiftedKernel Kernel =
        loopWith("s_add_i32 s4, s4, 4\n" + std::string(Compare) +
                 "\n s_cbranch_scc1 loop");
    ASSERT_TRUE(Kernel.LR);
    const std::optional<TripCount> Found = tripsOf(Kernel);
    ASSERT_TRUE(Found);
    EXPECT_FALSE(Found->LimitRegister);
    EXPECT_EQ(Found->LimitConstant, 0x8cu);
  }
  const LiftedKernel Negative = loopWith("s_add_i32 s4, s4, -1\n"
                                         "s_cmpk_eq_i32 s4, 0xff00\n"
                                         "s_cbranch_scc0 loop");
  ASSERT_TRUE(Negative.LR);
  ASSERT_TRUE(tripsOf(Negative));
  EXPECT_EQ(tripsOf(Negative)->LimitConstant, 0xffffff00u);
}

struct OtherLoop {
  const char *Name, *Body;
};
void PrintTo(const OtherLoop &Loop, std::ostream *OS) { *OS << Loop.Name; }

class TripCountOfOthers : public ::testing::TestWithParam<OtherLoop> {};

TEST_P(TripCountOfOthers, IsUnknown) {
  const LiftedKernel Kernel = loopWith(GetParam().Body);
  ASSERT_TRUE(Kernel.LR);
  EXPECT_FALSE(tripsOf(Kernel));
}

const OtherLoop OtherLoops[] = {
    {"ThatEndAtALimitTheyMayJumpOver",
     "s_add_i32 s4, s4, 1\n s_cmp_lt_u32 s4, s9\n s_cbranch_scc1 loop"},
    {"ThatGoOnWhereEqual",
     "s_add_i32 s4, s4, 1\n s_cmp_eq_u32 s4, s9\n s_cbranch_scc1 loop"},
    {"ThatCompareBeforeTheyAdd",
     "s_cmp_lg_u32 s4, s9\n s_cselect_b32 s10, 1, 0\n"
     "s_add_i32 s4, s4, 1\n s_cmp_lg_u32 s10, 0\n s_cbranch_scc1 loop"},
    {"ThatLookAtTheCarry",
     "s_cmp_lg_u32 s4, s9\n s_add_u32 s4, s4, 1\n s_cbranch_scc1 loop"},
    {"ThatMoveTheLimit", "s_add_i32 s4, s4, 1\n s_lshr_b32 s9, s9, 1\n"
                         "s_cmp_lg_u32 s4, s9\n s_cbranch_scc1 loop"},
    {"ThatMayMoveTheLimitByAnIndex",
     "s_add_i32 s4, s4, 1\n s_movreld_b32 s8, s10\n"
     "s_cmp_lg_u32 s4, s9\n s_cbranch_scc1 loop"},
    {"WhoseLimitIsAnotherNameOfAFlag",
     "s_add_i32 s4, s4, 1\n s_cmp_lg_u32 s4, src_scc\n"
     "s_cbranch_scc1 loop"},
    {"ThatChangeTheCounterTwice", "s_add_i32 s4, s4, 1\n s_and_b32 s4, s4, 7\n"
                                  "s_cmp_lg_u32 s4, s9\n s_cbranch_scc1 loop"},
    {"ThatAddWhatTheyDoNotKnow",
     "s_add_i32 s4, s4, s10\n s_cmp_lg_u32 s4, s9\n s_cbranch_scc1 loop"},
    {"ThatAddNothing",
     "s_add_i32 s4, s4, 0\n s_cmp_lg_u32 s4, s9\n s_cbranch_scc1 loop"},
    {"ThatAskLanes",
     "s_add_i32 s4, s4, 1\n s_cmp_lg_u32 s4, s9\n s_cbranch_vccnz loop"},
    {"ThatTakeLanesAway", "s_add_i32 s4, s4, 1\n s_mov_b64 exec, s[10:11]\n"
                          "s_cmp_lg_u32 s4, s9\n s_cbranch_scc1 loop"},
    {"OfSeveralBlocks", "s_add_i32 s4, s4, 1\n s_cbranch_vccnz end\n"
                        "s_cmp_lg_u32 s4, s9\n s_cbranch_scc1 loop"},
};

INSTANTIATE_TEST_SUITE_P(Loops, TripCountOfOthers,
                         ::testing::ValuesIn(OtherLoops),
                         [](const auto &Info) { return Info.param.Name; });

/// A kernel, and whether waves leave the loop around `here` without lanes.
struct LaneLoop {
  const char *Name;
  const char *Body;
  bool IsLeft;
};

class LoopThatLanesLeave : public ::testing::TestWithParam<LaneLoop> {};

TEST_P(LoopThatLanesLeave, IsKnown) {
  const LiftedKernel Kernel = liftAssembly(GetParam().Body, {"gfx90a", 64});
  ASSERT_TRUE(Kernel.LR);
  EXPECT_EQ(isLeftWithoutLanes(*Kernel.LR, Kernel.at("here")),
            GetParam().IsLeft);
}

#define LOOP_THAT(Body)                                                        \
  "loop:\nhere:\n v_add_u32_e32 v1, 1, v1\n" Body                              \
  "end:\n s_or_b64 exec, exec, s[4:5]\n s_endpgm\n"
#define ENTER                                                                  \
  "s_and_saveexec_b64 s[4:5], vcc\n s_cbranch_execz end\n"                     \
  "s_mov_b64 s[6:7], 0\n"
#define LEAVE "s_andn2_b64 exec, exec, s[6:7]\n s_cbranch_execnz loop\n"

const LaneLoop LaneLoops[] = {
    {"WhereLanesGoOneByOne", ENTER LOOP_THAT(LEAVE), true},
    {"WhereWavesMayComeWithoutLanes",
     "s_and_saveexec_b64 s[4:5], vcc\n s_mov_b64 s[6:7], 0\n" LOOP_THAT(LEAVE),
     false},
    {"WhereLanesChangeOnTheWay",
     ENTER "s_and_b64 exec, exec, s[8:9]\n" LOOP_THAT(LEAVE), false},
    {"WhereLanesComeBack",
     ENTER LOOP_THAT("s_or_b64 exec, exec, s[8:9]\n" LEAVE), false},
    {"WhereLanesGoBefore",
     ENTER "loop:\n s_and_b64 exec, exec, s[8:9]\nhere:\n"
           " v_add_u32_e32 v1, 1, v1\n" LEAVE
           "end:\n s_or_b64 exec, exec, s[4:5]\n s_endpgm\n",
     false},
    {"WhichTheWaveLeavesItself",
     ENTER LOOP_THAT("s_andn2_b64 exec, exec, s[6:7]\n"
                     "s_cmp_lg_u32 s8, s9\n s_cbranch_scc1 loop\n"),
     false},
    {"InAnotherLoop",
     ENTER LOOP_THAT(LEAVE "s_mov_b64 exec, s[10:11]\n"
                           "s_cbranch_execz end\n s_branch loop\n"),
     false},
    {"ToWhichThereAreTwoWays",
     ENTER "s_cbranch_scc1 loop\n s_mov_b32 s9, s8\n" LOOP_THAT(LEAVE), false},
};

INSTANTIATE_TEST_SUITE_P(Loops, LoopThatLanesLeave,
                         ::testing::ValuesIn(LaneLoops),
                         [](const auto &Info) { return Info.param.Name; });

} // namespace
