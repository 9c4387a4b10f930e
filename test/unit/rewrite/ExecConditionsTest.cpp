// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks that define EXEC in conditions and loops, of the wave's and of lanes.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class ExecConditions : public EngineTest {
protected:
  /// Two workgroups of 64 lanes that call \p Hook at their entry with each
  /// number from 0 to 8: more than are worth a copy of it each.
  Judgement run(const char *Hook) {
    AssemblyKernel K;
    K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
             "v_and_b32_e32 v0, 0x3ff, v0\n"
             "v_lshlrev_b32_e32 v8, 2, v0\n"
             "wait_all\n"
             "global_store_dword v8, v0, s[4:5]\n"
             "s_endpgm\n";
    KernelLaunch Launch{{128, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(64);
    return expectUnchanged(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          for (uint32_t N = 0; N <= 8; ++N)
            Task.insertHookAtKernelEntry(hook(Hook), {N});
        });
  }
  /// Of both workgroups.
  uint64_t waves() const { return 128 / target().WaveSize; }
};

TEST_P(ExecConditions, OfTheWave) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t If, Else, Twice, Early, Nested, First;
LUTHIER_HOOK_ANNOTATE conditions(uint32_t N) {
  const uint64_t Active = __builtin_amdgcn_read_exec();
  if (N == 3) {
    writeExec(1);
    atomicAdd(&If, 7);
    writeExec(Active);
  } else {
    writeExec(0xff);
    atomicAdd(&Else, 1);
    writeExec(Active);
  }
  if (N > 5) {
    writeExec(2);
    if (__lane_id() == 1)
      atomicAdd(&Twice, 1);
    writeExec(Active & 0xf0);
    atomicAdd(&Twice, 100);
    writeExec(Active);
  }
  if (blockIdx.x == 1 && N == 2) {
    writeExec(1);
    if (N & 2) {
      writeExec(3);
      atomicAdd(&Nested, 1);
    }
    atomicAdd(&Nested, 10);
    writeExec(Active);
  }
  if (blockIdx.x != 0)
    return;
  writeExec(1);
  atomicAdd(&Early, 1);
  writeExec(Active);
  if (N == 0)
    waveAtomicAdd(&First, 1u);
}
)");
  const Judgement J = run("conditions");
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.variable("If"), 7 * waves());
  EXPECT_EQ(J.variable("Else"), 8 * 8 * waves());
  EXPECT_EQ(J.variable("Twice"), 3 * (1 + 400) * waves());
  EXPECT_EQ(J.variable("Nested"), 22 * waves() / 2);
  EXPECT_EQ(J.variable("Early"), 9 * waves() / 2);
  EXPECT_EQ(J.variable("First"), waves() / 2);
}

TEST_P(ExecConditions, OfTheLanes) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Some, None, Sides, Joined;
LUTHIER_HOOK_ANNOTATE conditions(uint32_t N) {
  if (threadIdx.x % 16 < 5)
    waveAtomicAdd(&Some, 1u);
  if (threadIdx.x > 1000)
    waveAtomicAdd(&None, 1u);
  const uint32_t Value = threadIdx.x * 3;
  uint32_t Result = 1;
  if (threadIdx.x & 1) {
    waveAtomicAdd(&Sides, N);
    Result = Value + 1;
  } else {
    waveAtomicAdd(&Sides, 100 * N);
  }
  atomicAdd(&Joined, Result);
}
)");
  const Judgement J = run("conditions");
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.variable("Some"), 9 * waves());
  EXPECT_EQ(J.variable("None"), 0u);
  EXPECT_EQ(J.variable("Sides"), 36 * 101 * waves());
  unsigned Joined = 0;
  for (unsigned Item = 0; Item < 64; ++Item)
    Joined += Item & 1 ? 3 * Item + 1 : 1;
  EXPECT_EQ(J.variable("Joined"), 9 * 2 * Joined);
}

TEST_P(ExecConditions, OfLoops) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Turns, Most, Lanes;
LUTHIER_HOOK_ANNOTATE loops(uint32_t N) {
  for (uint32_t I = 0; I < N; ++I) {
    waveAtomicMax(&Most, I);
    if (I == 2)
      waveAtomicAdd(&Turns, 1u);
  }
  const uint64_t Active = __builtin_amdgcn_read_exec();
  for (uint64_t Rest = Active & 0x11; Rest; Rest &= Rest - 1) {
    writeExec(Rest & -Rest);
    atomicAdd(&Lanes, __lane_id());
  }
  writeExec(Active);
}
)");
  const Judgement J = run("loops");
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.variable("Turns"), 6 * waves());
  EXPECT_EQ(J.variable("Most"), 7u);
  EXPECT_EQ(J.variable("Lanes"), 9 * 4 * waves());
}

/// LLVM's code for lanes that go different ways would take them for others.
TEST_P(ExecConditions, AreRefusedWhereLanesWouldGetLost) {
  AssemblyKernel K;
  K.Body = "s_endpgm\n";
  KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
  Launch.Arguments.words(64);
  const char *const Hooks[] = {
      // Not what it was,
      "if (threadIdx.x & 1) { writeExec(1); atomicAdd(&Sum, 1); }\n"
      "else atomicAdd(&Sum, 100);",
      "if (threadIdx.x & 1) {\n"
      "  writeExec(1);\n"
      "  const uint64_t One = __builtin_amdgcn_read_exec();\n"
      "  atomicAdd(&Sum, 1);\n"
      "  writeExec(One);\n"
      "}",
      // nor what it was on this way,
      "const uint64_t Active = __builtin_amdgcn_read_exec();\n"
      "if (threadIdx.x & 1) {\n"
      "  writeExec(1); atomicAdd(&Sum, 1); writeExec(Active);\n"
      "}",
      // and values for lanes that are not there any more.
      "const uint64_t Active = __builtin_amdgcn_read_exec();\n"
      "uint32_t X = Table[threadIdx.x ^ 1];\n"
      "if (N == 5) {\n"
      "  X = Table[threadIdx.x] + 1; writeExec(1); atomicAdd(&Sum, 1);\n"
      "}\n"
      "writeExec(Active);\n"
      "atomicAdd(&Sum, X);"};
  for (const char *Body : Hooks) {
    SCOPED_TRACE(Body);
    setHipHooks("using namespace luthier;\n"
                "__device__ uint32_t Sum, Table[64];\n"
                "LUTHIER_HOOK_ANNOTATE hook(uint32_t N) {\n" +
                std::string(Body) + "}\n");
    expectRefused(
        fromAssembly(K), Launch,
        [](LiftedRepresentation &, InstrumentationTask &Task) {
          for (uint32_t N = 0; N <= 8; ++N)
            Task.insertHookAtKernelEntry(hook("hook"), {N});
        },
        RefusalReason::UnsupportedHook);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ExecConditions,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
