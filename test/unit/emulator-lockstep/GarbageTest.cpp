// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hooks leave in the tool's memory must not come from registers that
// nobody wrote.
#include "Judge.h"
#include "emulator/lockstep/Attribution.h"

namespace luthier::test {
namespace {

namespace lockstep = emulator::lockstep;
using lockstep::Result;
using Kind = lockstep::Difference::Kind;

class Garbage : public Judge {
protected:
  Garbage() {
    Options.OnlyWhatIsRead = true;
    Options.Own = {{Data + Own, Data + DataSize}};
    RunsAgain = true;
  }
  /// A kernel with \p Payload where no lane is active.
  static std::string kernel(const std::string &Payload) {
    return R"(
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 3
    s_mov_b64 s[6:7], exec
    s_mov_b64 exec, 0
)" + Payload +
           R"(
    s_mov_b64 exec, s[6:7]
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  }
  /// Adds s40 to the tool's memory, whatever EXEC is.
  static constexpr const char *Adds = R"(
  + s_mov_b64 s[42:43], exec
  + s_mov_b64 exec, 1
  + v_mov_b32 v21, s40
  + v_mov_b32 v22, 0x1000
  + global_atomic_add v22, v21, s[0:1]
  + s_mov_b64 exec, s[42:43]
)";
  /// What selecting a value by a scalar condition must not become where no lane
  /// is active.
  static constexpr const char *ReadsUnwritten = R"(
  + s_mov_b64 s[44:45], -1
  + v_cndmask_b32 v20, 0, 1, s[44:45]
  + s_nop 4
  + v_readfirstlane_b32 s40, v20
)";
};

TEST_F(Garbage, OfALaneThatNobodyWroteIsFoundInTheToolsMemory) {
  const auto D =
      differs(kernel(""), kernel(std::string(ReadsUnwritten) + Adds));
  EXPECT_EQ(D.What, Kind::Garbage) << D.text();
  EXPECT_EQ(D.Address, Data + Own);
  EXPECT_TRUE(D.Writer.starts_with("global_atomic_add")) << D.text();
}

/// The register holds something that the program, or a hook before, computed.
TEST_F(Garbage, OfALaneThatWasWrittenForAnotherPurposeIsFound) {
  const std::string Earlier = R"(
  + s_mov_b64 exec, -1
  + v_mov_b32 v20, 5
  + s_mov_b64 exec, 0
)";
  const auto D = differs(kernel(""), kernel(Earlier + ReadsUnwritten + Adds));
  EXPECT_EQ(D.What, Kind::Garbage) << D.text();
}

/// A lane that the hook has not been given, and has not written.
TEST_F(Garbage, OfAnInactiveLaneIsFound) {
  const std::string Partly = R"(
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 3
    s_mov_b64 s[6:7], exec
    s_mov_b64 exec, 0xff
)",
                    End = R"(
    s_mov_b64 exec, s[6:7]
    global_store_dword v1, v2, s[0:1]
    s_endpgm)";
  auto reads = [&](int Lane) {
    return Partly + R"(
  + v_mov_b32 v2, 3
  + s_nop 4
  + v_readlane_b32 s40, v2, )" +
           std::to_string(Lane) + Adds + End;
  };
  EXPECT_EQ(differs(Partly + End, reads(8)).What, Kind::Garbage);
  passes(Partly + End, reads(7));
}

/// State that lives in lanes is written in one and read in another.
TEST_F(Garbage, IsNotWhatLanesHoldThatAreWrittenOneByOne) {
  passes(kernel(""), kernel(std::string(R"(
  + s_mov_b64 exec, -1
  + v_mov_b32 v20, 5
  + s_mov_b64 exec, 0
  + s_mov_b32 s40, 1
)") + Adds + R"(
  + v_writelane_b32 v20, s2, 3
  + s_nop 4
  + v_readlane_b32 s40, v20, 4
)" + Adds));
}

TEST_F(Garbage, ThatNobodyUsesIsNoDifference) {
  passes(kernel(""), kernel(std::string(ReadsUnwritten) +
                            "\n + s_mov_b32 s40, 1\n" + Adds));
}

TEST_F(Garbage, DoesNotComeFromScalars) {
  passes(kernel(""), kernel(std::string(R"(
  + s_cmp_eq_u32 s2, 0
  + s_cselect_b32 s40, 7, 9
)") + Adds));
}

TEST_F(Garbage, DoesNotComeFromLanesThatWereWritten) {
  passes(kernel(""), kernel(std::string(R"(
  + s_mov_b64 exec, -1
  + v_mov_b32 v20, 5
  + s_mov_b64 exec, 0
  + s_nop 4
  + v_readfirstlane_b32 s40, v20
)") + Adds));
}

TEST_F(Garbage, ThatDecidesABranchOfAPayloadIsFound) {
  const auto D = differs(kernel(""), kernel(std::string(R"(
  + s_bitcmp1_b32 s50, 4
  + s_cbranch_scc1 1f
  + s_nop 0
  1:
)")));
  EXPECT_EQ(D.What, Kind::Garbage) << D.text();
}

/// A program that stores what it never wrote, with a hook that counts what is
/// stored.
class OriginalGarbage : public Garbage {
protected:
  static std::string kernel(const std::string &Payload) {
    return R"(
    v_lshlrev_b32 v1, 2, v0
    v_add_u32 v3, 1, v5
)" + Payload +
           R"(
    global_store_dword v1, v5, s[0:1]
    s_endpgm)";
  }
  static constexpr const char *CountsWhatIsStored = R"(
  + v_readfirstlane_b32 s40, v5
)";
  Result attributed(const std::string &Original,
                    const std::string &Instrumented) {
    const lockstep::Options First = Options;
    const Result R =
        lockstep::runAttributed(First, [&](const lockstep::Options &O) {
          Options = O;
          return judge(Original, Instrumented);
        });
    Options = First;
    return R;
  }
  Result attributed(const std::string &Payload) {
    return attributed(kernel(""), kernel(Payload));
  }
};

TEST_F(OriginalGarbage, IsNotBlamedOnAToolThatReadsIt) {
  const Result R = attributed(std::string(CountsWhatIsStored) + Adds);
  EXPECT_FALSE(R.Found) << R.Found->text();
  ASSERT_TRUE(R.Noted);
  EXPECT_EQ(R.Noted->What, Kind::Garbage);
  EXPECT_EQ(R.Noted->Address, Data + Own);
  EXPECT_GT(R.Compared, 0u);
}

TEST_F(OriginalGarbage, DoesNotHideTheToolsOwn) {
  // Neither v4 nor v23 is a register that the program ever reads.
  for (const char *Own : {"v4", "v23"}) {
    const Result R = attributed(std::string(CountsWhatIsStored) + Adds +
                                "\n + v_readfirstlane_b32 s40, " + Own + Adds);
    ASSERT_TRUE(R.Found) << Own;
    EXPECT_EQ(R.Found->What, Kind::Garbage) << R.Found->text();
    EXPECT_FALSE(R.Noted);
  }
}

TEST_F(OriginalGarbage, ThatDecidesABranchIsNotBlamedOnTheTool) {
  auto branches = [](const std::string &Payload) {
    return "s_bitcmp1_b32 s20, 4\n" + Payload + R"(
    s_cbranch_scc1 1f
    s_nop 0
  1:
    s_endpgm)";
  };
  const Result R = attributed(branches(""), branches(" + s_nop 0\n"));
  EXPECT_FALSE(R.Found) << R.Found->text();
  ASSERT_TRUE(R.Noted);
  EXPECT_EQ(R.Noted->What, Kind::Garbage);
}

TEST_F(OriginalGarbage, ThatAToolAloneReadsIsItsOwn) {
  // A register of the program's, which it has not written and never reads.
  const Result R =
      attributed(std::string("\n + v_readfirstlane_b32 s40, v7") + Adds);
  ASSERT_TRUE(R.Found);
  EXPECT_EQ(R.Found->What, Kind::Garbage);
}

/// They run under the same schedule, so clocks and orders are equal.
TEST_F(Garbage, IsNotWhatClocksSay) {
  passes(kernel(""), kernel(std::string(R"(
  + s_memtime s[40:41]
  + s_waitcnt lgkmcnt(0)
)") + Adds));
}

TEST_F(Garbage, IsNotComparedWithoutAThirdRun) {
  RunsAgain = false;
  passes(kernel(""), kernel(std::string(ReadsUnwritten) + Adds));
}

TEST_F(Garbage, InstructionsAreCountedAsTheOriginalExecutesThem) {
  const std::string Meets = R"(
    v_mov_b32 v1, 1
    s_barrier
    v_mov_b32 v2, 2
    s_endpgm)";
  OriginalLaunch.Workgroup = InstrumentedLaunch.Workgroup = {128, 1, 1};
  OriginalLaunch.Grid = InstrumentedLaunch.Grid = {256, 1, 1};
  for (uint64_t Seed = 0; Seed != 10; ++Seed) {
    Options.Seed = Seed;
    const std::string Payload = "\n + s_nop 0" + Meets;
    const auto R = judge(Meets, Seed % 2 ? Payload : Meets);
    EXPECT_FALSE(R.Found) << R.Found->text();
    EXPECT_EQ(R.Compared, 4u * 4u) << "seed " << Seed;
  }
}

} // namespace
} // namespace luthier::test
