// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As many counters of a wave's own as there is room for, and more.
#include "EngineTest.h"
#include "hook/StateValueArray.h"
#include "luthier/Instructions.h"
#include "luthier/Refusal.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier::test {
namespace {

class Counters : public EngineTest {
protected:
  /// "add" adds N + I to counter I of \p Count, "flush" gives all of them back;
  /// "more" takes another one, and "flushMore" gives that back.
  static std::string hooksWith(unsigned Count) {
    std::string Variables = "__device__ uint64_t More;\n", Add, Flush;
    for (unsigned I = 0; I < Count; ++I) {
      const std::string Name = "C" + std::to_string(I);
      Variables += "__device__ uint64_t " + Name + ";\n";
      Add += "luthier::waveAdd(" + Name + ", N + " + std::to_string(I) + ");\n";
      Flush += "luthier::waveFlush(" + Name + ");\n";
    }
    return Variables + "LUTHIER_HOOK_ANNOTATE add(uint64_t N) {\n" + Add +
           "}\nLUTHIER_HOOK_ANNOTATE flush() {\n" + Flush +
           "}\nLUTHIER_HOOK_ANNOTATE more() { luthier::waveAdd(More, 1); }\n"
           "LUTHIER_HOOK_ANNOTATE flushMore() { luthier::waveFlush(More); }\n";
  }
  /// Of hooks "add", given \p N everywhere.
  static void expectSums(const Judgement &J, unsigned Count, uint64_t N) {
    for (unsigned I = 0; I < Count; ++I)
      EXPECT_EQ(J.variable("C" + std::to_string(I)),
                J.WaveInstructions * (N + I))
          << I;
  }
};

class ManyCounters : public Counters {};

TEST_P(Counters, AreLanesAsFarAsThereIsRoom) {
  Options.Engine.Storage = StateValueArrayForm::Vgpr;
  constexpr uint64_t Large = 0x1fffffff8;
  const unsigned Count = accumulatorCount(target().WaveSize);
  EXPECT_EQ(Count, target().WaveSize / 8);
  setHipHooks(hooksWith(Count));
  AssemblyKernel K;
  K.Body = R"(
    v_mov_b32_e32 v1, v0
    s_nop 0
    s_endpgm
)";
  const Object Kernel = fromAssembly(K);
  auto all = [](LiftedRepresentation &LR, InstrumentationTask &Task) {
    everywhere("add", {Large})(LR, Task);
    Task.insertHookAtWaveEnd(hook("flush"));
  };
  // Five waves, the last with one lane.
  const unsigned Items = 4 * target().WaveSize + 1;
  Judgement J = expectUnchanged(Kernel, {{Items, 1, 1}, {Items, 1, 1}}, all);
  ASSERT_EQ(J.Problem, "");
  expectSums(J, Count, Large);
  // One more.
  J = expectUnchanged(Kernel, {{Items, 1, 1}, {Items, 1, 1}},
                      [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
                        everywhere("more")(LR, Task);
                        all(LR, Task);
                        Task.insertHookAtWaveEnd(hook("flushMore"));
                      });
  ASSERT_EQ(J.Problem, "");
  EXPECT_EQ(J.variable("More"), J.WaveInstructions);
  EXPECT_EQ(J.variable("C0"), J.WaveInstructions * Large);
}

/// So many that they fill two further registers and begin a third.
TEST_P(Counters, AreLanesOfMoreVectorRegistersThen) {
  Options.Engine.Storage = StateValueArrayForm::Vgpr;
  constexpr uint64_t Large = 0x1fffffff8;
  const unsigned Count = accumulatorCount(target().WaveSize) +
                         2 * countersPerVGPR(target().WaveSize) + 1;
  setHipHooks(hooksWith(Count));
  AssemblyKernel K;
  K.Body = R"(
    v_mov_b32_e32 v1, v0
    s_mov_b64 exec, 0
    s_nop 0
    s_endpgm
)";
  auto all = [](LiftedRepresentation &LR, InstrumentationTask &Task) {
    everywhere("add", {Large})(LR, Task);
    Task.insertHookAtWaveEnd(hook("flush"));
  };
  const unsigned Items = 2 * target().WaveSize + 1;
  Judgement J =
      expectUnchanged(fromAssembly(K), {{Items, 1, 1}, {Items, 1, 1}}, all);
  ASSERT_EQ(J.Problem, "");
  expectSums(J, Count, Large);
}

/// As many counters as the state has lanes for, and a number of the wave, which
/// would take another one.
TEST_P(Counters, LeaveNoRoomForNumbersOfTheWaveWhereTheKernelLeavesNone) {
  const unsigned Count = accumulatorCount(target().WaveSize);
  setHipHooks(hooksWith(Count) + R"(
__device__ uint32_t Number;
LUTHIER_HOOK_ANNOTATE note() { Number = luthier::waveInGroup(); }
)");
  Options.Engine.Storage = StateValueArrayForm::SpilledWith1Sgpr;
  AssemblyKernel K;
  K.VGPRs = 256;
  K.Body = R"(
    v_mov_b32_e32 v255, v0
    s_endpgm
)";
  Judgement J =
      expectUnchanged(fromAssembly(K), {{8, 1, 1}, {8, 1, 1}},
                      [](LiftedRepresentation &LR, InstrumentationTask &Task) {
                        everywhere("add", {uint64_t(5)})(LR, Task);
                        everywhere("note")(LR, Task);
                        Task.insertHookAtWaveEnd(hook("flush"));
                      });
  ASSERT_EQ(J.Problem, "");
  expectSums(J, Count, 5);
}

/// The application's own leave fewer than counters take.
TEST_P(Counters, AreOnTheStackIfNoVectorRegisterIsLeftForThem) {
  Options.Engine.Storage = StateValueArrayForm::Vgpr;
  constexpr uint64_t Large = 0x1fffffff8;
  const unsigned Count = accumulatorCount(target().WaveSize) +
                         2 * countersPerVGPR(target().WaveSize);
  setHipHooks(hooksWith(Count));
  AssemblyKernel K;
  K.VGPRs = 255;
  K.Body = R"(
    v_mov_b32_e32 v254, v0
    s_mov_b64 exec, 0
    s_endpgm
)";
  const unsigned Items = 2 * target().WaveSize + 1;
  Judgement J =
      expectUnchanged(fromAssembly(K), {{Items, 1, 1}, {Items, 1, 1}},
                      [](LiftedRepresentation &LR, InstrumentationTask &Task) {
                        everywhere("add", {Large})(LR, Task);
                        Task.insertHookAtWaveEnd(hook("flush"));
                      });
  ASSERT_EQ(J.Problem, "");
  expectSums(J, Count, Large);
}

/// A pair is left, which counters of lanes need: those have no other place.
TEST_P(ManyCounters, LeaveCountersOfLanesTheirPlace) {
  Options.Engine.Storage = StateValueArrayForm::SpilledWith1Sgpr;
  const unsigned Count = accumulatorCount(target().WaveSize) +
                         2 * countersPerVGPR(target().WaveSize);
  setHipHooks(hooksWith(Count) + R"(
__device__ uint64_t Lanes;
LUTHIER_HOOK_ANNOTATE count() { luthier::detail::laneCount(0); }
LUTHIER_HOOK_ANNOTATE giveLanes() {
  atomicAdd((unsigned long long *)&Lanes, luthier::detail::laneCounter(0, 0));
}
)");
  AssemblyKernel K;
  K.MaxWorkgroup = 256;
  K.VGPRs = 254;
  K.Body = R"(
    v_mov_b32_e32 v253, v0
    s_endpgm
)";
  const unsigned Items = 64;
  Judgement J =
      expectUnchanged(fromAssembly(K), {{Items, 1, 1}, {Items, 1, 1}},
                      [](LiftedRepresentation &LR, InstrumentationTask &Task) {
                        everywhere("count")(LR, Task);
                        everywhere("add", {uint64_t(5)})(LR, Task);
                        Task.insertHookAtWaveEnd(hook("giveLanes"));
                        Task.insertHookAtWaveEnd(hook("flush"));
                      });
  ASSERT_EQ(J.Problem, "");
  expectSums(J, Count, 5);
  EXPECT_EQ(J.variable("Lanes"), Items * J.WaveInstructions);
}

/// Hooks bring them into vector registers, of which a workgroup of 1,024 lanes
/// leaves 64 to a lane.
TEST_P(ManyCounters, AreRefusedIfTheyAreMoreThanHooksHaveRegistersFor) {
  setHipHooks(R"(
constexpr unsigned Count = 64 * 32;
__device__ uint64_t C[Count];
LUTHIER_HOOK_ANNOTATE add() {
#pragma unroll
  for (unsigned I = 0; I < Count; ++I)
    luthier::waveAdd(C[I], 1);
}
)");
  AssemblyKernel K;
  K.VGPRs = 60;
  K.Body = R"(
    v_mov_b32_e32 v59, v0
    s_endpgm
)";
  expectRefused(fromAssembly(K), {}, everywhere("add"),
                RefusalReason::RegisterBudget, "wave counters");
}

/// So many do not fit into lanes.
TEST_P(Counters, AreScalarRegistersFirstAndThenLanes) {
  const unsigned InLanes = accumulatorCount(target().WaveSize);
  const unsigned Count = InLanes + 12;
  setHipHooks(hooksWith(Count));
  AssemblyKernel K;
  K.Body = R"(
    v_mov_b32_e32 v1, v0
    s_cmp_eq_u32 0, 1
    s_endpgm
)";
  auto all = [](LiftedRepresentation &LR, InstrumentationTask &Task) {
    everywhere("add", {uint64_t(5)})(LR, Task);
    Task.insertHookAtWaveEnd(hook("flush"));
  };
  const unsigned Items = 4 * target().WaveSize + 1;
  Judgement J =
      expectUnchanged(fromAssembly(K), {{Items, 1, 1}, {Items, 1, 1}}, all);
  ASSERT_EQ(J.Problem, "");
  expectSums(J, Count, 5);
}

/// More than are compiled in, of all sizes.
TEST_P(Counters, TakeWhatEachCallSiteAdds) {
  setHipHooks(hooksWith(2));
  AssemblyKernel K;
  K.Body = R"(
    v_mov_b32_e32 v1, v0
    s_cmp_eq_u32 0, 1
    v_mov_b32_e32 v2, v0
    s_mov_b32 s20, 1
    s_add_u32 s20, s20, s20
    s_addc_u32 s21, s20, 0
    s_endpgm
)";
  constexpr uint64_t Numbers[] = {1,           64,          65,
                                  0x12345,     0xffffffff,  0x80000000,
                                  0x100000000, 0xfffffffff, ~uint64_t(0)};
  uint64_t Sum = 0;
  unsigned N = 0;
  auto each = [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
    Sum = N = 0;
    for (MachineInstr &MI : LR.instructions()) {
      const uint64_t Number = Numbers[N++ % std::size(Numbers)];
      Sum += Number;
      Task.insertHookBefore(MI, hook("add"), {Number});
    }
    Task.insertHookAtWaveEnd(hook("flush"));
  };
  const unsigned Waves = 3, Items = Waves * target().WaveSize;
  Judgement J =
      expectUnchanged(fromAssembly(K), {{Items, 1, 1}, {Items, 1, 1}}, each);
  ASSERT_EQ(J.Problem, "");
  EXPECT_GE(N, 7u);
  EXPECT_EQ(J.variable("C0"), Waves * Sum);
  EXPECT_EQ(J.variable("C1"), Waves * (Sum + N));
}

/// Nothing is executed for it, whatever the numbers are.
TEST_P(Counters, BeginWithWhatTheEntryAdds) {
  setHipHooks(hooksWith(2) + "LUTHIER_HOOK_ANNOTATE low(uint32_t N) {"
                             "  luthier::detail::waveAddLow(C0, N);"
                             "  luthier::detail::waveAddLow(C1, N);"
                             "}\n");
  AssemblyKernel K;
  // The entry is where a loop comes back to, too.
  K.Body = R"(
    s_mov_b32 s20, 0
  1:
    s_add_u32 s20, s20, 1
    s_cmp_lt_u32 s20, 3
    s_cbranch_scc1 1b
    s_endpgm
)";
  const Object Kernel = fromAssembly(K);
  const unsigned Waves = 3, Items = Waves * target().WaveSize;
  auto flush = [](LiftedRepresentation &, InstrumentationTask &Task) {
    Task.insertHookAtWaveEnd(hook("flush"));
  };
  const Judgement Without =
      expectUnchanged(Kernel, {{Items, 1, 1}, {Items, 1, 1}}, flush);
  for (const uint64_t Number :
       {uint64_t(1), uint64_t(64), uint64_t(65), uint64_t(0x7fffffff),
        uint64_t(0x80000000), uint64_t(0xffffffff), uint64_t(0x100000000),
        uint64_t(0xffffffff80000000), ~uint64_t(0), ~uint64_t(0) - 16}) {
    constexpr uint32_t Low = 0x80000001;
    Judgement J = expectUnchanged(
        Kernel, {{Items, 1, 1}, {Items, 1, 1}},
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          Task.insertHookAtKernelEntry(hook("add"), {Number});
          Task.insertHookAtKernelEntry(hook("low"), {Low});
          flush(LR, Task);
        });
    ASSERT_EQ(J.Problem, "") << Number;
    auto low = [](uint64_t N) {
      return (N & ~uint64_t(0xffffffff)) | uint32_t(N + Low);
    };
    EXPECT_EQ(J.variable("C0"), Waves * low(Number)) << Number;
    EXPECT_EQ(J.variable("C1"), Waves * low(Number + 1)) << Number;
    // Literals take more room in what sets them up, but at most two
    // instructions do.
    EXPECT_LE(J.Instrumented.Report.BytesAfter,
              Without.Instrumented.Report.BytesAfter + 2 * (16 - 4))
        << Number;
  }
}

/// A hook that is not the first may have been preceded by one that reads.
TEST_P(Counters, DoNotBeginWithWhatIsAddedBehindARead) {
  setHipHooks(hooksWith(1) + "__device__ uint64_t Read;\n"
                             "LUTHIER_HOOK_ANNOTATE read() {"
                             "  luthier::waveAtomicAdd(&Read, "
                             "luthier::waveCounter(C0));"
                             "}\n");
  AssemblyKernel K;
  K.Body = "s_endpgm\n";
  const unsigned Waves = 3, Items = Waves * target().WaveSize;
  Judgement J = expectUnchanged(
      fromAssembly(K), {{Items, 1, 1}, {Items, 1, 1}},
      [](LiftedRepresentation &, InstrumentationTask &Task) {
        Task.insertHookAtKernelEntry(hook("add"), {uint64_t(5)});
        Task.insertHookAtKernelEntry(hook("read"));
        Task.insertHookAtKernelEntry(hook("add"), {uint64_t(7)});
        Task.insertHookAtWaveEnd(hook("flush"));
      });
  ASSERT_EQ(J.Problem, "");
  EXPECT_EQ(J.variable("Read"), Waves * 5u);
  EXPECT_EQ(J.variable("C0"), Waves * 12u);
}

/// Each of several ends, one of them with another hook behind the flush, and
/// with some of the lanes or none.
TEST_P(Counters, AreFlushedAtEveryEnd) {
  setHipHooks(hooksWith(1) + "__device__ uint64_t Lanes;\n"
                             "LUTHIER_HOOK_ANNOTATE lanes() {"
                             "  luthier::waveAtomicAdd(&Lanes, "
                             "__popcll(__builtin_amdgcn_read_exec()));"
                             "}\n");
  AssemblyKernel K;
  K.Body = R"(
    v_mov_b32_e32 v1, v0
    s_mov_b32 exec_lo, 0x50
    s_mov_b32 exec_hi, 0
    s_cmp_eq_u32 0, 0
    s_cbranch_scc1 2f
    s_endpgm
  2:
    s_mov_b32 exec_lo, 0
    s_cmp_eq_u32 0, 0
    s_cbranch_scc0 3f
    s_mov_b32 exec_lo, 7
    s_endpgm
  3:
    s_endpgm
)";
  const unsigned Waves = 3, Items = Waves * target().WaveSize;
  for (bool LanesBehind : {false, true}) {
    Judgement J = expectUnchanged(
        fromAssembly(K), {{Items, 1, 1}, {Items, 1, 1}},
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          everywhere("add", {uint64_t(1)})(LR, Task);
          if (!LanesBehind)
            Task.insertHookAtWaveEnd(hook("lanes"));
          Task.insertHookAtWaveEnd(hook("flush"));
          if (LanesBehind)
            Task.insertHookAtWaveEnd(hook("lanes"));
        });
    ASSERT_EQ(J.Problem, "");
    EXPECT_EQ(J.variable("C0"), J.WaveInstructions);
    EXPECT_EQ(J.variable("Lanes"), Waves * 3u);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Counters, ::testing::ValuesIn(allTargets()),
                         targetName);
INSTANTIATE_TEST_SUITE_P(Targets, ManyCounters,
                         ::testing::ValuesIn(targetsOf({"gfx906"})),
                         targetName);

} // namespace
} // namespace luthier::test
