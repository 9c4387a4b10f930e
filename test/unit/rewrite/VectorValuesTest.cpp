// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks need values in scalar registers that vector instructions make: tables
// in memory, floating point, shuffles. Where no lane is active there are none.
#include "EngineTest.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class VectorValues : public EngineTest {
protected:
  /// Calls \p Hook where all lanes are active and where none is, then "end".
  /// The kernel does not read s8.
  Judgement run(const char *Hook, std::vector<HookArgument> Arguments = {1u}) {
    const bool Is64 = target().WaveSize == 64;
    const std::string Exec = Is64 ? "exec" : "exec_lo",
                      Copy = Is64 ? "s[6:7]" : "s6",
                      Move = Is64 ? "s_mov_b64 " : "s_mov_b32 ";
    AssemblyKernel K;
    K.Body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
             "v_and_b32_e32 v0, 0x3ff, v0\n"
             "v_lshlrev_b32_e32 v8, 2, v0\n"
             "wait_all\n"
             "s_mov_b32 s8, 5\n"
             "v_mov_b32_e32 v9, 3\n" +
             Move + Copy + ", " + Exec + "\n" + Move + Exec + ", 0\n" +
             "v_mov_b32_e32 v9, 4\n" + Move + Exec + ", " + Copy + "\n" +
             "global_store_dword v8, v9, s[4:5]\n"
             "s_endpgm\n";
    KernelLaunch Launch{{64, 1, 1}, {64, 1, 1}};
    Launch.Arguments.words(64);
    return expectUnchanged(
        fromAssembly(K), Launch,
        [&](LiftedRepresentation &LR, InstrumentationTask &Task) {
          for (MachineInstr &MI : LR.kernel().front())
            if (MI.getOpcode() == AMDGPU::V_MOV_B32_e32)
              Task.insertHookBefore(MI, hook(Hook), Arguments);
          Task.insertHookAtWaveEnd(hook("end"));
        });
  }
  uint64_t waves() const { return 64 / target().WaveSize; }
};

TEST_P(VectorValues, AreAddedOnceForEachWaveThatHasThem) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint64_t Cost[4] = {1, 10, 100, 1000};
__device__ uint64_t Table, Float, Shuffled, Absent, Computed, Sum;
__device__ uint64_t Least = 500, Most;
LUTHIER_HOOK_ANNOTATE add(uint32_t N, uint32_t Five) {
  waveAdd(Table, firstLane(Cost[N & 3], 0));
  waveAdd(Float, firstLane(uint64_t(blockDim.x * 1.5f), 0));
  waveAdd(Shuffled, firstLane(__shfl(threadIdx.x + 5, 3) % 32, 0));
  waveAtomicAdd(&Absent, firstLane(threadIdx.x % 32 + 1, Five + 1000));
  const uint32_t Most = uint8_t(Five) > 4 ? 100 : 200;
  waveAdd(Computed, Five * Most + __popc(Five) + (uint64_t(Five) * Five << 32));
  waveAtomicAdd(&Sum, firstLane(Cost[N & 3], 0));
  waveAtomicMin(&Least, firstLane(Cost[N & 3], ~0ull));
  waveAtomicMax(&::Most, firstLane(Cost[N & 3], 0));
}
LUTHIER_HOOK_ANNOTATE end() {
  waveFlush(Table);
  waveFlush(Float);
  waveFlush(Shuffled);
  waveFlush(Computed);
}
)");
  const Judgement J = run("add", {1u, MCRegister(AMDGPU::SGPR8)});
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.variable("Table"), 10 * waves());
  EXPECT_EQ(J.variable("Float"), 96 * waves());
  EXPECT_EQ(J.variable("Shuffled"), 8 * waves());
  // Of the first lane where there is one, and else what takes its place.
  EXPECT_EQ(J.variable("Absent"), (1 + 1005) * waves());
  EXPECT_EQ(J.variable("Sum"), 10 * waves());
  EXPECT_EQ(J.variable("Least"), 10u);
  EXPECT_EQ(J.variable("Most"), 10u);
  // What scalar instructions make of an argument is there in any case.
  EXPECT_EQ(J.variable("Computed"), (502 + (25ull << 32)) * 2 * waves());
}

TEST_P(VectorValues, GoIntoExecAndScalarRegisters) {
  const std::string Reg = std::to_string(AMDGPU::SGPR8);
  setHipHooks(R"(
using namespace luthier;
__device__ uint64_t Mask[2] = {0xff, 0xf0f0};
__device__ uint32_t Lanes;
LUTHIER_HOOK_ANNOTATE use(uint32_t N) {
  const uint64_t Before = __builtin_amdgcn_read_exec();
  writeExec(firstLane(Mask[N], 0));
  atomicAdd(&Lanes, 1u);
  writeExec(Before);
  writeReg<float>()" +
              Reg + ", firstLane(readReg<float>(" + Reg + R"() * 2.0f, 10.0f));
  writeReg<uint32_t>()" +
              Reg + R"(, firstLane(uint32_t(Mask[0]), 0u));
}
LUTHIER_HOOK_ANNOTATE end() {}
)");
  const Judgement J = run("use");
  if (J.Problem.empty())
    EXPECT_EQ(J.variable("Lanes"), 8 * waves());
}

/// A loop whose end only an active lane can see.
TEST_P(VectorValues, EndLoopsWhereThereAreLanes) {
  setHipHooks(R"(
__device__ uint32_t Next[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0};
__device__ uint32_t Begin = 1;
__device__ uint64_t Steps;
LUTHIER_HOOK_ANNOTATE walk(uint32_t) {
  uint32_t N = 0;
  for (uint32_t I = Begin; I != 0; I = Next[I & 15])
    N += I == 12 ? 4 : 1;
  if (N > 3)
    atomicAdd((unsigned long long *)&Steps, N);
}
LUTHIER_HOOK_ANNOTATE end() {}
)");
  Options.MostInstructions = 100'000;
  const Judgement J = run("walk");
  if (J.Problem.empty())
    EXPECT_EQ(J.variable("Steps"), 8u * 64);
}

/// Loops of which the source shows nothing.
TEST_P(VectorValues, EndLoopsThatCodeGenerationMakes) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint64_t Large[2] = {1, 1000}, Small = 7;
__device__ uint32_t From[64] = {1, 2, 3, 4}, To[64], Moved[64] = {5, 6, 7, 8};
__device__ uint32_t Length = 12, Set[64];
__device__ uint64_t Quotient, Rest, Places;
LUTHIER_HOOK_ANNOTATE divide(uint32_t) {
  const unsigned __int128 N = (unsigned __int128)(Large[1]) << 64 | Large[0];
  waveAdd(Quotient, firstLane(uint64_t(N / Small >> 64), 0));
  waveAdd(Rest, firstLane(uint64_t(N % Small), 0));
  __builtin_memcpy(To, From, Length);
  __builtin_memmove(Moved + Small - 6, Moved, Length);
  __builtin_memset(Set, 2, Length);
  waveAdd(Places, firstLane(To[2] * 100 + To[3] * 10 + Set[2] % 256 + Set[3],
                            0u));
}
LUTHIER_HOOK_ANNOTATE end() {
  waveFlush(Quotient);
  waveFlush(Rest);
  waveFlush(Places);
}
)");
  Options.MostInstructions = 1'000'000;
  const Judgement J = run("divide");
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.variable("Quotient"), 142 * waves());
  EXPECT_EQ(J.variable("Rest"),
            uint64_t(((unsigned __int128)(1000) << 64 | 1) % 7) * waves());
  EXPECT_EQ(J.variable("Places"), 302 * waves());
}

/// Such a loop, and others that scalar instructions end, in one hook.
TEST_P(VectorValues, LoopsOfTheWaveTurnWithoutLanesAndOthersDoNot) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Next[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0};
__device__ uint32_t Begin = 1;
__device__ uint64_t Turns, Pairs, Steps, Found;
LUTHIER_HOOK_ANNOTATE walk(uint32_t, uint32_t Five) {
  for (uint32_t I = 0; I < Five; ++I) {
    waveAdd(Turns, I);
    for (uint32_t J = Five; J != I; --J)
      waveAdd(Pairs, I ^ J);
  }
  uint32_t Walked = 0;
  for (uint32_t I = Begin; I != 0; I = Next[I & 15]) {
    waveAdd(Steps, 1);
    for (uint32_t J = Begin; J != 0; J = Next[J & 15])
      if (++Walked == 20)
        break;
  }
  waveAdd(Found, firstLane(Walked, 0u));
}
LUTHIER_HOOK_ANNOTATE end() {
  waveFlush(Turns);
  waveFlush(Pairs);
  waveFlush(Steps);
  waveFlush(Found);
}
)");
  Options.MostInstructions = 100'000;
  const Judgement J = run("walk", {1u, MCRegister(AMDGPU::SGPR8)});
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.variable("Turns"), 10 * 2 * waves());
  unsigned Pairs = 0;
  for (unsigned I = 0; I < 5; ++I)
    for (unsigned J = 5; J != I; --J)
      Pairs += I ^ J;
  EXPECT_EQ(J.variable("Pairs"), Pairs * 2 * waves());
  EXPECT_EQ(J.variable("Steps"), 8 * waves());
  EXPECT_EQ(J.variable("Found"), 60 * waves());
}

/// A loop that lanes end, within one that scalars end.
TEST_P(VectorValues, LoopsOfTheWaveTurnAroundLoopsOfLanes) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Table[256] = {4, 4, 4, 4}, Out[64];
__device__ uint64_t Turns, Sum;
LUTHIER_HOOK_ANNOTATE walk(uint32_t, uint32_t Five) {
  uint64_t S = 0;
  for (uint32_t I = 0; I < Five; ++I) {
    waveAdd(Turns, 1);
    S += I;
    uint32_t J = 0;
    do
      ++J;
    while (Table[threadIdx.x + J] > 3);
    Out[threadIdx.x] += J;
  }
  waveAdd(Sum, S);
}
LUTHIER_HOOK_ANNOTATE end() {
  waveFlush(Turns);
  waveFlush(Sum);
}
)");
  Options.MostInstructions = 1'000'000;
  const Judgement J = run("walk", {1u, MCRegister(AMDGPU::SGPR8)});
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.variable("Turns"), 5 * 2 * waves());
  EXPECT_EQ(J.variable("Sum"), 10 * 2 * waves());
}

/// The place of an atomic operation is that of the wave.
TEST_P(VectorValues, PlacesOfTheWaveAreRightWithoutLanes) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint64_t Hist[16], Times;
__device__ uint64_t Bin[4];
LUTHIER_HOOK_ANNOTATE place(uint32_t K, uint32_t Five) {
  const uint64_t L = uint64_t(Five) << 33 | 7, M = uint64_t(Five) * Five << 32;
  uint64_t I = L < M ? 3 : 7;
  if (K + Five == 5) {
    waveAdd(Times, 1);
    I = 1;
  }
  waveAtomicAdd(&Hist[I], 1u);
  waveAtomicAdd(&Bin[(uint64_t(Five) * 70 + K) / 100], 1u);
}
LUTHIER_HOOK_ANNOTATE end() { waveFlush(Times); }
)");
  const Judgement J = run("place", {1u, MCRegister(AMDGPU::SGPR8)});
  if (!J.Problem.empty())
    return;
  auto expectOnlyPlace = [&](const char *Name, unsigned Place) {
    const Bytes &Contents = J.Variables.at(Name);
    std::vector<uint64_t> Words(Contents.size() / 8), Expected(Words.size());
    std::memcpy(Words.data(), Contents.data(), Contents.size());
    Expected[Place] = 2 * waves();
    EXPECT_EQ(Words, Expected) << Name;
  };
  expectOnlyPlace("Hist", 3);
  expectOnlyPlace("Bin", 3);
}

/// What scalars decide together is decided where no lane is active, too.
TEST_P(VectorValues, ConditionsOfSeveralComparisonsHoldWithoutLanes) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint64_t Turns, Pairs, Chosen, Behind;
__device__ uint32_t Begin = 1, Next[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0};
LUTHIER_HOOK_ANNOTATE walk(uint32_t, uint32_t Five) {
  for (uint32_t I = 0; I < Five; ++I) {
    waveAdd(Turns, 1);
    if (I == (Five ^ 6))
      break;
    waveAdd(Pairs, 1);
  }
  waveAdd(Chosen, (Five == 4 || Five * 3 > 14) ? 3 : 5);
  for (uint32_t I = Begin; I != 0; I = Next[I & 15]) {
    waveAdd(Turns, 100);
    if (I == Five + 90)
      break;
  }
  waveAdd(Behind, 1);
}
LUTHIER_HOOK_ANNOTATE end() {
  waveFlush(Turns);
  waveFlush(Pairs);
  waveFlush(Chosen);
  waveFlush(Behind);
}
)");
  Options.MostInstructions = 100'000;
  const Judgement J = run("walk", {1u, MCRegister(AMDGPU::SGPR8)});
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.variable("Turns"), (2 * 4 + 800) * waves());
  EXPECT_EQ(J.variable("Pairs"), 2 * 3 * waves());
  EXPECT_EQ(J.variable("Chosen"), 2 * 3 * waves());
  EXPECT_EQ(J.variable("Behind"), 2 * waves());
}

/// A table in memory decides what the wave does, the same for all lanes.
TEST_P(VectorValues, DecideNothingWhereThereAreNone) {
  setHipHooks(R"(
using namespace luthier;
__device__ uint32_t Limit = 3, Table[4] = {1, 2, 3, 4};
__device__ uint64_t Larger, Smaller, Both, Mixed;
LUTHIER_HOOK_ANNOTATE decide(uint32_t, uint32_t Five) {
  if (Limit > 2)
    waveAdd(Larger, 1);
  else
    waveAdd(Smaller, 1);
  if (Table[Five & 3] == 2 && Five > 4)
    waveAtomicAdd(&Both, Five > 3 ? 10 : 20);
  for (uint32_t I = 0; I < Five; ++I) {
    waveAdd(Mixed, 1);
    if ((threadIdx.x & 31) < I)
      atomicAdd((unsigned long long *)&Both, 1000ull);
  }
}
LUTHIER_HOOK_ANNOTATE end() {
  waveFlush(Larger);
  waveFlush(Smaller);
  waveFlush(Mixed);
}
)");
  const Judgement J = run("decide", {1u, MCRegister(AMDGPU::SGPR8)});
  if (!J.Problem.empty())
    return;
  EXPECT_EQ(J.variable("Larger"), waves());
  EXPECT_EQ(J.variable("Smaller"), 0u);
  EXPECT_EQ(J.variable("Both"), 10 * waves() + 10 * 1000 * 2);
  EXPECT_EQ(J.variable("Mixed"), 5 * 2 * waves());
}

/// Of an argument that is in a vector register, only the engine knows.
TEST_P(VectorValues, AreRefusedAsOperandsOfTheWave) {
  setHipHooks(R"(
__device__ uint64_t Sum;
LUTHIER_HOOK_ANNOTATE add(uint32_t N) { luthier::waveAdd(Sum, N); }
LUTHIER_HOOK_ANNOTATE address(uint64_t N) {
  luthier::waveAtomicAdd((uint64_t *)N, 1);
}
)");
  AssemblyKernel K;
  K.Body = "v_mov_b32_e32 v1, v0\nv_mov_b32_e32 v2, v0\ns_endpgm\n";
  for (auto [Hook, Register] :
       {std::pair("add", unsigned(AMDGPU::VGPR1)),
        std::pair("address", unsigned(AMDGPU::VGPR1_VGPR2))})
    expectRefused(fromAssembly(K), {}, everywhere(Hook, {MCRegister(Register)}),
                  RefusalReason::UnsupportedHook);
}

INSTANTIATE_TEST_SUITE_P(Targets, VectorValues,
                         ::testing::ValuesIn(allTargets()), targetName);

} // namespace
